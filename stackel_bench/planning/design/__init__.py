"""Core sets of features, and the linear algebra that gives the same bits on every processor."""

__all__ = ()
