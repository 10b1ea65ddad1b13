"""Certificates of any decision hold on the truth, prove what is provable, refuse what they do not know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stackel_bench as sb
from stackel_bench.streams import generator

EPSILON = 0.3


def games() -> list[Any]:
    """Random and degenerate tables, and linear games."""
    found = []
    for seed in range(12):
        rng = generator("certificates", seed)
        leader, follower = rng.integers(0, 9, (2, *rng.integers(1, 5, 2))) / 8
        found.append(sb.load_game("bandit/explicit", leader_means=leader, follower_means=follower))
    sizes = {"num_leader_actions": 4, "num_follower_actions": 3, "dimension": 3}
    return found + [sb.load_game("linear/random", instance_seed=seed, **sizes) for seed in range(3)]


@pytest.mark.parametrize("tie", ["pessimistic", "optimistic"])
def test_every_statement_holds_for_any_decision(tie: str) -> None:
    """delta = 1/2: at most half of the certificates may be wrong; fewer alarms than one in 10^6 tests."""
    wrong = count = 0
    own, best = (EPSILON / 2, EPSILON) if tie == "pessimistic" else (EPSILON, 0.0)
    for number, game in enumerate(games()):
        rng = generator("any decision", number)
        low, high = (sb.leader_values(game, slack, tie) for slack in (own, best))
        result = sb.learn(game, "paper", epsilon=EPSILON, tie_breaking=tie, budget="fixed", samples=2000)
        row, response = rng.integers(len(low)), rng.integers(game.sizes["num_follower_actions"])
        for decision in (result, replace(result, leader_action=int(row), follower_response=int(response))):
            found = sb.certificate(game, decision, epsilon=EPSILON, delta=0.5, samples=4000)
            others = np.delete(high, decision.leader_action).max(initial=-np.inf)
            held = found.value_low <= low[decision.leader_action] + 1e-12
            held &= bool(high[decision.leader_action] <= found.value_high + 1e-12)
            held &= bool(others <= low[decision.leader_action] + found.gap + 1e-12)
            if found.answered:
                held &= sb.evaluate(game, decision, EPSILON).follower_suboptimality <= EPSILON
            wrong, count = wrong + (not held), count + 1
            assert found.samples <= 4000
    assert stats.binom.sf(wrong - 1, count, 0.5) > 1e-6


def test_a_right_decision_is_proven_and_a_wrong_one_never() -> None:
    game = sb.load_game("bandit/trap")
    result = sb.learn(game, "paper", epsilon=0.2)
    assert sb.certificate(game, result, epsilon=0.2).proven
    wrong = sb.certificate(game, replace(result, leader_action=0), epsilon=0.2, samples=50_000)
    assert not wrong.proven
    assert wrong.gap > 0.4
    other = sb.certificate(game, replace(result, leader_action=0), epsilon=0.2, tie_breaking="optimistic")
    assert other.proven


def test_few_samples_prove_little_and_more_prove_no_less() -> None:
    game = sb.load_game("bandit/taxation")
    result = sb.learn(game, "paper", epsilon=0.2, budget="fixed", samples=2000)
    few, many = (sb.certificate(game, result, epsilon=0.2, samples=samples) for samples in (2000, 20_000))
    assert few.gap > many.gap
    assert few.samples <= 2000 < many.samples


def test_what_cannot_be_certified_is_refused() -> None:
    game = sb.load_game("bandit/trap")
    result = sb.learn(game, epsilon=0.5)
    with pytest.raises(sb.InputError, match=r"result\.leader_action"):
        sb.certificate(game, replace(result, leader_action=7), epsilon=0.5)
    with pytest.raises(sb.InputError, match=r"result\.follower_response"):
        sb.certificate(game, replace(result, follower_response=2), epsilon=0.5)
    with pytest.raises(sb.InputError, match=r"budget\.samples"):
        sb.certificate(game, result, epsilon=0.5, samples=3)
    with pytest.raises(sb.InputError, match="a decision"):
        sb.certificate(game, 3, epsilon=0.5)  # type: ignore[arg-type]
