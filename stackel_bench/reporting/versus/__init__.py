"""Cells against cells: two tie-breakings, two learners, two sweeps."""

__all__ = ()
