"""The learner of bandit-RL games that stops by itself, and what its proof is made of."""

__all__ = ()
