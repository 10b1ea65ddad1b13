"""Coverage, bias, width and cost of the package's statistics, by simulation beside what they replaced."""

from __future__ import annotations

import itertools
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # curves and cells live in tests
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported

import numpy as np
from scipy import stats

from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed
from stackel_bench.statistics.crossing_likelihood import Ladder
from stackel_bench.statistics.exponents import needed_exponent
from tests.statistics.curves import DELTA, SHAPED, SMOOTH, independent, ladder, nested, power_law_cells
from tests.statistics.unions import SHAPES, true_exponent, union_cells

Limits = tuple[np.ndarray, np.ndarray]
CELLS = 1200
SWEEPS = 100
UNION_SWEEPS = 40
LADDERS = ((5, 0.1, 100), (5, 0.05, 3000), (8, 0.05, 300), (12, 0.05, 100), (12, 0.1, 3000))


def bootstrap(values: np.ndarray) -> Limits:
    """The percentile bootstrap of each column, 1000 resamples."""
    rng = np.random.default_rng(0)
    rows = rng.integers(len(values), size=(1000, len(values)))
    means = np.stack([column[rows].mean(axis=1) for column in values.T])
    low, high = np.quantile(means, [0.025, 0.975], axis=1)
    return low, high


def betting(values: np.ndarray) -> Limits:
    """Hedged capital (Waudby-Smith and Ramdas 2024) for a fixed number of values, on a grid of 1000 means."""
    count = len(values)
    steps = np.arange(1, count + 1)[:, None]
    means = (0.5 + np.cumsum(values, axis=0)) / (steps + 1)
    variances = (0.25 + np.cumsum((values - means) ** 2, axis=0)) / (steps + 1)
    before = np.vstack([np.full((1, values.shape[1]), 0.25), variances[:-1]])
    bets = np.sqrt(2 * math.log(2 / 0.05) / (count * before))
    grid = (np.arange(1000) + 0.5) / 1000
    low, high = np.empty(values.shape[1]), np.empty(values.shape[1])
    for column in range(values.shape[1]):
        x, bet = values[:, column, None] - grid, bets[:, column, None]
        up = np.log1p(np.minimum(bet, 0.5 / grid) * x).sum(axis=0)
        down = np.log1p(-np.minimum(bet, 0.5 / (1 - grid)) * x).sum(axis=0)
        kept = grid[np.maximum(up, down) < math.log(2 / 0.05)]
        low[column], high[column] = kept[0] - 0.0005, kept[-1] + 0.0005
    return low, high


def mean_table() -> None:
    laws: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
        "0.001 · 1": lambda rng, shape: 1.0 * (rng.random(shape) < 0.001),
        "0.02 · 1": lambda rng, shape: 1.0 * (rng.random(shape) < 0.02),
        "0.02 · U²": lambda rng, shape: (rng.random(shape) < 0.02) * rng.random(shape) ** 2,
        "0.3 · 1": lambda rng, shape: 1.0 * (rng.random(shape) < 0.3),
        "0.3 · U²": lambda rng, shape: (rng.random(shape) < 0.3) * rng.random(shape) ** 2,
        "U": lambda rng, shape: rng.random(shape),
    }
    truths = (0.001, 0.02, 0.02 / 3, 0.3, 0.1, 0.5)
    print("| losses in [0, 1] | n | Gaffke | betting | bootstrap | betting width | bootstrap width |")
    print("|---|---|---|---|---|---|---|")
    for (name, draw), truth in zip(laws.items(), truths, strict=True):
        for count in (20, 60, 400, 1000):
            values = draw(np.random.default_rng(count), (count, 200))
            found = [method(values) for method in (lambda v: mean_intervals(v, 0, 1), betting, bootstrap)]
            covered = [((low <= truth) & (truth <= high)).mean() for low, high in found]
            widths = [(high - low).mean() for low, high in found]
            print(
                f"| {name} | {count} | {covered[0]:.3f} | {covered[1]:.3f} | {covered[2]:.3f} | "
                f"{widths[1] / widths[0]:.2f}x | {widths[2] / widths[0]:.2f}x |",
                flush=True,
            )
    values = np.random.default_rng(1).random((400, 16)) ** 3
    print(f"\n16 intervals of 400 different values: {cpu_ms(lambda: mean_intervals(values, 0, 1)):.1f} ms.\n")


def enumerated_laws() -> None:
    """The largest miss of the upper limit at level 10 %, over random laws on three and four points."""
    rng = np.random.default_rng(0)
    worst, laws = 0.0, 0
    for count in (2, 3, 4, 6, 8):
        for points_number in (3, 4):
            samples = np.array(list(itertools.combinations_with_replacement(range(points_number), count)))
            counts = np.stack([np.bincount(s, minlength=points_number) for s in samples])
            for _ in range(60):
                points = np.sort(rng.random(points_number) ** rng.choice([0.2, 1.0, 5.0]))
                _, high = mean_intervals(points[samples].T, 0, 1, confidence=0.8)
                for _ in range(50):
                    law = rng.dirichlet(np.full(points_number, rng.choice([0.2, 1.0])))
                    missed = high < (law * points).sum() - 1e-9
                    worst = max(worst, stats.multinomial.pmf(counts, count, law)[missed].sum())
                    laws += 1
    print(f"The upper limit at level 10 % misses at most with probability {worst:.4f} ({laws} laws).\n")


def needed_table() -> None:
    print("| curve | R | dependence | covered | median/true | mean/true | width, rungs | open above |")
    print("|---|---|---|---|---|---|---|---|")
    for curve in (*SMOOTH, *SHAPED):
        for replicates, draw in itertools.product((60, 200, 400), (independent, nested)):
            rng = np.random.default_rng(replicates)
            covered, estimates, widths = 0, [], []
            truth = math.exp(curve.crossing)
            for _ in range(CELLS):
                budgets = ladder(2, rng.random())
                needed = samples_needed(np.exp(budgets), draw(rng, curve, budgets, replicates), DELTA)
                covered += not (needed.low > truth or needed.high < truth)
                estimates.append(needed.estimate / truth)
                widths.append(math.log2(needed.high / needed.low))
            closed = np.isfinite(widths)
            width = f"{np.mean(np.array(widths)[closed]):.1f}" if closed.any() else "–"
            print(
                f"| {curve} | {replicates} | {draw.__name__} | {covered / CELLS:.3f} | "
                f"{np.median(estimates):.2f} | {np.mean(estimates):.2f} | {width} | "
                f"{1 - closed.mean():.2f} |",
                flush=True,
            )
    budgets = ladder(2, 0.3)
    failed = independent(np.random.default_rng(0), SMOOTH[1], budgets, 400)
    took = cpu_ms(lambda: samples_needed(np.exp(budgets), failed, DELTA))
    print(f"\nOne call with 400 replicates and 8 rungs: {took:.2f} ms.\n")


def exponent_table() -> None:
    worlds: dict[str, dict] = {
        "exact power law": {},
        "the same, nested rungs": {"nested": True},
        "spread 0.3": {"spread": 0.3},
        "spread 0.4, 4 instances each": {"spread": 0.4, "instances": 4},
        "curves steepen as x^0.15": {"steeper": 0.15},
    }
    print("| samples needed | sizes | covered | mean | median width | useful | CPU ms |")
    print("|---|---|---|---|---|---|---|")
    for (name, world), sizes in itertools.product(
        worlds.items(), ((2.0, 4.0, 8.0), (2.0, 4.0, 8.0, 16.0, 32.0))
    ):
        rng = np.random.default_rng(1)
        start = time.process_time()
        laws = [needed_exponent(power_law_cells(rng, sizes=sizes, **world), DELTA) for _ in range(SWEEPS)]
        took = (time.process_time() - start) / SWEEPS * 1000
        found = [law for law in laws if law is not None]
        covered = sum(law.low <= 1 <= law.high for law in found) / len(found)
        width = np.median([law.high - law.low for law in found])
        useful = np.mean([law.useful for law in found])
        mean = np.mean([law.exponent for law in found])
        print(
            f"| {name} | {len(sizes)} | {covered:.2f} | {mean:.2f} | {width:.2f} | "
            f"{useful:.2f} | {took:.0f} |",
            flush=True,
        )


def union_table(worlds: list[tuple[str, bool]], compared: bool) -> None:
    """Errors of exponents, rungs weighted by their distance from the crossing; compared: and unweighted."""
    columns = "| bias | +- | covered | width |"
    print(f"| failures | rungs | level | runs {columns}{columns[1:] if compared else ''}")
    print("|---" * (12 if compared else 8) + "|")
    for (name, is_nested), (rungs, level, runs) in itertools.product(worlds, LADDERS):
        shape, rng = SHAPES[name], np.random.default_rng(1)
        truth = true_exponent(shape, level)
        sweeps = [
            union_cells(
                rng, shape, level, rungs=rungs, runs=runs, above=rng.uniform(0.3, 0.7), nested=is_nested
            )
            for _ in range(UNION_SWEEPS)
        ]
        found = _errors(sweeps, level, truth)
        if compared:
            with patch(
                "stackel_bench.statistics.exponents.nearness", lambda cell, _: np.ones_like(cell.samples)
            ):
                found += _errors(sweeps, level, truth)
        dependence = ", nested rungs" if is_nested else ""
        print(f"| {name}{dependence} | {rungs} | {level:g} | {runs} | {' | '.join(found)} |", flush=True)


def _errors(sweeps: list[list[Ladder]], level: float, truth: float) -> tuple[str, ...]:
    """Bias, its standard error, the share that is covered and the median width."""
    laws = [law for law in (needed_exponent(sweep, level) for sweep in sweeps) if law is not None]
    errors = np.array([law.exponent - truth for law in laws])
    covered = np.mean([law.low <= truth <= law.high for law in laws])
    width = np.median([law.high - law.low for law in laws])
    error = errors.std(ddof=1) / math.sqrt(len(errors))
    return f"{errors.mean():+.3f}", f"{error:.3f}", f"{covered:.3f}", f"{width:.3f}"


def cpu_ms(call: Callable[[], object]) -> float:
    call()
    start = time.process_time()
    for _ in range(20):
        call()
    return (time.process_time() - start) / 20 * 1000


if __name__ == "__main__":
    mean_table()
    enumerated_laws()
    needed_table()
    exponent_table()
    first, *others = SHAPES
    union_table([(first, False)], compared=True)
    union_table([(first, True), *((name, False) for name in others)], compared=False)
