"""What a sweep keeps on disk: the journal, the tables of its cells, and files made from them."""

__all__ = ()
