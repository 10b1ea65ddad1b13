"""Sampling rules that do not plan: uniform play, the floor, and a generative model, the skyline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal, Shape
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.single_run import SingleRun
from stackel_bench.simulation.episodes import simulated
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.tally import Tally


@dataclass(frozen=True)
class Uniform(SingleRun):
    """Every action equally likely at every state; it has no theorem and gets the paper's total."""

    name = "uniform"

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """Each plan adds the episodes that it has more than the one before."""
        uniform = PolicyMixture.uniform(running.simulator.shape)
        for plan in plans:
            fresh = plan.total - running.episodes
            running.add(running.simulator.play_mixture(uniform, fresh, rng), fresh)
            yield uniform


@dataclass(frozen=True)
class Generative(SingleRun):
    """Asks every triple equally often; H queries cost one episode, which would show H transitions."""

    name = "generative"
    needs_simulation = True

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[None]:
        """Each plan adds the queries that it has more than the one before."""
        model = simulated(running.simulator)
        for plan in plans:
            queries = _queries(model.shape, plan.total) - running.visits()
            running.add(Tally.unrewarded(model.query(queries, rng)), plan.total - running.episodes)
            yield None


def _queries(shape: Shape, episodes: int) -> np.ndarray:
    """Queries int64 [H,S,B] that H * episodes allow; those that do not divide evenly go to the first."""
    triples = shape[0] * shape[1] * shape[2]
    each, left = divmod(episodes * shape[0], triples)
    queries = np.full(triples, each, dtype=np.int64)
    queries[:left] += 1
    return queries.reshape(shape)
