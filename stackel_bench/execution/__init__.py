"""Where tasks run: Ray, or serially with the same interface."""

__all__ = ()
