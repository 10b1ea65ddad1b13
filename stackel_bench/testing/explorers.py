"""The contract of explorers, checked on one leader action of a small game."""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.from_outside import EXPLORER_MEMBERS, require_members
from stackel_bench.families.games import load_game
from stackel_bench.families.registry import all_families
from stackel_bench.models import FollowerMDP
from stackel_bench.testing.common import Ledger, built, closed, content, options_kept, sent
from stackel_bench.testing.report import Broken, Report, methods_of, require, run_checks

_EPISODES = (40, 161, 600)


def check_explorer(rule: Any, *, raises: bool = True) -> Report:
    """The report on a class of explorers, or on one of them; a ContractError if a check fails."""
    require_members("algorithm.explorer", rule, EXPLORER_MEMBERS, "explorer")
    checks = _Checks(built(rule, "algorithm.explorer"))
    name = getattr(checks.rule, "name", type(checks.rule).__name__)
    return run_checks(f"explorer {name}", methods_of(_Checks), [checks], raises)


class _Checks:
    """The checks by name."""

    def __init__(self, rule: Any) -> None:
        self.rule = rule
        contract = next(family.contract for family in all_families() if family.explorers and family.contract)
        assert contract.goal is not None
        self.contract = contract
        self.game = load_game(contract.game, **contract.parameters)
        self.goal = contract.goal(0.5, 0.05, self.game.sizes["num_leader_actions"])
        self.shape = self.game.sampler.shape

    def _explore(self, plans: Sequence[Any], key: int = 0) -> tuple[list[Any], Ledger]:
        """One exploration per plan, and what was drawn for them."""
        ledger = Ledger()
        simulator = closed(self.game.sampler, self.contract, ledger).simulator(0)
        return self.rule.explore(simulator, plans, self.goal, ("check_explorer", key)), ledger

    @functools.cached_property
    def _plans(self) -> list[Any]:
        """Three totals."""
        return [self.rule.fixed_plan(self.shape, total) for total in _EPISODES]

    @functools.cached_property
    def _run(self) -> tuple[list[Any], Ledger]:
        """The explorations of all plans, which other checks compare with."""
        return self._explore(self._plans)

    def options(self) -> str:
        """They are fields of a frozen dataclass, with defaults."""
        return options_kept(self.rule)

    def words(self) -> str:
        """It says what it is."""
        for name in ("proved", "nested"):
            found = getattr(self.rule, name, None)
            require(isinstance(found, bool), f"{name} is {found}, not True or False")
        seconds = self.rule.seconds_of(self.shape, self._plans[0])
        require(seconds > 0, f"seconds_of is {seconds}")
        return ", ".join(f"{name} {getattr(self.rule, name)}" for name in ("proved", "nested"))

    def pickles(self) -> str:
        """A worker gets the same rule."""
        require(content(sent(self.rule)) == content(self.rule), "it changes on its way to a worker")
        return "reaches a worker unchanged"

    def plans(self) -> str:
        """Plans have the total that was asked for."""
        totals = [plan.total for plan in self._plans]
        require(totals == list(_EPISODES), f"fixed_plan of {list(_EPISODES)} episodes plans {totals}")
        theory = self.rule.theory_plan(self.shape, self.goal).total
        require(theory >= 1, f"theory_plan has {theory} episodes")
        return f"fixed totals as asked for; theory: {theory} episodes"

    def episodes_counted(self) -> str:
        """Episodes told are those of the plan, and cover what was drawn."""
        found, ledger = self._run
        require(len(found) == len(self._plans), f"{len(found)} explorations of {len(self._plans)} plans")
        totals = [each.total_episodes for each in found]
        for total, plan in zip(totals, self._plans, strict=True):
            require(total <= plan.total, f"{total} episodes where the plan has {plan.total}")
            early = plan.stop_when_certified
            require(total == plan.total or early, f"{total} of the {plan.total} episodes of the plan")
        told = totals[-1] if self.rule.nested else sum(totals)
        require(ledger.drawn < told + 0.5, f"plays {ledger.drawn:.0f} episodes and counts {told}")
        for each, total in zip(found, totals, strict=True):
            visits = int(each.visits.sum())
            require(visits <= total * self.shape[0], f"{visits} steps in {total} episodes")
        return f"{ledger.drawn:.0f} played, {told} counted"

    def models(self) -> str:
        """Estimates are follower MDPs of the right shape, certificates errors."""
        start = self.game.sampler.simulator(0).initial_state
        for each in self._run[0]:
            require(isinstance(each.model, FollowerMDP), f"model is a {type(each.model).__name__}")
            require(each.model.shape == self.shape, f"model of shape {each.model.shape}, not {self.shape}")
            require(each.model.initial_state == start, f"initial state {each.model.initial_state}")
            require(np.shape(each.visits) == self.shape, f"visits of shape {np.shape(each.visits)}")
            bound = each.certificate
            require(bound is None or bound >= 0, f"certificate {bound}")
        return f"follower MDPs of shape {self.shape}"

    def determinism(self) -> str:
        """Same key, same explorations."""
        again = self._explore(self._plans)[0]
        require(content(again) == content(self._run[0]), "same key, other explorations")
        return "same key, same explorations"

    def random_streams(self) -> str:
        """Another key, other samples."""
        other = content(self._explore(self._plans, 1)[0]) != content(self._run[0])
        require(other, "another key gives the same explorations: use streams.generator(*key, ...)")
        return "another key, other samples"

    def growing_plans(self) -> str:
        """A plan knows nothing of those after it; a nested one continues the one before."""
        alone = self._explore(self._plans[:1])[0]
        require(content(alone) == content(self._run[0][:1]), "the first plan alone is explored otherwise")
        if self.rule.nested:
            visits = [each.visits for each in self._run[0]]
            grow = all((later >= earlier).all() for earlier, later in itertools.pairwise(visits))
            require(grow, "nested, but visits shrink from a plan to the next")
        try:
            self._explore(self._plans[::-1])
        except InputError:
            return "plans continue each other" if self.rule.nested else "a run for each plan"
        raise Broken("plans whose totals shrink are taken: raise an InputError (budgets.reject_shrinking)")

    def truth_unseen(self) -> str:
        """Only public members of the simulator are used."""
        looked = list(dict.fromkeys(self._run[1].looked))
        require(not looked, f"looks at {', '.join(looked)} of the simulator, which is not for explorers")
        return "public members of the simulator only"
