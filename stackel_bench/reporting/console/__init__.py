"""What the terminal shows: progress, then the table of results; output of libraries goes to a log."""

__all__ = ()
