"""How good a decision really is, computed on the truth."""

__all__ = ()
