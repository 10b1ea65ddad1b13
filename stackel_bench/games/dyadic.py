"""Payoffs on a dyadic grid, where sums and comparisons of float64 are exact, so that ties are real ties."""

import numpy as np

BITS = 20


def rounded(values: np.ndarray) -> np.ndarray:
    """The nearest multiples of 2**-20."""
    return np.asarray(np.rint(np.ldexp(values, BITS)) * 2.0**-BITS)


def uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Independent draws from {0, 2**-20, ..., 1}."""
    return rng.integers(0, 2**BITS, size=shape, endpoint=True) * 2.0**-BITS


def rounded_rows(probabilities: np.ndarray) -> np.ndarray:
    """Rows (last axis) rounded to the grid; the largest entry takes what is left, so they sum to 1."""
    rows = rounded(probabilities)
    largest = np.argmax(rows, axis=-1, keepdims=True)
    left = 1 - rows.sum(axis=-1, keepdims=True)
    np.put_along_axis(rows, largest, np.take_along_axis(rows, largest, axis=-1) + left, axis=-1)
    return rows
