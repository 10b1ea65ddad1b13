"""What every explorer offers: episode plans, and an exploration that ends in an estimated follower MDP."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.learner import StreamKey
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.tally import EpisodeSource

Shape = tuple[int, int, int]  # (horizon H, states S, follower actions B)


@dataclass(frozen=True)
class Goal:
    """Value error epsilon/8 for all of num_leader_actions together, but for a probability of delta."""

    epsilon: float
    delta: float
    num_leader_actions: int

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, least=0, open_least=True)
        checks.real("delta", self.delta, least=0, most=1, open_least=True, open_most=True)
        checks.integer("num_leader_actions", self.num_leader_actions, least=1)


def goal_of(sampler: Any, budget: Budget) -> Goal:
    """What learners of this game are asked for with this budget."""
    return Goal(budget.epsilon, budget.delta, sampler.num_leader_actions)


@dataclass(frozen=True)
class EpisodePlan:
    """Episodes of one leader action, by phase; stop_when_certified: or until the certificate is epsilon/8."""

    phases: Mapping[str, int]
    stop_when_certified: bool = False

    def __post_init__(self) -> None:
        phases = {
            name: checks.integer(f"episodes of phase {name}", count, least=0)
            for name, count in self.phases.items()
        }
        object.__setattr__(self, "phases", phases)

    @property
    def total(self) -> int:
        """All episodes of the plan."""
        return sum(self.phases.values())

    def scaled(self, factor: float) -> EpisodePlan:
        """The plan with every phase multiplied by factor and rounded up."""
        scale = checks.real("scale", factor, least=0, open_least=True)
        scaled = {
            name: count if scale == 1 else math.ceil(count * scale) for name, count in self.phases.items()
        }
        return EpisodePlan(scaled, self.stop_when_certified)


@dataclass(frozen=True, eq=False)
class Exploration:
    """One leader action's estimated model and what it rests on.

    visits [H,S,B] are the counts behind the estimate, episodes the number played per phase. certificate
    bounds sup over policies and players of |estimated value - true value| with probability 1 - delta over
    all leader actions together. mixture holds the policies that the sampled episodes followed; None means
    that triples were queried directly, so visits themselves are the sampling law.
    """

    model: FollowerMDP
    visits: np.ndarray
    episodes: Mapping[str, int]
    certificate: float | None
    mixture: PolicyMixture | None

    @property
    def total_episodes(self) -> int:
        """Episodes played in all phases together."""
        return sum(self.episodes.values())


def reject_shrinking(plans: Sequence[EpisodePlan]) -> None:
    """Raise an InputError unless there are plans and no total is smaller than the one before."""
    totals = [plan.total for plan in plans]
    if not totals or totals != sorted(totals):
        raise InputError("ladder of episodes", totals, "at least one total, and totals that do not shrink")


class Explorer(Protocol):
    """Turns episodes of one leader action into estimated models; same key, same result.

    An explorer is a frozen dataclass: its fields are the options `algorithm.explorer_options.KEY=VALUE`.
    """

    name: ClassVar[str]  # as in `algorithm.explorer=name`
    proved: ClassVar[bool]  # whether a theorem bounds the error of every policy's value, both rewards at once
    nested: ClassVar[bool]  # whether a plan continues the run of the plan before it, or is a run of its own

    def seconds_of(self, shape: Shape, plan: EpisodePlan) -> float:
        """Rough time of one plan on one core; corrected by what is measured."""

    def theory_plan(self, shape: Shape, goal: Goal) -> EpisodePlan:
        """Episodes per leader action that the theorem asks for; also more than can be simulated."""

    def fixed_plan(self, shape: Shape, episodes: int) -> EpisodePlan:
        """A total of episodes for this leader action, split into phases."""

    def explore(
        self, simulator: EpisodeSource, plans: Sequence[EpisodePlan], goal: Goal, key: StreamKey
    ) -> list[Exploration]:
        """One exploration of the leader action per plan; an InputError if totals shrink along the plans."""
