"""What a browser shows: the report of a sweep and the table of claims, from templates."""

__all__ = ()
