"""Budget -> samples -> estimated follower MDP, per leader action; plain functions and classes."""

from stackel_bench.exploration.explorer import EpisodePlan, Exploration, Explorer
from stackel_bench.exploration.ladder import explore_ladder
from stackel_bench.exploration.registry import EXPLORERS, make_explorer

__all__ = ["EXPLORERS", "EpisodePlan", "Exploration", "Explorer", "explore_ladder", "make_explorer"]
