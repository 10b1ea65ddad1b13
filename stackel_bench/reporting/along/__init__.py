"""Samples needed along one number of the configuration: lines of cells, their power laws, their ends."""

__all__ = ()
