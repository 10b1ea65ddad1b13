"""Payoff tables by name: the paper's, random ones, from economics, security and files."""

__all__ = ()
