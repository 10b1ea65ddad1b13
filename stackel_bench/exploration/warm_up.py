"""Compiles every kernel of simulation and exploration, so that no later call waits for a compiler."""

from __future__ import annotations

import numpy as np

from stackel_bench.exploration.explorer import Goal
from stackel_bench.exploration.registry import EXPLORERS, make_explorer
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import generator


def warm_up() -> None:
    """Compile, or load from numba's cache, by exploring a two-state MDP with every explorer."""
    shape = (2, 2, 2)
    mdp = FollowerMDP(np.full((*shape, 2), 0.5), np.full(shape, 0.5), np.full(shape, 0.5))
    simulator = EpisodeSimulator(mdp)
    for name in EXPLORERS:
        explorer = make_explorer(name)
        explorer.explore(simulator, [explorer.fixed_plan(shape, 10)], Goal(1.0, 0.5, 1), ("warm up",))
    simulator.play(np.full(shape, 0.5), 1, generator("warm up"))
