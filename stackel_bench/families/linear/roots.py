"""k-th roots by the four operations only: libraries' powers may differ in the last bit between processors."""

from __future__ import annotations

import math

import numpy as np

from stackel_bench.kernel import kernel

LOG_2 = 0.6931471805599453


@kernel
def roots(values: np.ndarray, degree: int) -> np.ndarray:
    """The k-th root [n] of each value [n] >= 0, k = degree >= 1, to a few units in the last place."""
    results = np.zeros(len(values))
    for i in range(len(values)):
        if values[i] == 0.0 or degree == 1:
            results[i] = values[i]
            continue
        # 2^e m with m in [1/2,1) has a logarithm, to base 2, of about e + 2m - 2.
        mantissa, exponent = math.frexp(values[i])
        logarithm = (exponent + 2 * mantissa - 2) / degree
        whole = math.floor(logarithm)
        rest = (logarithm - whole) * LOG_2
        series = 1.0
        for term in range(12, 0, -1):
            series = 1 + series * rest / term
        root = math.ldexp(series, int(whole))
        for _ in range(
            5
        ):  # Newton's method: the error of the power root^k is squared each time, 0.06 at first
            power, base, left = 1.0, root, degree - 1
            while left:
                if left % 2:
                    power *= base
                base *= base
                left //= 2
            root += (values[i] / power - root) / degree
        results[i] = root
    return results
