"""Cells of small bandit games say what any learner needs there; others, and many of them, do not."""

from __future__ import annotations

from typing import Any

import pytest

import stackel_bench as sb
from stackel_bench.families.bandit.lower_bound import characteristic_time as module
from stackel_bench.sweeps import true_values

GAME = {"leader_means": [[0.9], [0.5]], "follower_means": [[0.5], [0.5]]}


def swept(**more: Any) -> Any:
    words: dict[str, Any] = {"budget": "fixed", "samples": 400, "replicates": 2, "epsilon": 0.2, **more}
    return sb.sweep(algorithm="paper", **words).cells


def test_the_bound_is_the_characteristic_time_of_the_games_own_noise() -> None:
    """kl(delta, 1 - delta) T*, low end, with delta = .05; the ratio is that of the samples needed."""
    game = sb.load_game("bandit/explicit", **GAME)
    for noise in ("bernoulli", "gaussian"):
        (row,) = swept(game=sb.load_game("bandit/explicit", noise=noise, **GAME)).to_dict("records")
        expected = sb.characteristic_time(game, epsilon=0.2, divergence=noise).samples(0.05)
        assert row["lower_bound_samples"] == pytest.approx(expected)
        assert row["samples_over_lower_bound"] == pytest.approx(400 / expected)


def test_nothing_is_said_where_it_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = sb.load_game("bandit/explicit", noise="deterministic", **GAME)
    assert swept(game=[silent, "linear/one_hot"])["lower_bound_samples"].isna().all()
    monkeypatch.setattr(module, "LITTLE_PAIRS", 1)
    assert swept(game=sb.load_game("bandit/explicit", **GAME))["lower_bound_samples"].isna().all()


def test_a_sweep_asks_a_few_questions_only_the_first_ones_and_each_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []
    real = module.characteristic_time

    def counted(game: Any, epsilon: float, *more: Any) -> Any:
        asked.append(epsilon)
        return real(game, epsilon, *more)

    monkeypatch.setattr(module, "characteristic_time", counted)
    monkeypatch.setattr(true_values, "MOST_QUESTIONS", 2)
    game = sb.load_game("bandit/explicit", **GAME)
    cells = swept(game=game, epsilon=[0.2, 0.3, 0.4], seed=[0, 1])
    known = cells.dropna(subset="lower_bound_samples")
    assert sorted(asked) == [0.2, 0.3]
    assert sorted(known["epsilon"]) == [0.2, 0.2, 0.3, 0.3]
