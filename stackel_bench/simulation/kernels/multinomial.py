"""Multinomial draws from many fixed rows of probabilities, by tables that are made once."""

from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.simulation.kernels.binomial import binomial


class RowTables(NamedTuple):
    """For each row of probabilities [n,K] two ways to draw from it.

    conditional [n,K]: the probability of a category if it is none of those before. accept and alias [n,K]:
    take a category uniformly and keep it with this probability, else take its alias.
    """

    conditional: np.ndarray
    accept: np.ndarray
    alias: np.ndarray


@kernel
def row_tables(probabilities: np.ndarray) -> RowTables:
    """The tables of probabilities [n,K].

    Tail sums make the last category with positive probability take exactly what is left, so nothing leaks
    into categories of probability zero.
    """
    rows, size = probabilities.shape
    conditional = np.zeros((rows, size))
    accept = np.ones((rows, size))
    alias = np.zeros((rows, size), dtype=np.int32)
    small = np.empty(size, dtype=np.int32)
    large = np.empty(size, dtype=np.int32)
    for i in range(rows):
        tail = 0.0
        for j in range(size - 1, -1, -1):
            tail += probabilities[i, j]
            if probabilities[i, j] > 0.0:
                conditional[i, j] = probabilities[i, j] / tail
        num_small = 0
        num_large = 0
        for j in range(size):
            alias[i, j] = j
            accept[i, j] = probabilities[i, j] * size / tail
            if accept[i, j] < 1.0:
                small[num_small] = j
                num_small += 1
            else:
                large[num_large] = j
                num_large += 1
        while num_small > 0 and num_large > 0:
            num_small -= 1
            low = small[num_small]
            high = large[num_large - 1]
            alias[i, low] = high
            accept[i, high] -= 1.0 - accept[i, low]
            if accept[i, high] < 1.0:
                num_large -= 1
                small[num_small] = high
                num_small += 1
        for left in range(num_small):  # rounding only: these are 1 up to a few ulps
            if probabilities[i, small[left]] > 0.0:
                accept[i, small[left]] = 1.0
            else:
                alias[i, small[left]] = np.argmax(probabilities[i])
    return RowTables(conditional, accept, alias)


@kernel
def split_row(rng: np.random.Generator, n: float, tables: RowTables, row: int, out: np.ndarray) -> None:
    """Write a Multinomial(n, row) draw to out [K]: alias draws for small n, else conditional binomials."""
    size = out.size
    out[:] = 0
    if n <= 4.0 * size:
        accept, alias = tables.accept[row], tables.alias[row]
        for _ in range(int(n)):
            x = rng.random() * size
            j = int(x)
            out[j if x - j < accept[j] else alias[j]] += 1
        return
    conditional = tables.conditional[row]
    left = n
    for j in range(size):
        k = binomial(rng, left, conditional[j])
        out[j] = int(k)
        left -= k
        if left <= 0.0:
            return


@kernel
def multinomial_rows(rng: np.random.Generator, totals: np.ndarray, tables: RowTables) -> np.ndarray:
    """Counts [n,K], one multinomial draw per row; totals int64 [n]."""
    out = np.zeros(tables.conditional.shape, dtype=np.int64)
    for i in range(totals.size):
        if totals[i] > 0:
            split_row(rng, float(totals[i]), tables, i, out[i])
    return out
