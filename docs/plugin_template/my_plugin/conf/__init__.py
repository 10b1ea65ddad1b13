"""Configurations that join the groups of stackel_bench."""
