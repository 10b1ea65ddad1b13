"""The schema of the configuration and its composition by Hydra."""

__all__ = ()
