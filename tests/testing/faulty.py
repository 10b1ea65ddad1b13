"""Learners, games and explorers with one fault each; the name of a class's check is in `breaks`."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import stackel_bench as sb
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.bandit_rl.exploration.rules import Uniform
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.row_pulls import PullSums, pull_schedule, stack
from stackel_bench.learners.decision import Decision
from stackel_bench.models import TieBreaking
from stackel_bench.streams import generator

CALLS = itertools.count()


@dataclass(frozen=True)
class Good:
    """Plug-in rows, written for one replicate; faults are subclasses."""

    name = "good"
    breaks: ClassVar[str] = ""

    def schedule(self, sampler: Any, budget: Any) -> Any:
        return pull_schedule(sampler, budget, theory_pulls=1000)

    def explore(self, sampler: Any, schedule: Any, unit: int, key: Any) -> Any:
        return self.pull(sampler, schedule, unit, generator(*key, unit))

    def pull(self, sampler: Any, schedule: Any, unit: int, rng: Any) -> Any:
        return PullSums(*sampler.pull_row(unit, schedule.counts, rng))

    def decide(self, sampler: Any, schedule: Any, findings: Any, tie_breaking: Any) -> list[Decision]:
        sums = stack(findings).leader
        found = []
        for rung, samples in enumerate(schedule.samples):
            row = int(sums[rung].min(axis=1).argmax())
            found.append(Decision(tie_breaking, row, None, 0, float(sums[rung, row, 0]), samples))
        return found


class NotFrozen:
    name = "not_frozen"
    breaks = "options"
    schedule, explore, pull, decide = Good.schedule, Good.explore, Good.pull, Good.decide


@dataclass(frozen=True)
class NoGuarantee(Good):
    breaks = "guarantee"
    guarantee: ClassVar[str] = "always"


@dataclass(frozen=True)
class NoPickle(Good):
    breaks = "pickles"

    def __reduce__(self) -> Any:
        raise TypeError("stays here")


@dataclass(frozen=True)
class TooLargeSchedule(Good):
    breaks = "schedule"

    def schedule(self, sampler: Any, budget: Any) -> Any:
        found = super().schedule(sampler, budget)
        counts = tuple(count * 10 for count in found.counts)
        samples = tuple(samples * 10 for samples in found.samples)
        return dataclasses.replace(found, counts=counts, samples=samples)


@dataclass(frozen=True)
class OwnRandomness(Good):
    breaks = "determinism"

    def explore(self, sampler: Any, schedule: Any, unit: int, key: Any) -> Any:
        return self.pull(sampler, schedule, unit, generator(next(CALLS)))


@dataclass(frozen=True)
class NoKey(Good):
    breaks = "random streams"

    def explore(self, sampler: Any, schedule: Any, unit: int, key: Any) -> Any:
        return self.pull(sampler, schedule, unit, generator(unit))


LAST = {"unit": 0}


@dataclass(frozen=True)
class OrderMatters(Good):
    breaks = "order of units"

    def explore(self, sampler: Any, schedule: Any, unit: int, key: Any) -> Any:
        before, LAST["unit"] = LAST["unit"], unit
        return self.pull(sampler, schedule, unit, generator(*key, unit, int(before > unit and unit > 0)))


@dataclass(frozen=True)
class BlockMatters(Good):
    breaks = "batching"

    def decide_block(self, sampler: Any, schedule: Any, findings: Any, tie_breaking: Any) -> Any:
        from stackel_bench.learners.decision import Decisions

        each = zip(*findings, strict=True)
        found = Decisions.of([self.decide(sampler, schedule, list(one), tie_breaking) for one in each])
        return dataclasses.replace(found, estimated_value=found.estimated_value + len(findings[0]))


class Forgetful(PullSums):
    """Loses itself on the way to the disk."""

    def __reduce__(self) -> Any:
        return PullSums, (self.leader * 0, self.follower * 0)


@dataclass(frozen=True)
class FindingsForget(Good):
    breaks = "findings"

    def pull(self, sampler: Any, schedule: Any, unit: int, rng: Any) -> Any:
        leader, follower = sampler.pull_row(unit, schedule.counts, rng)
        return Forgetful(leader, follower)


@dataclass(frozen=True)
class OneTieBreaking(Good):
    breaks = "both tie breakings"

    def decide(self, sampler: Any, schedule: Any, findings: Any, tie_breaking: Any) -> list[Decision]:
        return super().decide(sampler, schedule, findings, TieBreaking.PESSIMISTIC)


@dataclass(frozen=True)
class LastFromTheEnd(Good):
    breaks = "commitments"

    def decide(self, sampler: Any, schedule: Any, findings: Any, tie_breaking: Any) -> list[Decision]:
        found = super().decide(sampler, schedule, findings, tie_breaking)
        return [dataclasses.replace(each, leader_action=-1) for each in found]


@dataclass(frozen=True)
class OverBudget(Good):
    breaks = "budget"

    def decide(self, sampler: Any, schedule: Any, findings: Any, tie_breaking: Any) -> list[Decision]:
        found = super().decide(sampler, schedule, findings, tie_breaking)
        return [dataclasses.replace(each, samples=each.samples + 1) for each in found]


@dataclass(frozen=True)
class DrawsTwice(Good):
    breaks = "samples counted"

    def pull(self, sampler: Any, schedule: Any, unit: int, rng: Any) -> Any:
        super().pull(sampler, schedule, unit, rng)
        return super().pull(sampler, schedule, unit, rng)


@dataclass(frozen=True)
class Looks(Good):
    breaks = "truth unseen"

    def decide(self, sampler: Any, schedule: Any, findings: Any, tie_breaking: Any) -> list[Decision]:
        assert sampler._table is not None
        return super().decide(sampler, schedule, findings, tie_breaking)


LEARNERS = [
    *(NotFrozen, NoGuarantee, NoPickle, TooLargeSchedule, OwnRandomness, NoKey, OrderMatters, BlockMatters),
    *(FindingsForget, OneTieBreaking, LastFromTheEnd, OverBudget, DrawsTwice, Looks),
]
TABLE = sb.PayoffTable([[0.2, 0.7], [0.9, 0.4]], [[0.5, 0.1], [0.3, 0.8]])


def game_with(**changed: Any) -> Any:
    """A good bandit game with some members replaced."""
    return type("Faulty", (Game,), changed)()


class Game:
    family, name, identity, table = "bandit", "bandit/faulty", "faulty", TABLE
    sizes: ClassVar[dict[str, int]] = {"num_leader_actions": 2, "num_follower_actions": 2}

    @property
    def sampler(self) -> Any:
        return BanditGame(TABLE).sampler


class Sampler(PairSampler):
    """Faulty rewards: `change` is applied to every sum."""

    change: ClassVar[Any] = None
    whole_rewards: ClassVar[Any] = True

    def pull_row(self, *arguments: Any, **named: Any) -> Any:
        return tuple(type(self).change(sums) for sums in super().pull_row(*arguments, **named))


def sampler_with(**changed: Any) -> property:
    cls = type("FaultySampler", (Sampler,), {"change": staticmethod(lambda sums: sums), **changed})
    whole = BanditGame(TABLE)
    return property(lambda self: cls(whole.table, whole.noise))


class NotPickled(Game):
    def __getstate__(self) -> Any:
        raise TypeError("stays here")


def same_identity(rate: float = 0.5) -> Any:
    return BanditGame(sb.PayoffTable([[rate]], [[0.5]]), identity="always the same")


GAMES = {
    "sizes": lambda: game_with(sizes={"num_leader_actions": 2}),
    "sampler": lambda: game_with(sampler=sampler_with(block_size=0)),
    "samples": lambda: game_with(sampler=sampler_with(change=staticmethod(lambda sums: sums * 2))),
    "determinism": lambda: game_with(
        sampler=sampler_with(
            change=staticmethod(lambda sums: np.where(sums > 5000, 5000 - next(CALLS), sums))
        )
    ),
    "means": lambda: game_with(sampler=sampler_with(change=staticmethod(lambda sums: sums[..., ::-1]))),
    "truth hidden": lambda: game_with(sampler=sampler_with(table=TABLE)),
    "identity stable": lambda: game_with(identity=property(lambda self: str(next(CALLS)))),
    "identity tells apart": lambda: same_identity,
    "pickles": NotPickled,
}


@dataclass(frozen=True)
class FaultyRule(Uniform):
    name = "faulty"
    breaks: ClassVar[str] = ""


class RuleWithoutDefault(FaultyRule):
    breaks = "options"
    name = None  # type: ignore[assignment]


class NoWord(FaultyRule):
    breaks = "words"
    proved = None  # type: ignore[assignment]


class RuleNotPickled(FaultyRule):
    breaks = "pickles"
    __reduce__ = NoPickle.__reduce__


class LargerPlan(FaultyRule):
    breaks = "plans"

    def fixed_plan(self, shape: Any, episodes: int) -> Any:
        return super().fixed_plan(shape, episodes + 1)


class PlaysMore(FaultyRule):
    breaks = "episodes counted"

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        simulator.play(np.full(simulator.shape, 1 / simulator.shape[2]), 1, generator(0))
        return super().explore(simulator, plans, goal, key)


class Certain(FaultyRule):
    breaks = "models"

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        found = super().explore(simulator, plans, goal, key)
        return [dataclasses.replace(each, certificate=-1.0) for each in found]


class RuleOwnRandomness(FaultyRule):
    breaks = "determinism"

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        return super().explore(simulator, plans, goal, (next(CALLS),))


class RuleNoKey(FaultyRule):
    breaks = "random streams"

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        return super().explore(simulator, plans, goal, (0,))


class SeesLaterPlans(FaultyRule):
    breaks = "growing plans"

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        return super().explore(simulator, plans, goal, (*key, len(plans)))


class TakesShrinkingPlans(FaultyRule):
    breaks = "growing plans"
    nested = False

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        return [
            super(FaultyRule, self).explore(simulator, [plan], goal, (*key, plan.total))[0] for plan in plans
        ]


class RuleLooks(FaultyRule):
    breaks = "truth unseen"

    def explore(self, simulator: Any, plans: Any, goal: Any, key: Any) -> Any:
        assert simulator._means
        return super().explore(simulator, plans, goal, key)


RULES = [
    *(RuleWithoutDefault, NoWord, RuleNotPickled, LargerPlan, PlaysMore, Certain, RuleOwnRandomness),
    *(RuleNoKey, SeesLaterPlans, TakesShrinkingPlans, RuleLooks),
]
