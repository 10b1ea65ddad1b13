"""Predictions: what they allow, and the three verdicts on an interval."""

from __future__ import annotations

import math

import pytest

from stackel_bench.claims.prediction import Prediction, combined


@pytest.mark.parametrize(
    ("data", "low", "high", "verdict"),
    [
        ({"at_most": 0.05}, 0.0, 0.04, "confirmed"),
        ({"at_most": 0.05}, 0.04, 0.06, "inconclusive"),
        ({"at_most": 0.05}, 0.051, 0.06, "refuted"),
        ({"at_least": 0.5}, 0.5, 0.6, "confirmed"),
        ({"at_least": 0.5}, 0.1, 0.49, "refuted"),
        ({"equals": -2, "tolerance": 0.2}, -2.1, -1.9, "confirmed"),
        ({"equals": -2, "tolerance": 0.2}, -2.3, -1.9, "inconclusive"),
        ({"between": [1, 2]}, 2.1, 3.0, "refuted"),
        ({"equals": 0.5}, 0.5, 0.5, "confirmed"),
    ],
)
def test_verdicts(data: dict, low: float, high: float, verdict: str) -> None:
    assert Prediction.parse(data).verdict(low, high) == verdict


def test_predictions_may_move_with_epsilon() -> None:
    moving = Prediction.parse({"equals": 0.875, "per_epsilon": -0.125, "tolerance": 1e-9})
    assert moving.at(0.4).verdict(0.825, 0.825) == "confirmed"
    assert moving.at(0.1).verdict(0.825, 0.825) == "refuted"
    assert moving.text() == "= 0.875 - 0.125 eps"


def test_room_is_the_distance_to_the_limits() -> None:
    assert Prediction(0.0, 1.0).room(0.25, 0.5) == 0.25
    assert Prediction(-math.inf, 1.0).room(0.25, 1.5) == -0.5


def test_one_refutation_refutes_all() -> None:
    assert combined(["confirmed", "inconclusive", "refuted"]) == "refuted"
    assert combined(["confirmed", "inconclusive"]) == "inconclusive"
    assert combined(["confirmed"]) == "confirmed"
    assert combined([]) == "inconclusive"


@pytest.mark.parametrize("data", [{}, {"at_most": 1, "at_least": 0}, {"between": [1]}, {"near": 1}])
def test_other_forms_are_refused(data: dict) -> None:
    with pytest.raises((KeyError, ValueError)):
        Prediction.parse(data)
