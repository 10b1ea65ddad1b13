"""The largest leverage of some rows in decimal arithmetic, where double precision does not suffice."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np

DIGITS = 40  # the Gram matrix squares the features' condition, which is at most 1e10: 20 digits are left


def precise_leverage(points: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> float:
    """The largest y^T V^-1 y over rows y [n,r], V = sum_j w_j x_j x_j^T with points x [K,r] and weights [K].

    Gaussian elimination of V = L D L^T, which turns each row y into L^-1 y on the way.
    """
    with localcontext(prec=DIGITS):
        exact = np.vectorize(Decimal, otypes=[object])
        x, y = exact(points), exact(rows)
        gram = x.T @ (exact(weights)[:, None] * x)
        leverages = np.full(len(y), Decimal(0))
        for k in range(len(gram)):
            leverages += y[:, k] ** 2 / gram[k, k]
            shares = gram[k, k + 1 :] / gram[k, k]
            y[:, k + 1 :] -= y[:, k, None] * shares
            gram[k + 1 :, k + 1 :] -= shares[:, None] * gram[k, k + 1 :]
        return float(leverages.max())
