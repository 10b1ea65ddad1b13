"""Learners by name: every name has a configuration file, options that do not fit are refused."""

from __future__ import annotations

import dataclasses
from importlib import resources

import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS
from stackel_bench.families.learners import changed_options, learner_options, make_learner
from stackel_bench.families.registry import FAMILIES, all_families
from stackel_bench.options import options_of

LEARNERS = {family.name: family.learners for family in all_families()}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_learner_has_its_name_and_a_configuration(family: str) -> None:
    files = {entry.name for entry in resources.files("stackel_bench.conf").joinpath("algorithm").iterdir()}
    for name in LEARNERS[family]:
        assert make_learner(family, name).name == name
        assert f"{name}.yaml" in files


def test_every_configuration_is_a_learner_of_some_family() -> None:
    names = {name for learners in LEARNERS.values() for name in learners}
    for entry in resources.files("stackel_bench.conf").joinpath("algorithm").iterdir():
        if entry.name.endswith(".yaml"):
            assert entry.name.removesuffix(".yaml") in names


@pytest.mark.parametrize(
    ("family", "algorithm", "options", "field"),
    [
        ("bandit", "papper", {}, "algorithm"),
        ("bandit", "g_optimal", {}, "algorithm"),
        ("linear", "margin", {}, "algorithm"),
        ("bandit_rl", "half_tolerance", {}, "algorithm"),
        ("bandit", "paper", {"explorer": "rf_ucrl"}, "algorithm.explorer"),
        ("linear", "paper", {"printed_lp": True}, "algorithm.printed_lp"),
        ("bandit_rl", "paper", {"explorer": "rf_ucrll"}, "algorithm.explorer"),
        ("bandit_rl", "paper", {"explorer_options": {"c": 1}}, "algorithm.explorer_options.c"),
        ("bandit_rl", "paper", {"explorer_options": 3}, "algorithm.explorer_options"),
        ("bandit_rl", "paper", {"explorer_options": {3: 3}}, "algorithm.explorer_options"),
        ("simultaneous", "paper", {"printed_lp": "yes"}, "algorithm.printed_lp"),
        ("simultaneous", "paper", {"time_limit": 0}, "algorithm.time_limit"),
        ("simultaneous", "paper", {"time_limit": "1s"}, "algorithm.time_limit"),
    ],
)
def test_what_does_not_fit_is_refused(
    family: str, algorithm: str, options: dict[str, object], field: str
) -> None:
    with pytest.raises(InputError) as caught:
        make_learner(family, algorithm, **options)
    assert caught.value.field == field


@pytest.mark.parametrize("family", FAMILIES)
def test_every_option_has_help_and_a_default(family: str) -> None:
    for learner in (*LEARNERS[family].values(), *EXPLORERS.values()):
        for found in options_of(learner).values():
            assert found.help
            assert found.default is not dataclasses.MISSING


def test_a_default_spelled_out_is_the_default() -> None:
    plain = make_learner("bandit_rl", "paper")
    spelled = make_learner(
        "bandit_rl", "paper", explorer="reward_free_explore", explorer_options={"unvisited_reward": 0.5}
    )
    assert changed_options(plain) == changed_options(spelled) == {}
    assert learner_options(plain) == learner_options(spelled)
    other = make_learner("bandit_rl", "paper", explorer="ucbvi", explorer_options={"bonus_scale": 2})
    assert changed_options(other) == {"explorer": "ucbvi", "explorer_options": {"bonus_scale": 2.0}}
