"""Code from outside this package: a file beside the user, an importable module, an installed plug-in."""

__all__ = ()
