"""Hydra configuration groups, shipped with the package."""
