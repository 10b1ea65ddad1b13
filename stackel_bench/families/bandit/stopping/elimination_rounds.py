"""The rounds of successive elimination: pulls of each pair, and how well its means are then known."""

from __future__ import annotations

import math
from dataclasses import dataclass

LARGEST_ERROR = 0.25  # coarser rounds settle nothing where means are in [0,1]


@dataclass(frozen=True)
class Round:
    """All active pairs are pulled until they have `pulls`, after which their means are within `error`."""

    pulls: int
    error: float


def elimination_rounds(
    epsilon: float, num_pairs: int, delta: float, sub_gaussian_scale: float, scale: float = 1.0
) -> tuple[Round, ...]:
    """Errors epsilon/8 * 2^j, halved from at most 1/4 to the paper's, with pulls that make each sure enough.

    The last round may fail with probability delta_0 = delta/2, the j-th before it with delta_j = delta /
    (2j(j+1)), in sum delta; n_j = ceil(2 sigma^2 ln(4 AB / delta_j) / t_j^2). With L = ln(4 AB / delta),
    n_j ~ (L + ln(2j(j+1))) / 4^j <= L + ln 2 ~ n_0, for 2j(j+1) <= 2^(4^j): no round asks for more than the
    last one, and that for 1 + ln 2 / L times the paper's pulls, rounded up. `scale` multiplies n_j and keeps
    the errors as they are: below 1 it gives the guarantee away.
    """
    before_last = max(0, math.floor(math.log2(LARGEST_ERROR / (epsilon / 8))))
    rounds = []
    for j in range(before_last, -1, -1):
        error = epsilon / 8 * 2**j
        failure = delta / (2 * j * (j + 1)) if j else delta / 2
        logs = math.log(4 * num_pairs / failure)
        rounds.append(Round(max(1, math.ceil(scale * 2 * sub_gaussian_scale**2 * logs / error**2)), error))
    return tuple(rounds)
