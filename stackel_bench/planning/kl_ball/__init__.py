"""Values of a follower MDP whose transitions are known up to a Kullback-Leibler ball around estimates."""

__all__ = ()
