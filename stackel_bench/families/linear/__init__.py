"""Linear bandit games: mean rewards are linear in features of the pair."""

__all__ = ()
