"""Sweeps and their results in Python: scripts, prompts and notebooks."""

__all__ = ()
