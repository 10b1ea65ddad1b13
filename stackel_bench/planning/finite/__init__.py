"""Answers to leaders who pick from a finite list: response sets, values, equilibria."""

__all__ = ()
