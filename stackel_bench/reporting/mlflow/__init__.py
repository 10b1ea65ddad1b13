"""What the pages of MLflow show: the view of an experiment, its description, and the server itself."""

__all__ = ()
