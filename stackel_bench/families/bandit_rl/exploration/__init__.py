"""Explorers: episodes of a leader action -> its estimated MDP and a certificate; and how good it is."""

__all__ = ()
