"""Learners by family and name; options that do not fit are refused with the ones that do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.exploration import make_explorer
from stackel_bench.learners.bandit import RULES, BanditLearner, ToleranceRule
from stackel_bench.learners.bandit_rl import BanditRLLearner
from stackel_bench.learners.learner import Learner
from stackel_bench.learners.linear import LinearLearner
from stackel_bench.learners.nash import NashLearner
from stackel_bench.learners.simultaneous import SimultaneousLearner
from stackel_bench.learners.successive_elimination import SuccessiveEliminationLearner

Builder = Callable[..., Learner]
Options = Mapping[str, Any] | None


def _bandit_rule(name: str) -> Builder:
    def build() -> Learner:
        return BanditLearner(ToleranceRule(name))

    return build


def _bandit_rl(name: str) -> Builder:
    def build(explorer: str = "reward_free_explore", explorer_options: Options = None) -> Learner:
        options = {} if explorer_options is None else explorer_options
        if not isinstance(options, Mapping) or not all(isinstance(key, str) for key in options):
            raise InputError("algorithm.explorer_options", options, "options of the explorer by name")
        return BanditRLLearner(name, make_explorer(explorer, **options))

    return build


def _linear(name: str) -> Builder:
    def build() -> Learner:
        return LinearLearner(name)

    return build


def _simultaneous(name: str) -> Builder:
    def build(printed_lp: bool = False, time_limit: float | None = None) -> Learner:
        return SimultaneousLearner(name, printed_lp, time_limit=time_limit)

    def build_margin(robust_margin: bool = False, time_limit: float | None = None) -> Learner:
        return SimultaneousLearner(name, robust_margin=robust_margin, time_limit=time_limit)

    return build_margin if name == "margin" else build


def _nash(family: str) -> Builder:
    def build(which: str = "random") -> Learner:
        return NashLearner(family, which)

    return build


def _successive_elimination() -> Learner:
    return SuccessiveEliminationLearner()


LEARNERS: Mapping[str, Mapping[str, Builder]] = {
    "bandit": {
        **{name: _bandit_rule(name) for name in RULES},
        "successive_elimination": _successive_elimination,
        "nash": _nash("bandit"),
    },
    "bandit_rl": {name: _bandit_rl(name) for name in ("paper", "plug_in")},
    "linear": {name: _linear(name) for name in ("paper", "g_optimal", "plug_in")},
    "simultaneous": {
        **{name: _simultaneous(name) for name in (*RULES, "margin")},
        "nash": _nash("simultaneous"),
    },
}


def make_learner(family: str, algorithm: str, **options: Any) -> Learner:
    """The learner that `algorithm` names in this family; options left empty are not passed on."""
    if algorithm not in LEARNERS[family]:
        allowed = f"one of {', '.join(sorted(LEARNERS[family]))} on {family} games"
        raise InputError("algorithm", algorithm, allowed)
    build = LEARNERS[family][algorithm]
    known = inspect.signature(build).parameters
    given = {key: value for key, value in options.items() if value is not None and value != {}}
    for key, value in given.items():
        if key not in known:
            fits = ", ".join(known) or "none"
            allowed = f"no such option for {algorithm} on {family} games; options: {fits}"
            raise InputError(f"algorithm.{key}", value, allowed)
    return build(**given)
