"""Bandit games: the leader picks a row, the follower sees it and picks a column."""

__all__ = ()
