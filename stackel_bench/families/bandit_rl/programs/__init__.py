"""Bandit-RL games that are programs: an environment per leader action, played episode by episode."""

__all__ = ()
