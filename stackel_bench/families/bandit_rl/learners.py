"""Learners for bandit-RL games: explore each leader action's MDP, plan on the estimates, commit."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Exploration, Explorer, goal_of
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS, make_explorer
from stackel_bench.families.bandit_rl.game import EpisodeSampler
from stackel_bench.families.bandit_rl.theory import runnable_phase
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import NOTHING, PAPER, Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.options import changed, option, values_of
from stackel_bench.planning.best_response import best_case_best_response, worst_case_best_response

SECONDS_PER_STEP = 1e-4  # of a program, before anything is measured


@dataclass(frozen=True, eq=False)
class ActionFinding:
    """One leader action at one rung: the response found for each tie-breaking, and how it was found."""

    values: Mapping[TieBreaking, float]
    policies: Mapping[TieBreaking, np.ndarray]
    episodes: Mapping[str, int]
    diagnostics: Mapping[str, float]  # maximum over leader actions is what a decision reports
    exploration: Exploration | None = field(repr=False)  # for diagnostics on the truth, then dropped


@dataclass(frozen=True)
class BanditRLLearner(ABC):
    """Explores each leader action's MDP, then plans with responses within `tolerance` * eps of the best."""

    explorer: Any = option("reward_free_explore", "how a leader action's MDP is explored")
    explorer_options: Mapping[str, Any] = option(factory=dict, help="options of the explorer")

    name: ClassVar[str]
    family: ClassVar[str] = "bandit_rl"
    _explorer: ClassVar[Explorer]  # built from the two options

    def __post_init__(self) -> None:
        explorer = make_explorer(self.explorer, **self.explorer_options)
        object.__setattr__(self, "_explorer", explorer)
        if type(explorer) is EXPLORERS.get(explorer.name):  # an object of ours is what its name is
            object.__setattr__(self, "explorer", explorer.name)

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """How far from its best response a planned response may stay, as a share of epsilon."""

    @property
    def programs(self) -> tuple[Explorer, ...]:
        """What this learner runs that may be somebody's own."""
        return () if isinstance(self.explorer, str) else (self._explorer,)

    @property
    def options(self) -> dict[str, Any]:
        """The explorer and its options, defaults included."""
        name = self._explorer.name if self.programs else self.explorer
        return {"explorer": name, "explorer_options": values_of(self._explorer)}

    @property
    def changed_options(self) -> dict[str, Any]:
        """What differs from the defaults; an explorer's own default, spelled out, does not."""
        own = changed(self) | {"explorer_options": changed(self._explorer)}
        if self.programs:
            own["explorer"] = type(self._explorer).__qualname__
        return {key: value for key, value in own.items() if value != {}}

    def schedule(self, sampler: EpisodeSampler, budget: Budget) -> Schedule:
        """Episodes per leader action, by rung; a unit is a leader action."""
        actions = sampler.num_leader_actions
        if getattr(self._explorer, "needs_simulation", False) and not sampler.simulated:
            allowed = "an explorer that plays episodes from their start, which is all that a program offers"
            raise InputError("algorithm.explorer", self.explorer, allowed)
        plans = self._plans(sampler, budget)
        if budget.kind == "theory" and not sampler.simulated:
            episodes = plans[-1].total * actions
            hours = episodes * sampler.shape[0] / 3.6e6
            allowed = (
                "fixed or ladder with budget.samples, or algorithm=certified, which stops by itself; "
                "a program really plays, and the theorem asks for up to "
                f"{episodes:.3g} episodes, {hours:.3g} hours at 1 ms a step"
            )
            raise InputError("budget", budget.kind, allowed)
        for phase, episodes in plans[-1].phases.items():
            runnable_phase(phase, episodes, budget.epsilon)
        theory = self._explorer.theory_plan(sampler.shape, goal_of(sampler, budget))
        return Schedule(
            budget=budget,
            counts=tuple(plan.total for plan in plans),
            samples=tuple(plan.total * actions for plan in plans),
            theory_samples=theory.total * actions,
            units=actions,
            seconds_per_unit=self._seconds(sampler, plans),
            nested=self._explorer.nested,
            detail=tuple(plans),
        )

    def _seconds(self, sampler: EpisodeSampler, plans: Sequence[EpisodePlan]) -> float:
        """Rough time of exploring one leader action at all rungs; of the last one where rungs are nested."""
        counted = plans[-1:] if self._explorer.nested else plans
        planning = sum(self._explorer.seconds_of(sampler.shape, plan) for plan in counted) + 1e-3 * len(plans)
        steps = 0 if sampler.simulated else sampler.shape[0] * sum(plan.total for plan in counted)
        return planning + SECONDS_PER_STEP * steps

    def _plans(self, sampler: EpisodeSampler, budget: Budget) -> list[EpisodePlan]:
        if budget.total_is_given:
            actions = sampler.num_leader_actions
            counts = budget.unit_counts(1, actions, "episode for each leader action")
            return [self._explorer.fixed_plan(sampler.shape, count) for count in counts]
        plan = self._explorer.theory_plan(sampler.shape, goal_of(sampler, budget))
        return [plan.scaled(budget.scale / divisor) for divisor in budget.divisors]

    def explore(
        self, sampler: EpisodeSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> list[ActionFinding]:
        """Findings about one leader action, by rung; both tie-breakings are planned on the same estimate."""
        budget = schedule.budget
        explorations = self._explorer.explore(
            sampler.simulator(unit), schedule.detail, goal_of(sampler, budget), (*key, "explore", unit)
        )
        slack = self.tolerance * budget.epsilon
        return [_finding(exploration, slack) for exploration in explorations]

    @property
    def explores_rungs(self) -> bool:
        """Whether rungs are runs of their own that may be explored one by one."""
        return _explores_rungs(self) and _explores_rungs(self._explorer)

    def explore_rung(
        self, sampler: EpisodeSampler, schedule: Schedule, unit: int, key: StreamKey, rung: int
    ) -> ActionFinding:
        """One of the findings of `explore`."""
        explorer: Any = self._explorer
        goal, source = goal_of(sampler, schedule.budget), sampler.simulator(unit)
        exploration = explorer.explore_rung(
            source, schedule.detail[rung], goal, (*key, "explore", unit), rung
        )
        return _finding(exploration, self.tolerance * schedule.budget.epsilon)

    def decide(
        self,
        sampler: EpisodeSampler,
        schedule: Schedule,
        findings: Sequence[list[ActionFinding]],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The leader action with the best estimated value, lowest index on ties, for each rung."""
        return [_decide(actions, tie_breaking) for actions in zip(*findings, strict=True)]


@dataclass(frozen=True)
class Paper(BanditRLLearner):
    """Algorithm 2 of the paper, with any explorer."""

    name = "paper"
    tolerance = 0.75

    @property
    def guarantee(self) -> Guarantee:
        """The paper's, where the explorer has a theorem for every policy and both rewards at once."""
        return PAPER if self._explorer.proved else NOTHING


@dataclass(frozen=True)
class PlugIn(BanditRLLearner):
    """The best response of the estimate taken at its word, or with any other tolerance; no guarantee."""

    tolerance: float = option(0.0, "how far from best a planned response may be, as a share of epsilon")

    name = "plug_in"
    guarantee = NOTHING

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.real("algorithm.tolerance", self.tolerance, least=0)


def _explores_rungs(thing: Any) -> bool:
    """Whether its `explore` is that of a class with `explore_rung`; a subclass may have another one."""
    return "explore_rung" in vars(next(kind for kind in type(thing).__mro__ if "explore" in vars(kind)))


def _finding(exploration: Exploration, slack: float) -> ActionFinding:
    responses = {
        TieBreaking.PESSIMISTIC: worst_case_best_response(exploration.model, slack),
        TieBreaking.OPTIMISTIC: best_case_best_response(exploration.model, slack),
    }
    diagnostics = {"policies": float(len(exploration.mixture or ()))}
    if exploration.certificate is not None:
        diagnostics["certificate"] = exploration.certificate
    return ActionFinding(
        values={tie: response.leader_value for tie, response in responses.items()},
        policies={tie: response.policy for tie, response in responses.items()},
        episodes=dict(exploration.episodes),
        diagnostics=diagnostics,
        exploration=exploration,
    )


def _decide(actions: Sequence[ActionFinding], tie_breaking: TieBreaking) -> Decision:
    values = np.array([finding.values[tie_breaking] for finding in actions])
    best = int(values.argmax())
    known = {
        name: np.array([finding.diagnostics[name] for finding in actions]) for name in actions[0].diagnostics
    }
    episodes = {
        f"episodes_{phase}": np.array([finding.episodes[phase] for finding in actions])
        for phase in actions[0].episodes
    }
    return Decision(
        tie_breaking=tie_breaking,
        leader_action=best,
        leader_strategy=None,
        follower_response=actions[best].policies[tie_breaking],
        estimated_value=float(values[best]),
        samples=sum(sum(finding.episodes.values()) for finding in actions),
        diagnostics={name: float(counts.sum()) for name, counts in episodes.items()}
        | {name: float(per_action.max()) for name, per_action in known.items()},
        actions={
            "estimated_phi": np.array([f.values[TieBreaking.PESSIMISTIC] for f in actions]),
            "estimated_psi": np.array([f.values[TieBreaking.OPTIMISTIC] for f in actions]),
            "samples": np.array([sum(finding.episodes.values()) for finding in actions]),
            **episodes,
            **known,
        },
    )
