"""Verdicts and their correction for many cells, against scipy's tests and brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from stackel_bench.statistics.verdicts import clean_replicates_needed, holm, judged, verdict


def test_59_clean_replicates_support_five_percent() -> None:
    assert clean_replicates_needed(0.05) == 59
    assert verdict(0, 59, 0.05) == "holds"
    assert verdict(0, 58, 0.05) == "open"


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.1, 0.3])
def test_agrees_with_exact_tests(delta: float) -> None:
    for trials in (1, 10, 59, 60, 200):
        for failures in range(0, trials + 1, max(1, trials // 13)):
            less = binomtest(failures, trials, delta, alternative="less").pvalue <= 0.05
            greater = binomtest(failures, trials, delta, alternative="greater").pvalue <= 0.05
            if (failures, trials, delta) == (1, 1, 0.05):
                continue  # a p-value of exactly 5 %, on either side by rounding
            assert verdict(failures, trials, delta) == ("holds" if less else "fails" if greater else "open")


def test_vacuous_cells_never_hold_and_are_not_among_the_claims() -> None:
    assert verdict(0, 60, 0.05, vacuous=True) == "vacuous"
    assert verdict(0, 10, 0.05, vacuous=True) == "vacuous"
    assert verdict(60, 60, 0.05, vacuous=True) == "fails"  # by the follower's line: that one was tested
    cells = pd.DataFrame(
        {"replicates": 70, "delta": 0.05, "failure_probability": 0.0, "vacuous": [0.0, *[1.0] * 9]}
    )
    found = judged(cells)
    assert found["verdict"].tolist() == ["holds", *["vacuous"] * 9]
    assert found["verdict_adjusted"].tolist()[1:] == ["vacuous"] * 9
    assert found["failures"].tolist() == [0] * 10


def test_holm_rejects_as_its_definition_says() -> None:
    """Step down: the k-th smallest of m is rejected if all up to it are at most 0.05/(m-k+1)."""
    rng = np.random.default_rng(5)
    for _ in range(500):
        p = rng.random(rng.integers(1, 9)) ** 3
        rejected = np.zeros(len(p), dtype=bool)
        for step, index in enumerate(np.argsort(p)):
            if p[index] > 0.05 / (len(p) - step):
                break
            rejected[index] = True
        assert (holm(p) <= 0.05).tolist() == rejected.tolist()
