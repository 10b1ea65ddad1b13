"""A guarantee names wrong learners that it would have caught, and confirms nothing where it catches none."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from stackel_bench.claims.cell_statistics import failure_rate
from stackel_bench.claims.claim import GUARANTEE, claim_names, load_claim, parse_claim
from stackel_bench.claims.claims_plan import plan_claims
from stackel_bench.claims.evidence import CellEvidence, Measured, distinct_game_names
from stackel_bench.claims.prediction import Prediction
from stackel_bench.claims.verdict import power_of
from stackel_bench.errors import InputError
from tests.claims.good_claim import GOOD
from tests.claims.synthetic import cell

AT_MOST = Prediction(-math.inf, 0.05)


def judge(cells: list[CellEvidence]) -> Measured:
    return failure_rate(cells, AT_MOST, 1e-4)


def runs(failures: int, trials: int = 300) -> CellEvidence:
    return cell(np.arange(trials) < failures, settings={"failures": float(failures)})


def test_what_fails_is_caught_and_what_does_not_is_named() -> None:
    power = power_of({"wild": [runs(200), runs(0)], "tame": [runs(0), runs(1)]}, judge)
    assert power.caught == ("wild: fails at rate 0.67 in 1 of 2 cells",)
    assert power.missed == ("tame (rate at most 0.0033)",)
    assert power.covered == (True, False)


def test_a_cell_without_power_confirms_nothing_and_a_refutation_stays() -> None:
    right = [runs(0), runs(0)]
    weak = power_of({"wild": [runs(200), runs(0)]}, judge)
    found = weak.judged(judge(right), ["trap", "gap"])
    assert found.verdict == "inconclusive"
    assert found.note.endswith("nothing tried fails on gap")
    strong = power_of({"wild": [runs(200), runs(0)], "other": [runs(0), runs(200)]}, judge)
    assert strong.judged(judge(right), ["trap", "gap"]).verdict == "confirmed"
    broken = [runs(0), runs(200)]
    assert weak.judged(judge(broken), ["trap", "gap"]).verdict == "refuted"


@pytest.mark.parametrize("wrong", [None, {}, {"nobody": {}}, ["plug_in"]])
def test_a_guarantee_that_would_catch_nothing_is_refused(wrong: object) -> None:
    data = copy.deepcopy(GOOD)
    row = data["measurements"]["one"]  # type: ignore[index]
    row["would_catch"] = wrong
    if wrong is None:
        del row["would_catch"]
    with pytest.raises(InputError, match="would_catch"):
        parse_claim("x", data)


def test_other_rows_have_no_power_to_show() -> None:
    data = copy.deepcopy(GOOD)
    data["measurements"]["one"]["prediction"] = {"at_least": 0.3}  # type: ignore[index]
    with pytest.raises(InputError, match="only rows that promise rare failures"):
        parse_claim("x", data)


def test_the_papers_table_has_enough_guarantees_and_each_cell_its_wrong_learners() -> None:
    claims = {name: load_claim(name) for name in claim_names()}
    keys = [(c.name, m.name) for c in claims.values() for m in c.measurements if m.role == GUARANTEE]
    assert len(keys) >= 15
    some = ["simultaneous-optimistic", "erratum-01-printed-lp", "erratum-21-containment"]
    planned = plan_claims([claims[name] for name in some], "quick", ["replicates=5"])
    for key in [key for key in keys if key[0] in some]:
        own = planned.subjects[key].own
        for name, wrong in planned.subjects[key].wrong.items():
            assert len(wrong) == len(own)
            assert not set(wrong) & set(own), f"{key}: {name} is what it should catch"


def test_draws_that_promise_rare_failures_have_power_too() -> None:
    """The sandwich of the theorem, at its pulls and at a thousandth of them."""
    row = next(m for m in load_claim("nested-bandit").measurements if m.name == "sandwich")
    planned = plan_claims([load_claim("nested-bandit")], "quick", ["replicates=5"])
    subjects = planned.subjects["nested-bandit", "sandwich"]
    assert row.role == GUARANTEE
    assert row.measure(subjects.own).verdict == "confirmed"
    power = power_of(subjects.wrong, row.measure)
    assert all(power.covered)
    assert len(power.caught) == 2


def test_games_of_one_name_are_told_apart_by_their_settings() -> None:
    trap = {"game": {"name": "bandit/trap", "lead": 0.0, "num_risky": 4}, "budget": {"epsilon": 0.1}}
    other = {"game": {"name": "bandit/trap", "lead": 0.05, "num_risky": 4}, "budget": {"epsilon": 0.1}}
    gap = {"game": {"name": "bandit/gap"}, "budget": {"epsilon": 0.1}}
    assert distinct_game_names([trap, gap]) == ["trap", "gap"]
    assert distinct_game_names([trap, other, gap]) == ["trap lead=0.0", "trap lead=0.05", "gap"]
