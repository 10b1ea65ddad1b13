"""What several verbs do: find a sweep, carry a plan through, publish what came of it."""

__all__ = ()
