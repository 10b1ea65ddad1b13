"""The front door: values against fractions, learning by keywords, and every mistake named."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.learners import make_learner
from stackel_bench.models import TieBreaking
from tests import brute_force

TABLES = [
    "bandit/random",
    "bandit/correlated",
    "bandit/lower_bound",
    "bandit/trap",
    "bandit/gap",
    "bandit/hard_pair",
    "bandit/zero_sum",
    "bandit/cooperative",
    "bandit/taxation",
]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("tie", TieBreaking)
def test_values_and_gaps_of_named_bandit_games(name: str, tie: TieBreaking) -> None:
    """Against fractions, with slack 1e-9 beyond epsilon where decimal payoffs are not exact."""
    game = sb.load_game(name)
    assert isinstance(game, BanditGame)
    leader, follower = game.table.leader_means, game.table.follower_means
    optimistic = tie is TieBreaking.OPTIMISTIC
    for slack in (0.0, 0.0625, 0.1):
        expected = brute_force.leader_values(leader, follower, slack + 1e-9, optimistic)
        assert sb.leader_values(game, slack, tie) == pytest.approx([float(v) for v in expected], abs=1e-15)
        best = sb.stackelberg_value(game, slack, tie)
        assert best == pytest.approx(float(max(expected)), abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.3])
def test_gaps_of_zero_sum_and_cooperative_games(epsilon: float) -> None:
    for seed in range(20):
        zero_sum = sb.load_game("bandit/zero_sum", instance_seed=seed)
        assert sb.gap(zero_sum, epsilon) == pytest.approx(0.0, abs=1e-8)
        cooperative = sb.load_game("bandit/cooperative", instance_seed=seed)
        assert 0.0 <= sb.gap(cooperative, epsilon) <= epsilon + 1e-8


def test_leader_values_are_the_callers_own() -> None:
    game = sb.load_game("bandit/trap")
    sb.leader_values(game)[:] = 7
    assert sb.leader_values(game).max() == 0.5


FAMILIES: dict[str, dict[str, Any]] = {
    "bandit/trap": {},
    "bandit_rl/random": {"num_states": 2, "horizon": 2},
    "linear/random": {},
    "simultaneous/commitment": {},
}


@pytest.mark.parametrize("name", FAMILIES)
def test_learning_is_reproducible_and_seeds_matter(name: str) -> None:
    game = sb.load_game(name, **FAMILIES[name])
    arguments: dict[str, Any] = {"epsilon": 0.3, "budget": "fixed", "samples": 500}
    results = [sb.learn(game, seed=seed, **arguments).estimated_value for seed in (0, 0, 1, 2, 3)]
    assert results[0] == results[1]
    assert len(set(results)) > 1
    result = sb.learn(game, seed=0, **arguments)
    assert result.samples <= 500
    verdict = sb.evaluate(game, result, 0.3)
    assert verdict.value_suboptimality >= -1e-9


@pytest.mark.parametrize("name", FAMILIES)
def test_defaults_are_the_papers_algorithm_at_its_budget(name: str) -> None:
    game = sb.load_game(name, **FAMILIES[name])
    for tie in TieBreaking:
        result = sb.learn(game, epsilon=0.5, tie_breaking=tie)
        assert result.tie_breaking is tie
        assert sb.evaluate(game, result, 0.5).guarantee_held


def test_options_are_keywords() -> None:
    lock = sb.load_game("bandit_rl/random", num_states=2, horizon=2)
    result = sb.learn(lock, epsilon=0.5, budget="fixed", samples=4000, explorer="rf_ucrl")
    assert result.diagnostics["certificate"] > 0
    game = sb.load_game("simultaneous/indifference")
    printed = [
        sb.learn(game, epsilon=0.1, tie_breaking="optimistic", printed_lp=lp, seed=seed).estimated_value
        for seed in range(5)
        for lp in (True, False)
    ]
    assert printed[::2] != printed[1::2]


LOAD: list[tuple[str, dict[str, Any], str]] = [
    ("bandit/trapp", {}, "game"),
    ("bandid/trap", {}, "game"),
    ("bandit/random", {"num_leader_actions": 0}, "num_leader_actions"),
    ("bandit/random", {"num_follower_actions": 0}, "num_follower_actions"),
    ("bandit/random", {"num_rows": 3}, "game.num_rows"),
    ("bandit/random", {"noise": "normal"}, "noise"),
    ("bandit/random", {"noise_scale": 0.0}, "noise_scale"),
    ("bandit/random", {"noise": "gaussian", "noise_scale": float("nan")}, "noise_scale"),
    ("bandit/explicit", {"leader_means": [[1.5]], "follower_means": [[0]]}, "leader_means[0,0]"),
    ("bandit/explicit", {"leader_means": [[1]], "follower_means": [[-0.1]]}, "follower_means[0,0]"),
    ("bandit/explicit", {"leader_means": [[1, 0], [1]], "follower_means": [[0]]}, "leader_means"),
    ("bandit/explicit", {"leader_means": [[float("nan")]], "follower_means": [[0]]}, "leader_means[0,0]"),
    ("bandit/explicit", {"leader_means": [[1, 0]], "follower_means": [[0]]}, "follower_means.shape"),
    ("bandit_rl/random", {"horizon": 0}, "horizon"),
    ("bandit_rl/random", {"num_states": 0}, "num_states"),
    ("bandit_rl/random", {"num_follower_actions": 0}, "num_follower_actions"),
    ("linear/random", {"dimension": 10_000}, "dimension"),
]


@pytest.mark.parametrize(("name", "parameters", "field"), LOAD)
def test_games_that_cannot_be_loaded(name: str, parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        sb.load_game(name, **parameters)
    assert caught.value.field == field


@pytest.mark.parametrize("name", [3, None, ["bandit/trap"]])
def test_a_game_is_named_by_text(name: Any) -> None:
    with pytest.raises(InputError, match=r"^game: found"):
        sb.load_game(name)


LEARN: list[tuple[dict[str, Any], str]] = [
    ({"epsilon": -0.1}, "budget.epsilon"),
    ({"epsilon": float("inf")}, "budget.epsilon"),
    ({"epsilon": 0.1, "delta": 0.0}, "budget.delta"),
    ({"epsilon": 0.1, "delta": 1.0}, "budget.delta"),
    ({"epsilon": 0.1, "budget": "large"}, "budget"),
    ({"epsilon": 0.1, "budget": "ladders"}, "budget"),
    ({"epsilon": 0.1, "budget": "fixed", "samples": 2**53 + 1}, "budget.samples"),
    ({"epsilon": 0.1, "budget": "fixed", "samples": 9}, "budget.samples"),
    ({"epsilon": 0.1, "samples": 100_000}, "budget.samples"),
    ({"epsilon": 0.1, "budget": "fixed", "samples": 100_000, "scale": 0.5}, "budget.scale"),
    ({"epsilon": 1e-9}, "samples of the budget"),
    ({"epsilon": 0.1, "budget": "scaled", "scale": 1e14}, "samples of the budget"),
    ({"epsilon": 0.1, "seed": -1}, "seed"),
    ({"epsilon": 0.1, "seed": 0.5}, "seed"),
    ({"epsilon": 0.1, "replicates": 10**400}, "replicates"),
    ({"epsilon": 10**400}, "budget.epsilon"),
    ({"epsilon": 0.1, "tie_breaking": "random"}, "tie_breaking"),
    ({"epsilon": 0.1, "algorithm": "papper"}, "algorithm"),
    ({"epsilon": 0.1, "explorer": "rf_ucrl"}, "algorithm.explorer"),
]


@pytest.mark.parametrize(("arguments", "field"), LEARN)
def test_mistakes_in_learn(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        sb.learn(sb.load_game("bandit/trap"), **arguments)
    assert caught.value.field == field
    assert any(words in str(caught.value) for words in ("allowed: ", "has no effect: ", "unknown "))


@pytest.mark.parametrize("not_a_game", [None, "bandit/trap", 3])
def test_what_is_no_game_is_named(not_a_game: Any) -> None:
    asks = (sb.leader_values, sb.stackelberg_value, lambda game: sb.learn(game, epsilon=0.1))
    for ask in (*asks, lambda game: sb.gap(game, 0.1), lambda game: sb.evaluate(game, None, 0.1)):
        with pytest.raises(InputError, match=r"^game: found '(NoneType|str|int)'"):
            ask(not_a_game)
    with pytest.raises(InputError, match=r"^result: found 'int', allowed: a decision"):
        sb.evaluate(sb.load_game("bandit/trap"), 3, 0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("slack", [-0.1, float("nan"), float("inf"), None, "0"])
def test_mistakes_in_questions_about_values(slack: Any) -> None:
    game = sb.load_game("bandit/trap")
    for ask in (sb.leader_values, sb.stackelberg_value):
        with pytest.raises(InputError, match=r"^slack: found"):
            ask(game, slack=slack)
    with pytest.raises(InputError, match=r"^epsilon: found"):
        sb.gap(game, epsilon=slack)
    with pytest.raises(InputError, match=r"^unknown tie_breaking 'x'; choose one of"):
        sb.gap(game, 0.1, "x")


@pytest.mark.parametrize(
    ("function", "word", "meant"),
    [
        (sb.learn, "algoritm", "algorithm"),
        (sb.learn, "sample", "samples"),
        (sb.sweep, "algoritm", "algorithm"),
        (sb.sweep, "epsilo", "epsilon"),
    ],
)
def test_a_misspelt_keyword_is_answered_with_the_one_that_exists(
    function: Any, word: str, meant: str
) -> None:
    with pytest.raises(InputError, match=rf"\(did you mean {meant}\?\)"):
        function(game=sb.load_game("bandit/trap"), **{"epsilon": 0.1, word: 1})


def test_a_misspelt_public_name_is_answered_with_the_one_that_exists() -> None:
    with pytest.raises(AttributeError, match=r"\(did you mean stackelberg_value\?\)"):
        _ = sb.stakelberg_value  # type: ignore[attr-defined]


def test_simultaneous_games_have_no_list_of_leader_values() -> None:
    with pytest.raises(InputError, match=r"^game: found 'simultaneous/commitment'"):
        sb.leader_values(sb.load_game("simultaneous/commitment"))


def test_a_gap_that_near_ties_leave_open_is_no_silent_number() -> None:
    """Whether response 0 ties is open, so the gap is 0 or 0.07; sb.gap used to return 0.07 without a word."""
    leader = [[0.38201689941940986, 0.4251771273663627], [0.8162498580807743, 0.3562051574027112]]
    follower = [[0.49999999, 0.500001], [0.49999999, 0.49999999]]
    game = sb.load_game("simultaneous/explicit", leader_means=leader, follower_means=follower)
    with pytest.warns(UserWarning, match=r"the gap is only known to lie in \[") as caught:
        found = sb.gap(game, 1e-9, "optimistic")
    assert f", {found:g}]" in str(caught[0].message)
    assert sb.gap(game, 0.1, "pessimistic") >= 0  # finished: no warning, which would be an error here


def test_decisions_that_do_not_belong_to_the_game() -> None:
    bandit, mixed = sb.load_game("bandit/trap"), sb.load_game("simultaneous/commitment")
    row = sb.learn(bandit, epsilon=0.5)
    strategy = sb.learn(mixed, epsilon=0.5)
    for action in (-1, 5, 17, None, 0.0):
        with pytest.raises(InputError, match=r"^result\.leader_action: found"):
            sb.evaluate(bandit, dataclasses.replace(row, leader_action=action), 0.5)
    with pytest.raises(InputError, match=r"^result\.leader_action: found None"):
        sb.evaluate(bandit, strategy, 0.5)
    with pytest.raises(InputError, match=r"^result\.leader_strategy: found None"):
        sb.evaluate(mixed, row, 0.5)
    for weights in ([0.5, 0.6], [1.5, -0.5], [0.2, 0.3, 0.5], [np.nan, 1.0]):
        with pytest.raises(InputError, match="strategy"):
            sb.evaluate(mixed, dataclasses.replace(strategy, leader_strategy=np.array(weights)), 0.5)


def test_learner_objects_have_their_own_options() -> None:
    game = sb.load_game("bandit/trap")
    by_name = sb.learn(game, "paper", epsilon=0.2, seed=3)
    by_object = sb.learn(game, make_learner("bandit", "paper"), epsilon=0.2, seed=3)
    assert repr(by_name) == repr(by_object)
    with pytest.raises(InputError, match="slack has no effect: learner objects have their own options"):
        sb.learn(game, make_learner("bandit", "paper"), epsilon=0.2, slack=0.1)
    with pytest.raises(InputError, match=r"or an object: Paper\(\)$"):
        sb.learn(game, type(make_learner("bandit", "paper")), epsilon=0.2)  # type: ignore[arg-type]
