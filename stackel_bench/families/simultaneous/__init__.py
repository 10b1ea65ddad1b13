"""Simultaneous matrix games: the leader commits to a mixed strategy, the follower responds to it."""

__all__ = ()
