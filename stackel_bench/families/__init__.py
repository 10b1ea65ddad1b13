"""One folder per family of games, and the record by which everything else knows it."""

__all__ = ()
