"""Checks of single inputs: each returns the value in its final type or raises an InputError that names it."""

import math
from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench.errors import InputError, UnknownNameError
from stackel_bench.tolerances import PROBABILITY_SUM

MAX_EXACT_COUNT = 2**53  # largest count that float64 still represents exactly
MAX_REPLICATES = 10**7  # of a cell


def integer(field: str, value: object, *, least: int, most: int | None = None) -> int:
    """The value as an int within [least, most]."""
    allowed = f"an integer >= {least}" + ("" if most is None else f" and <= {most}")
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(field, value, allowed)
    number = int(value)
    if number < least or (most is not None and number > most):
        raise InputError(field, number, allowed)
    return number


def real(
    field: str,
    value: object,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    open_least: bool = False,
    open_most: bool = False,
) -> float:
    """The value as a finite float within the interval."""
    left = "(" if open_least or math.isinf(least) else "["
    right = ")" if open_most or math.isinf(most) else "]"
    bounds = f"{left}{least:g}, {most:g}{right}"
    allowed = f"a finite number in {bounds}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(field, value, allowed)
    try:
        number = float(value)
    except OverflowError:  # an integer beyond the range of floats
        number = math.inf
    below = number <= least if open_least else number < least
    above = number >= most if open_most else number > most
    if not math.isfinite(number) or below or above:
        raise InputError(field, number, allowed)
    return number


def interval(name: str, value: object) -> tuple[float, float]:
    """Two numbers, the first below the second."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise InputError(name, value, "two numbers, the least and the largest")
    low = real(f"{name}[0]", value[0])
    return low, real(f"{name}[1]", value[1], least=low, open_least=True)


def choice(field: str, value: object, options: Sequence[str]) -> str:
    """The value if it is one of the options."""
    if not isinstance(value, str) or value not in options:
        raise UnknownNameError(field, value, options)
    return str(value)


def array(field: str, value: ArrayLike, *, shape: tuple[int | None, ...]) -> np.ndarray:
    """A read-only, C-contiguous float64 array of finite numbers; None in shape stands for any size >= 1."""
    wanted = "[" + ",".join("n" if n is None else str(n) for n in shape) + "]"
    try:
        result = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(field, value, f"a rectangular array of numbers, shape {wanted}") from error
    fits = result.ndim == len(shape) and all(
        n >= 1 if m is None else n == m for n, m in zip(result.shape, shape, strict=True)
    )
    if not fits:
        raise InputError(f"{field}.shape", result.shape, f"{wanted}, every size >= 1")
    reject_first(field, result, ~np.isfinite(result), "finite numbers")
    result.setflags(write=False)
    return result


def reject_first(field: str, values: np.ndarray, bad: np.ndarray, allowed: str) -> None:
    """Raise an InputError at the first index where bad is true, if there is one."""
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f"[{','.join(map(str, index))}]" if index else ""
        raise InputError(field + place, float(values[index]), allowed)


def distributions(field: str, values: np.ndarray) -> None:
    """Raise an InputError unless the last axis of values [..., n] holds probabilities that sum to 1."""
    reject_first(field, values, ~(values >= 0), "probabilities >= 0")
    sums = np.asarray(values.sum(axis=-1))
    off = ~(np.abs(sums - 1) <= PROBABILITY_SUM)
    reject_first(f"sum of {field}", sums, off, f"1 within {PROBABILITY_SUM:g}")
