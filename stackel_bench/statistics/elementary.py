"""exp and log from additions, multiplications and divisions alone: the same bits on every processor.

The C library picks its exp and log by processor (with or without fused multiply-add), and numpy's are
vectorised differently for each; both may differ in the last bit. These are within 2 units in the last place.
"""

import math

from stackel_bench.kernel import kernel

_LN2_HIGH = 6.93147180369123816490e-01  # 32 bits, so that multiples by exponents are exact
_LN2_LOW = 1.90821492927058770002e-10
_ROOT_HALF = 0.7071067811865476


@kernel
def exp(x: float) -> float:
    """e**x: Taylor's series on [-ln 2 / 2, ln 2 / 2], scaled by a power of two."""
    if x > 709.7:
        return math.inf
    if x < -745.0:
        return 0.0
    power = math.floor(x / _LN2_HIGH + 0.5)
    rest = (x - power * _LN2_HIGH) - power * _LN2_LOW
    total = 1.0
    for degree in range(14, 0, -1):
        total = 1.0 + total * rest / degree
    return math.ldexp(total, int(power))


@kernel
def log(x: float) -> float:
    """ln x, -inf at 0: the series of 2 artanh((m - 1)/(m + 1)) for the mantissa m in [1/sqrt 2, sqrt 2)."""
    if x <= 0.0:
        return -math.inf
    mantissa, power = math.frexp(x)
    if mantissa < _ROOT_HALF:
        mantissa, power = 2.0 * mantissa, power - 1
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    total = 0.0
    for degree in range(23, 1, -2):
        total = (total + 1.0 / degree) * square
    return power * _LN2_HIGH + (2.0 * ratio * total + power * _LN2_LOW + 2.0 * ratio)
