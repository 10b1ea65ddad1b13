"""Learners of simultaneous games that stop by themselves."""

__all__ = ()
