"""Compiled linear programs over the simplex, and the searches that restart them after small changes."""

__all__ = ()
