"""The two bars of samples needed, through the code that makes a cell's headline numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import binom

from stackel_bench.evaluation.summary import summarise
from stackel_bench.results.numbers import needed
from tests.reporting.fixture_sweeps import make_records
from tests.statistics.real_cells import lies_inside, pairs


def test_ten_times_the_replicates_lie_inside_the_interval() -> None:
    """At exactly 9 of 10 a tie-breaking's count falls below its limit with probability 0.1 %.

    Cells are independent, the two tie-breakings of one are not. benchmarks/coverage.py has more.
    """
    inside: Counter[object] = Counter()
    trials = 0
    for game, algorithm, replicates, cells in (
        ("bandit/trap", "paper", 200, 10),
        ("bandit/trap", "plug_in", 200, 8),
        ("bandit/random", "paper", 100, 4),
    ):
        for pair in pairs(game, algorithm, replicates, cells):
            trials += 1
            inside.update(tie for tie, (small, large) in pair.items() if lies_inside(small, large))
    assert len(inside) == 2
    assert min(inside.values()) >= binom.ppf(0.001, trials, 0.9)


def test_too_many_failures_at_the_largest_budget_never_look_like_a_number() -> None:
    """400 random tables: where scipy's falling fit ends above delta, the number is censored and says so."""
    rng = np.random.default_rng(0)
    seen: Counter[bool] = Counter()
    for _ in range(400):
        trials, rungs = int(rng.integers(1, 60)), int(rng.integers(2, 7))
        delta = float(rng.choice([0.01, 0.05, 0.2, 0.5]))
        failures = rng.binomial(trials, rng.beta(0.3, 1.5, rungs))
        budgets = np.cumsum(rng.integers(1, 100, rungs))
        metrics, _ = summarise(make_records(failures, trials, samples=budgets), delta)
        too_many = isotonic_regression(failures / trials, increasing=False).x[-1] > delta + 1e-12
        seen[bool(too_many)] += 1
        if too_many:
            assert metrics["censored"] == 1
        if metrics["censored"] == 1:
            assert metrics["sample_complexity"] == budgets[-1]
            assert "samples_needed_high" not in metrics
            assert needed({"budget": "ladder", **metrics}).startswith(">")
        else:
            assert failures[-1] / trials <= delta
    assert min(seen.values()) > 50
