"""What to explore and what to decide from it; the paper's algorithms and baselines."""

__all__ = ()
