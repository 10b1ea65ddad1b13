"""Compiles what bandit-RL games run on, so that no worker waits for a compiler."""

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS, make_explorer
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.stopping.action_bounds import ActionBounds
from stackel_bench.families.bandit_rl.stopping.model_set import model_set
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.planning import best_responses
from stackel_bench.planning.best_response.policy_evaluation import policy_values
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import generator


def warm_up() -> None:
    """Compile, or load from numba's cache, by exploring and solving a two-state MDP in every way."""
    shape = (2, 2, 2)
    mdp = FollowerMDP(np.full((*shape, 2), 0.5), np.full(shape, 0.5), np.full(shape, 0.5))
    simulator = EpisodeSimulator(mdp)
    for name in EXPLORERS:
        explorer = make_explorer(name)
        explorer.explore(simulator, [explorer.fixed_plan(shape, 10)], Goal(1.0, 0.5, 1), ("warm up",))
    rng = generator("warm up")
    seen = RunningEstimate(simulator, 0.5, rng)
    seen.add(simulator.play(np.full(shape, 0.5), 1, rng), 1)
    ActionBounds(1.0, TieBreaking.PESSIMISTIC).tighten(model_set(seen, Goal(1.0, 0.5, 1)))
    for method in ("chord", "eliminate"):
        best_responses([mdp], 0.1, TieBreaking.PESSIMISTIC, method=method)
    policy_values(mdp, np.full(shape, 0.5))
