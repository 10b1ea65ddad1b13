"""What any learner needs on one bandit game: its characteristic time, as a certified interval."""

__all__ = ()
