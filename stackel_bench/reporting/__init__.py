"""From records to statistics, tables, plots and the report page."""

__all__ = ()
