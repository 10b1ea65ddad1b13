"""A near-optimal design by textbook Frank-Wolfe on all rows: slow, but the theorem bounds its support."""

from __future__ import annotations

import numpy as np

from stackel_bench.planning.design_pool import design_factor, triangular_inverse
from stackel_bench.planning.design_rows import FeatureRows


def textbook_design(
    rows: FeatureRows, to_span: np.ndarray, limit: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Distinct indices [K], their weights [K], the largest leverage, which is <= limit, and passes made.

    phi @ to_span [d,r] are a row's coordinates in the rows' span, of rank r < limit.
    From the start of Kumar and Yildirim (2005), each step moves weight lambda = (k/r - 1)/(k - 1) to the row
    of largest leverage k (Fedorov-Wynn); leverages are computed anew, so nothing drifts. With limit 2r the
    support has at most 4 r log log r + 16 rows (Lattimore, Szepesvari, Weisz 2020, Theorem 4.4).
    """
    rank = to_span.shape[1]
    indices = _independent_rows(rows, to_span, rng)
    chosen = rows.pick(np.array(indices)) @ to_span
    weights = np.full(rank, 1 / rank)
    passes = rank
    while True:
        inverse = triangular_inverse(design_factor(chosen, weights))
        worst, k = _largest(rows, to_span @ inverse)
        passes += 1
        if k <= limit:
            return np.array(indices), weights, k, passes
        step = (k / rank - 1) / (k - 1)
        weights *= 1 - step
        if worst in indices:
            weights[indices.index(worst)] += step
        else:
            indices.append(worst)
            chosen = np.vstack([chosen, rows.pick(np.array([worst])) @ to_span])
            weights = np.append(weights, step)


def _independent_rows(rows: FeatureRows, to_span: np.ndarray, rng: np.random.Generator) -> list[int]:
    """r rows, each the longest along a random direction that is orthogonal to those before."""
    rank = to_span.shape[1]
    indices: list[int] = []
    for _ in range(rank):
        basis = np.linalg.qr((rows.pick(np.array(indices, dtype=np.int64)) @ to_span).T)[0]
        direction = rng.standard_normal((rank, 1))
        direction -= basis @ (basis.T @ direction)
        indices.append(_largest(rows, to_span @ direction)[0])
    return indices


def _largest(rows: FeatureRows, directions: np.ndarray) -> tuple[int, float]:
    """The row with the largest |phi @ directions|^2, directions [d,k], the first on ties, and that value."""
    best, largest = 0, -1.0
    for start, block in rows.chunks():
        projected = block @ directions
        values = np.einsum("ij,ij->i", projected, projected)
        here = int(values.argmax())
        if values[here] > largest:
            best, largest = start + here, float(values[here])
    return best, largest
