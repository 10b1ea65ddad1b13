"""Follower MDPs of named bandit-RL games: parameters in, one MDP per leader action out."""

__all__ = ()
