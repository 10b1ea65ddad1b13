"""Prints what core sets cost in reads of the features, and sums in fixed order in library calls."""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from stackel_bench.planning.design.core_set import core_set, support_bound
from stackel_bench.planning.design.feature_products import row_means, squared_lengths
from stackel_bench.planning.design.least_squares import least_squares

CHUNK = 2_000


def textbook(features: np.ndarray, rng: np.random.Generator) -> int:
    """Support of Kumar-Yildirim + Frank-Wolfe with rank-one updates, until 2 d."""
    n, d = features.shape
    basis = np.empty((d, 0))
    chosen: list[int] = []
    for _ in range(d):
        direction = rng.standard_normal(d)
        direction -= basis @ (basis.T @ direction)
        chosen.append(int(np.abs(features @ direction).argmax()))
        basis = np.linalg.qr(features[chosen].T)[0]
    weights = np.bincount(chosen, minlength=n) / d
    inverse = np.linalg.inv((features[chosen] / d).T @ features[chosen])
    leverages = np.concatenate(
        [
            np.einsum("ij,ij->i", block @ inverse, block)
            for block in (features[start : start + CHUNK] for start in range(0, n, CHUNK))
        ]
    )
    while True:
        worst = int(leverages.argmax())
        k = leverages[worst]
        if k <= 2 * d:
            return int(np.count_nonzero(weights))
        step = (k / d - 1) / (k - 1)
        direction = inverse @ features[worst]
        share = step / (1 - step + step * k)
        leverages = (leverages - share * (features @ direction) ** 2) / (1 - step)
        inverse = (inverse - share * np.outer(direction, direction)) / (1 - step)
        weights *= 1 - step
        weights[worst] += step


def fill(family: str, n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Features [n,d], made in blocks so that the benchmark's own peak memory stays near the matrix."""
    features = np.empty((n, d))
    for start in range(0, n, 50_000):
        block = features[start : start + 50_000]
        if family == "simplex":
            block[:] = rng.dirichlet(np.ones(d), len(block))
        else:
            block[:] = rng.standard_normal(block.shape)
        if family == "sphere":
            block /= np.linalg.norm(block, axis=1, keepdims=True)
    return features


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()  # of the processor: other programs on the machine count less
    work()
    return time.process_time() - start


def row(family: str, n: int, d: int, repeats: int) -> str:
    features = fill(family, n, d, np.random.default_rng(1))
    core_set(features)  # compiles
    tracemalloc.start()
    core = core_set(features)
    extra = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    reads, ours, ratios = [], [], []
    for _ in range(repeats):
        # A read before and after, so that a change of the machine's load hits both sides of the ratio.
        first = seconds(features.sum)
        mine = seconds(lambda: core_set(features))
        read = (first + seconds(features.sum)) / 2
        reads.append(read)
        ours.append(mine)
        ratios.append(mine / read)
    start = time.process_time()
    support = textbook(features, np.random.default_rng(2))
    theirs = time.process_time() - start
    middle = statistics.median(ours)
    cells = [
        f"{n:.0e}, {d}",
        family,
        f"{middle * 1e3:.1f} ms",
        f"{len(core.indices)} ({support_bound(d)})",
        f"{core.max_leverage / core.rank:.2f}",
        f"{core.passes:.2f}",
        f"{statistics.median(reads) * 1e3:.1f} ms",
        f"{statistics.median(ratios):.1f} (best/best {min(ours) / min(reads):.1f})",
        f"{theirs / middle:.1f}x ({support})",
        f"{extra:.0f} MB",
    ]
    return "| " + " | ".join(cells) + " |"


def fixed_order_row(d: int, repeats: int) -> str:
    """Sums in fixed order beside the library's, as ratios in the same repetition."""
    rng = np.random.default_rng(3)
    rows, vectors, parameters = (
        rng.standard_normal((10**5, d)),
        rng.standard_normal((d, d)),
        rng.random((d, 2)),
    )
    points, values = rows[: 2 * d], rng.random((2 * d, 2))

    def library_lengths() -> None:
        for start in range(0, len(rows), CHUNK):
            projected = rows[start : start + CHUNK] @ vectors
            np.einsum("ij,ij->i", projected, projected)

    pairs: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (lambda: row_means(rows, *parameters.T), lambda: rows @ parameters),
        (lambda: squared_lengths(rows, vectors), library_lengths),
        (lambda: least_squares(points, values, d), lambda: np.linalg.lstsq(points, values, rcond=1e-12)),
    ]
    cells = [str(d)]
    for ours, library in pairs:
        ours()
        ratios = [seconds(ours) / seconds(library) for _ in range(repeats)]
        cells.append(f"{statistics.median(ratios):.1f}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    columns = (
        "n, d|features|core set|K (bound)|leverage/rank|passes|one read|in reads|textbook (its K)|memory"
    )
    print("|" + columns + "|")
    print("|" + "---|" * (columns.count("|") + 1))
    for family, n, d in [
        ("gaussian", 10**6, 50),
        ("sphere", 10**6, 50),
        ("simplex", 10**6, 50),
        ("gaussian", 10**6, 20),
        ("gaussian", 10**6, 5),
        ("gaussian", 10**5, 50),
        ("gaussian", 10**4, 50),
    ]:
        print(row(family, n, d, repeats), flush=True)
    print("\n| d | means of both players | squared lengths | least squares |\n|---|---|---|---|")
    for d in (5, 20, 50):
        print(fixed_order_row(d, repeats), flush=True)


if __name__ == "__main__":
    main()
