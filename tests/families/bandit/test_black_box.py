"""Games that are only a simulator: learning, certificates, and silence about what nobody knows."""

from __future__ import annotations

import time

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.families.learners import make_learner
from stackel_bench.families.tables.black_box import BlackBoxGame
from stackel_bench.families.tables.row_pulls import pull_block
from stackel_bench.learners.budget import LadderBudget
from stackel_bench.learners.learner import block_key

LEADER = np.array([[0.9, 0.2, 0.6], [0.5, 0.4, 0.7]])
FOLLOWER = np.array([[0.5, 0.45, 0.1], [0.3, 0.8, 0.2]])


def simulate(
    leader_action: int, follower_action: int, pulls: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Beta rewards, which no named noise has."""

    def total(mean: float) -> float:
        return float(rng.beta(4 * mean, 4 * (1 - mean), pulls).sum())

    return total(LEADER[leader_action, follower_action]), total(FOLLOWER[leader_action, follower_action])


def tables(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    shape = rng.integers(1, 5, 2)
    return rng.integers(0, 9, shape) / 8, rng.integers(0, 9, shape) / 8


def black_box_of(leader: np.ndarray, follower: np.ndarray) -> BlackBoxGame:
    def pull(a: int, b: int, pulls: int, rng: np.random.Generator) -> tuple[float, float]:
        return float(rng.binomial(pulls, leader[a, b])), float(rng.binomial(pulls, follower[a, b]))

    return BlackBoxGame(pull, *leader.shape)


def test_learns_and_says_what_it_knows() -> None:
    game = BlackBoxGame(simulate, 2, 3)
    result = sb.learn(game, epsilon=0.2, seed=1)
    found = sb.certificate(game, result, epsilon=0.2)
    assert result.leader_action == 1
    assert result.follower_response == 1
    assert found.proven
    assert found.samples < result.samples
    assert found.value_low <= 0.4 <= found.value_high
    assert str(found).endswith("samples; suboptimality unknown")


@pytest.mark.parametrize("question", ["evaluate", "leader_values", "stackelberg_value", "gap"])
def test_truth_is_unknown(question: str) -> None:
    game = BlackBoxGame(simulate, 2, 3)
    result = sb.learn(game, epsilon=0.5)
    ask = {
        "evaluate": lambda: sb.evaluate(game, result, epsilon=0.5),
        "leader_values": lambda: sb.leader_values(game),
        "stackelberg_value": lambda: sb.stackelberg_value(game),
        "gap": lambda: sb.gap(game, epsilon=0.5),
    }
    with pytest.raises(sb.InputError, match="truth is known"):
        ask[question]()


def test_rungs_are_nested_pulls_of_one_run() -> None:
    """Each rung adds new pulls to the one before, and none is pulled twice."""
    asked: list[int] = []

    def counting(a: int, b: int, pulls: int, rng: np.random.Generator) -> tuple[float, float]:
        asked.append(pulls)
        return float(pulls), 2.0 * pulls

    game = BlackBoxGame(counting, 2, 2)
    learner = make_learner("bandit", "anytime")
    plan = learner.schedule(game.sampler, LadderBudget(samples=400, rungs=3, ratio=2.0))
    found = pull_block(game.sampler, plan, 0, block_key(0, game.identity, 0))[0]
    assert plan.counts == (25, 50, 100)
    np.testing.assert_array_equal(found.leader, [[25, 25], [50, 50], [100, 100]])
    np.testing.assert_array_equal(found.follower, 2 * found.leader)
    assert sum(asked) == 200


@pytest.mark.parametrize("answer", [None, 1.0, (1.0,), (np.nan, 0.0), (1.0, "x")])
def test_wrong_answers_of_a_simulator_are_named(answer: object) -> None:
    game = BlackBoxGame(lambda a, b, pulls, rng: answer, 1, 2)
    with pytest.raises(sb.InputError, match=r"simulate\(0, 0, \d+, rng\)"):
        sb.learn(game, epsilon=0.5)


@pytest.mark.parametrize(
    "arguments",
    [
        ("no function", 1, 1),
        (simulate, 0, 1),
        (simulate, 1, 2.5),
        (simulate, 1, 1, 0.0),
        (simulate, 1, 1, np.inf),
    ],
)
def test_wrong_games_are_refused(arguments: tuple) -> None:
    with pytest.raises(sb.InputError):
        BlackBoxGame(*arguments)


def test_a_simulator_that_hangs_is_interrupted() -> None:
    def hangs(a: int, b: int, pulls: int, rng: np.random.Generator) -> tuple[float, float]:
        time.sleep(60)
        return 0.0, 0.0

    sampler = BlackBoxGame(hangs, 2, 3, call_seconds=0.05).sampler
    with pytest.raises(
        sb.InputError, match=r"^simulate\(1, 0, 7, rng\) takes longer than game.call_seconds=0.05"
    ):
        sampler.pull_row(1, [7], np.random.default_rng(0))
