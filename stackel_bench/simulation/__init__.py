"""Sufficient statistics of many samples, exact in distribution, at a cost independent of their number."""

__all__ = ()
