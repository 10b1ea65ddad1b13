"""What one exploration and its decisions compute: pure functions of a game, a learner and a seed."""

__all__ = ()
