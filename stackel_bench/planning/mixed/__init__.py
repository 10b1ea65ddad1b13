"""Mixed commitments in simultaneous games: values, strategies, gaps, equilibria."""

__all__ = ()
