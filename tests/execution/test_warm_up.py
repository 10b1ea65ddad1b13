"""One compilation per kernel, whatever memory the simulator's arrays live in."""

from __future__ import annotations

import pickle

from numba.core.registry import CPUDispatcher

from stackel_bench.execution.warm_up import compile_kernels
from stackel_bench.families.bandit_rl.exploration import certificate, euler
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS, make_explorer
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.learners.budget import FixedBudget
from stackel_bench.models import FollowerMDP
from stackel_bench.planning import kl_ball
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.kernels import binomial, doubling, episodes, multinomial
from stackel_bench.statistics import likelihood_mixture
from stackel_bench.streams import generator
from tests.replicates import decisions
from tests.simulation.per_episode import random_mdp


def _compiled() -> dict[str, int]:
    modules = (binomial, doubling, episodes, multinomial, certificate, euler)
    modules += (kl_ball, likelihood_mixture)
    kernels = {
        name: kernel
        for module in modules
        for name, kernel in vars(module).items()
        if isinstance(kernel, CPUDispatcher)
    }
    return {name: len(kernel.signatures) for name, kernel in kernels.items()}


def test_nothing_is_compiled_after_the_warm_up() -> None:
    compile_kernels(["bandit_rl"])
    before = _compiled()
    assert len(before) > 10
    mdp = random_mdp(generator("memory"), (3, 2, 2))
    simulator = EpisodeSimulator(mdp)
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(simulator, protocol=5, buffer_callback=buffers.append)
    stored = pickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])  # read-only memory
    halves = make_explorer("reward_free_explore").fixed_plan(mdp.shape, 500)
    goal = Goal(1.0, 0.1, 1)
    kept = pickle.loads(pickle.dumps(mdp))
    for source in (
        simulator,
        stored,
        EpisodeSimulator(kept),
        EpisodeSimulator(FollowerMDP(*vars(kept).values())),
    ):
        for name in EXPLORERS:
            explorer = make_explorer(name)
            for plan in (explorer.fixed_plan(mdp.shape, 50), explorer.theory_plan(mdp.shape, goal)):
                explorer.explore(source, [plan], goal, ("memory",))
        make_explorer("reward_free_explore", replanning="exact_doubling", value_range="horizon").explore(
            source, [halves], goal, ("memory",)
        )
    decisions(BanditRLGame((mdp, kept)), "certified", FixedBudget(epsilon=1.0, samples=100), 1)
    assert _compiled() == before
