"""How the journal and the tables of cells lie on disk: lines, and Parquet files of many cells."""

__all__ = ()
