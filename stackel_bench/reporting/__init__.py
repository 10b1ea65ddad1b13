"""From records to statistics, tables, plots and the report page."""
