"""The largest leverage of some rows with twice the digits of double precision, where those do not suffice."""

from __future__ import annotations

import numpy as np

from stackel_bench.kernel import kernel


def precise_leverage(points: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> float:
    """The largest y^T V^-1 y over rows y [n,r], V = sum_j w_j x_j x_j^T with points x [K,r] and weights [K].

    Numbers are unevaluated sums of two doubles (Dekker 1971), about 31 digits. V squares the condition, so
    the relative error is about 1e-31 times the square of the features' condition.
    """
    high, low = _cholesky(np.ascontiguousarray(points), np.ascontiguousarray(weights))
    return float(_largest(high, low, np.ascontiguousarray(rows)))


@kernel
def _sum(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """(a + b) + (c + d)."""
    total = a + c
    shift = total - a
    rest = (a - (total - shift)) + (c - shift) + (b + d)
    high = total + rest
    return high, rest - (high - total)


@kernel
def _product(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """(a + b) * (c + d)."""
    total = a * c
    split = 134217729.0 * a  # 2^27 + 1 cuts a double into two halves whose products are exact
    a_high = split - (split - a)
    a_low = a - a_high
    split = 134217729.0 * c
    c_high = split - (split - c)
    c_low = c - c_high
    rest = ((a_high * c_high - total) + a_high * c_low + a_low * c_high) + a_low * c_low
    rest += a * d + b * c
    high = total + rest
    return high, rest - (high - total)


@kernel
def _quotient(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """(a + b) / (c + d), by two steps of long division."""
    first = a / c
    p, q = _product(first, 0.0, c, d)
    p, q = _sum(a, b, -p, -q)
    second = p / c
    p, q = _sum(p, q, *_product(-second, 0.0, c, d))
    return _sum(first, 0.0, second, p / c)


@kernel
def _root(a: float, b: float) -> tuple[float, float]:
    """sqrt(a + b), by one step of Newton's method."""
    first = np.sqrt(a)
    p, q = _product(first, 0.0, first, 0.0)
    p, _ = _sum(a, b, -p, -q)
    return _sum(first, 0.0, p / (2 * first), 0.0)


@kernel
def _cholesky(points: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """High and low parts of the lower triangular L [r,r] with L L^T = V."""
    count, rank = points.shape
    high, low = np.zeros((rank, rank)), np.zeros((rank, rank))
    for j in range(rank):
        for i in range(j, rank):
            p, q = 0.0, 0.0
            for k in range(count):
                u, v = _product(points[k, i], 0.0, points[k, j], 0.0)
                u, v = _product(u, v, weights[k], 0.0)
                p, q = _sum(p, q, u, v)
            for k in range(j):
                u, v = _product(-high[i, k], -low[i, k], high[j, k], low[j, k])
                p, q = _sum(p, q, u, v)
            if i == j:
                high[j, j], low[j, j] = _root(p, q)
            else:
                high[i, j], low[i, j] = _quotient(p, q, high[j, j], low[j, j])
    return high, low


@kernel
def _largest(high: np.ndarray, low: np.ndarray, rows: np.ndarray) -> float:
    """The largest |L^-1 y|^2 over the rows y."""
    rank = len(high)
    x, y = np.empty(rank), np.empty(rank)
    largest = 0.0
    for row in range(len(rows)):
        p, q = 0.0, 0.0
        for i in range(rank):
            u, v = rows[row, i], 0.0
            for k in range(i):
                s, t = _product(-high[i, k], -low[i, k], x[k], y[k])
                u, v = _sum(u, v, s, t)
            x[i], y[i] = _quotient(u, v, high[i, i], low[i, i])
            s, t = _product(x[i], y[i], x[i], y[i])
            p, q = _sum(p, q, s, t)
        largest = max(largest, p + q)
    return largest
