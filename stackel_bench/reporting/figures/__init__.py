"""The report's figures: each module draws one kind, from the tables of a sweep, where it applies."""

__all__ = ()
