"""Summaries of records: by hand on small tables, and sample complexity by its definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stackel_bench as sb
from stackel_bench.evaluation.summary import record_columns, sample_complexity, summarise
from stackel_bench.evaluation.truth import oracle_of
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import TieBreaking
from tests.replicates import decisions


def records(held: list[list[bool]]) -> pd.DataFrame:
    """held[rung][replicate]; losses are 0.1 * replicate."""
    return pd.DataFrame(
        [
            {
                "replicate": replicate,
                "rung": rung,
                "samples": 10 ** (rung + 1),
                "value_suboptimality": 0.1 * replicate,
                "follower_suboptimality": 0.01 * replicate,
                "gap": 0.5,
                "guarantee": 0.6,
                "leader_guarantee_held": ok,
                "follower_guarantee_held": True,
                "guarantee_held": ok,
                "diagnostic_policies": 3.0,
                "diagnostic_coverage": np.inf if replicate == 0 else 1.0,
            }
            for replicate in range(len(held[0]))
            for rung, ok in enumerate(row[replicate] for row in held)
        ]
    )


def test_rungs_are_summarised_in_order_and_the_last_is_the_headline() -> None:
    metrics, rungs = summarise(records([[True, False, False, False], [True, True, True, False]]), 0.3)
    assert [rung["failure_probability"] for rung in rungs] == [0.75, 0.25]
    assert [rung["samples"] for rung in rungs] == [10.0, 100.0]
    assert metrics["failure_probability"] == 0.25
    assert metrics["failure_probability_low"] < 0.25 < metrics["failure_probability_high"]
    assert metrics["leader_failure_probability"] == 0.25
    assert metrics["follower_failure_probability"] == 0.0
    assert metrics["value_suboptimality"] == pytest.approx(0.15)
    assert metrics["value_suboptimality_median"] == pytest.approx(0.15)
    assert metrics["value_suboptimality_q95"] == pytest.approx(np.quantile([0, 0.1, 0.2, 0.3], 0.95))
    assert metrics["follower_suboptimality"] == pytest.approx(0.015)
    assert (metrics["gap"], metrics["guarantee"]) == (0.5, 0.6)
    assert metrics["sample_complexity"] == 100.0
    assert metrics["diagnostic_policies"] == 3.0
    assert "diagnostic_coverage" not in metrics  # infinite: never a number in a table
    assert all(np.isfinite(value) for value in metrics.values())


def rung(samples: float, rate: float, low: float, high: float) -> dict[str, float]:
    return {
        "samples": samples,
        "failure_probability": rate,
        "failure_probability_low": low,
        "failure_probability_high": high,
    }


LADDER = [rung(1, 0.9, 0.8, 1.0), rung(4, 0.2, 0.1, 0.3), rung(16, 0.05, 0.0, 0.2), rung(64, 0.0, 0.0, 0.02)]


@pytest.mark.parametrize(
    ("delta", "value", "low", "high", "censored", "high_censored"),
    [
        (0.05, 16, 16, 64, 0, 0),
        (0.1, 16, 4, 64, 0, 0),
        (0.25, 4, 4, 16, 0, 0),
        (0.01, 64, 16, 64, 0, 1),
    ],
)
def test_sample_complexity_by_definition(
    delta: float, value: float, low: float, high: float, censored: float, high_censored: float
) -> None:
    assert sample_complexity(LADDER, delta) == {
        "sample_complexity": value,
        "sample_complexity_censored": censored,
        "sample_complexity_low": low,
        "sample_complexity_high": high,
        "sample_complexity_high_censored": high_censored,
    }


def test_sample_complexity_is_censored_where_no_rung_suffices() -> None:
    found = sample_complexity(LADDER[:2], 0.05)
    assert found["sample_complexity"] == 4
    assert found["sample_complexity_censored"] == 1.0
    assert found["sample_complexity_high_censored"] == 1.0


def test_one_rung_reports_what_it_used() -> None:
    found = sample_complexity(LADDER[:1], 0.05)
    assert found == {"sample_complexity": 1, "sample_complexity_censored": 0.0}


@given(st.lists(st.integers(0, 40), min_size=2, max_size=8), st.floats(0.01, 0.5))
def test_sample_complexity_interval_contains_it(failures: list[int], delta: float) -> None:
    from stackel_bench.evaluation.intervals import binomial_interval

    rungs = [
        rung(4.0**position, count / 40, *binomial_interval(count, 40))
        for position, count in enumerate(failures)
    ]
    found = sample_complexity(rungs, delta)
    assert found["sample_complexity_low"] <= found["sample_complexity"] <= found["sample_complexity_high"]
    below = [r for r in rungs if r["samples"] < found["sample_complexity"]]
    assert all(r["failure_probability"] > delta for r in below)


def test_columns_say_what_was_decided_and_what_it_is_worth() -> None:
    bandit, mixed = sb.load_game("bandit/trap"), sb.load_game("simultaneous/commitment")
    for game in (bandit, mixed):
        for tie in TieBreaking:
            decided = decisions(game, "paper", Budget("fixed", samples=4000), 3)[tie]
            block = Decisions.of(decided)
            columns = record_columns(block, judge_all(oracle_of(game), block, 0.1))
            assert all(values.shape == (3, 1) for values in columns.values())
            assert (columns["samples"] == 4000).all()
            for row, (decision,) in enumerate(decided):
                loss = sb.evaluate(game, decision, 0.1).value_suboptimality
                assert columns["value_suboptimality"][row, 0] == loss
                if game is mixed:
                    assert columns["strategy_0"][row, 0] + columns["strategy_1"][row, 0] == 1.0
                    assert "leader_action" not in columns
                else:
                    assert columns["leader_action"][row, 0] == decision.leader_action
