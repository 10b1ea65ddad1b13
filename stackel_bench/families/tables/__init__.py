"""What bandit and simultaneous games share: tables with noise, pulls of pairs, and their theory."""

__all__ = ()
