"""Learners that stop as soon as their confidence proves the guarantee; families supply the confidence."""

__all__ = ()
