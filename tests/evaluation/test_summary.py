"""Summaries of records: by hand on small tables, and sample complexity by its definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import stackel_bench as sb
from stackel_bench.evaluation.summary import record_columns, summarise
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.families.oracles import oracle_of
from stackel_bench.learners.budget import FixedBudget
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
                "largest_loss": 100.0,
                "loss_guarantee_held": ok,
                "follower_guarantee_held": True,
                "guarantee_held": ok,
                "vacuous": False,
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
    assert metrics["loss_failure_probability"] == 0.25
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


@pytest.mark.parametrize(("replicates", "clean"), [(50, False), (400, True)])
def test_samples_needed_is_the_budget_from_which_on_failures_stay_rare(replicates: int, clean: bool) -> None:
    """Failing 40 %, 1 %, 20 %, 0, 0: the lucky second budget counts for nothing."""
    rates = (0.4, 0.01, 0.2, 0.0, 0.0)
    held = [[r >= round(rate * replicates) for r in range(replicates)] for rate in rates]
    metrics, _ = summarise(records(held), 0.05)
    assert 10**3 <= metrics["sample_complexity"] <= 10**4
    assert (metrics["censored"], metrics["at_most"]) == (0.0, 0.0)
    assert metrics["samples_needed_low"] <= metrics["sample_complexity"]
    assert ("samples_needed_high" in metrics) == clean  # 50 clean replicates cannot show 5 %


def test_samples_needed_is_censored_where_the_largest_budget_fails() -> None:
    metrics, _ = summarise(records([[False] * 40, [True] * 40, [False] * 10 + [True] * 30]), 0.05)
    assert metrics["sample_complexity"] == 1000.0
    assert metrics["censored"] == 1.0
    assert "samples_needed_high" not in metrics


def test_at_most_where_the_smallest_budget_never_fails() -> None:
    metrics, _ = summarise(records([[True] * 100, [True] * 100]), 0.05)
    assert (metrics["sample_complexity"], metrics["at_most"], metrics["censored"]) == (10.0, 1.0, 0.0)


def test_one_rung_reports_what_it_used() -> None:
    metrics, _ = summarise(records([[True] * 10]), 0.05)
    assert (metrics["sample_complexity"], metrics["censored"]) == (10.0, 0.0)
    assert not {"samples_median", "samples_needed_low", "at_most"} & metrics.keys()
    stopped = records([[True] * 10]).assign(samples=[10, 20, 30, 40, 50, 60, 70, 80, 90, 1000])
    metrics, _ = summarise(stopped, 0.05)
    assert metrics["sample_complexity"] == 145.0
    assert metrics["samples_median"] == 55.0
    assert 90 <= metrics["samples_q90"] <= 1000


def test_intervals_of_rare_losses_cover_the_mean() -> None:
    """Two failures of 0.5 in 60 replicates: the interval reaches far above their mean, and never below 0."""
    table = records([[True] * 60]).assign(value_suboptimality=[0.5, 0.5] + [0.0] * 58, largest_loss=0.5)
    metrics, _ = summarise(table, 0.05)
    assert 0 <= metrics["value_suboptimality_low"] < 0.5 * 2 / 60 < metrics["value_suboptimality_high"]
    assert metrics["value_suboptimality_high"] > 0.5 * 0.10  # Clopper-Pearson of 2/60 ends at 0.115


def test_columns_say_what_was_decided_and_what_it_is_worth() -> None:
    bandit, mixed = sb.load_game("bandit/trap"), sb.load_game("simultaneous/commitment")
    for game in (bandit, mixed):
        for tie in TieBreaking:
            decided = decisions(game, "paper", FixedBudget(samples=4000), 3)[tie]
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
