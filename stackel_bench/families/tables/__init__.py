"""What bandit and simultaneous games share: payoff tables by name, pulls of pairs, and their theory."""

__all__ = ()
