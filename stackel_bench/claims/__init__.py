"""Claims as data: what a theorem predicts, what the records say, and the verdict."""

__all__ = ()
