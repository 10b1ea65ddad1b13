"""Feature matrices of many kinds, and their coordinates in the space that they span."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Family = Callable[[np.random.Generator, int, int], np.ndarray]


def _rare_direction(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    features = rng.standard_normal((n, d))
    features[:, -1] = 0
    features[rng.integers(n), -1] = 10.0 ** -rng.integers(0, 6)
    return features @ np.linalg.qr(rng.standard_normal((d, d)))[0]


def _scaled_columns(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-60, 60, d)


def _low_rank(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((n, (d + 1) // 2)) @ rng.standard_normal(((d + 1) // 2, d))


def _one_large_row(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    features = rng.standard_normal((n, d))
    features[rng.integers(n)] *= 1e6
    return features


FAMILIES: dict[str, Family] = {
    "gaussian": lambda rng, n, d: rng.standard_normal((n, d)),
    "sphere": lambda rng, n, d: (lambda x: x / np.linalg.norm(x, axis=1, keepdims=True))(
        rng.standard_normal((n, d))
    ),
    "simplex": lambda rng, n, d: rng.dirichlet(np.ones(d), n),
    "one_hot": lambda rng, n, d: np.eye(d)[rng.integers(d, size=n)],
    "signs": lambda rng, n, d: rng.choice([-1.0, 1.0], (n, d)),
    "low_rank": _low_rank,
    "heavy_tails": lambda rng, n, d: rng.standard_cauchy((n, d)),
    "duplicates": lambda rng, n, d: rng.standard_normal((d + 1, d))[rng.integers(d + 1, size=n)],
    "correlated": lambda rng, n, d: rng.standard_normal((n, d)) @ rng.standard_normal((d, d)),
    "polynomial": lambda rng, n, d: rng.random((n, 1)) ** np.arange(min(d, 4)),
    "zero_rows": lambda rng, n, d: rng.standard_normal((n, d)) * (rng.random((n, 1)) < 0.1) + 0.0,
    "rare_direction": _rare_direction,
    "scaled_columns": _scaled_columns,
    "one_large_row": _one_large_row,
}


def span_coordinates(features: np.ndarray) -> np.ndarray:
    """Rows in an orthonormal basis of the column space [n,r]: leverages do not depend on the basis."""
    sizes = np.abs(features).max(axis=0)
    left, singular, _ = np.linalg.svd(features / np.where(sizes > 0, sizes, 1), full_matrices=False)
    return left[:, singular > 1e-12 * singular[0]]
