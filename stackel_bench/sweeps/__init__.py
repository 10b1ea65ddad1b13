"""From a study to an ordered plan of cells with stable ids, and what is left of it."""

__all__ = ()
