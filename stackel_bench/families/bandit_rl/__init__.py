"""Bandit-RL games: each leader action sets the episodic decision process that the follower plays in."""

__all__ = ()
