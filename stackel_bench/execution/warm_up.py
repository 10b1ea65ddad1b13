"""Compiles the kernels that families need once, here, so that no worker waits for a compiler."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from stackel_bench.families.registry import FAMILIES, family_of
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed


def compile_kernels(families: Collection[str] = FAMILIES) -> None:
    """Compile, or load from numba's cache on disk, what games of these families run on."""
    _compile_statistics()
    for family in families:
        family_of(family).warm_up()


def compile_side_by_side() -> None:
    """Fill numba's cache on disk for all families, one process each; for a fresh installation."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        for done in [pool.submit(compile_kernels, [family]) for family in FAMILIES]:
            done.result()


def _compile_statistics() -> None:
    held = np.array([[False, True], [True, True], [True, True]])
    mean_intervals(np.array([[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]]), 0.0, 1.0)
    binomial_interval(1, 3)
    samples_needed([10.0, 20.0], ~held, 0.05)


if __name__ == "__main__":
    compile_side_by_side()
