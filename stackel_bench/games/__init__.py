"""Games: a model and noise that learners can only sample."""

__all__ = ()
