"""Learners of linear games that stop by themselves."""

__all__ = ()
