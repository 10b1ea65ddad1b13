"""Numbers that claims are about, computed exactly on true games."""

__all__ = ()
