"""Learners of bandit games that stop by themselves."""

__all__ = ()
