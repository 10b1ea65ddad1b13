"""The mixture's bounds against 60-digit arithmetic, up to the largest counts that are exact."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from stackel_bench.statistics.likelihood_mixture import difference_offsets, mean_offsets, price

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
CASES = [
    *[(0.0, 1.0), (1.0, 1.0), (0.25, 1.0), (3.0, 10.0), (11.0, 12.0), (12.0, 25.0), (50.0, 100.0)],
    *[(0.0, 1e4), (1.0, 1e4), (5e3, 1e4), (1e9 - 3, 1e9), (3e8, 1e9), (7.0, 1e11), (4.9e10, 1e11)],
    *[(1e14 - 1, 1e14), (3e13, 1e14), (5e14, 1e15), (2.0**52 - 9, 2.0**53)],
]


def bernoulli_number(k: int) -> Fraction:
    """By the recursion sum_j C(k+1, j) B_j = 0."""
    known = [Fraction(1)]
    for m in range(1, k + 1):
        known.append(-sum((comb(m + 1, j) * known[j] for j in range(m)), Fraction(0)) / (m + 1))
    return known[k]


STIRLING = [bernoulli_number(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 31)]


def log_gamma(x: Decimal) -> Decimal:
    """Stirling's series with 30 terms, moved above 60 by the functional equation."""
    product = Decimal(1)
    while x < 60:
        product, x = product * x, x + 1
    found = (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 - product.ln()
    for k, term in enumerate(STIRLING):
        found += Decimal(term.numerator) / Decimal(term.denominator) / x ** (2 * k + 1)
    return found


def log_mixture(total: float, pulls: float, mu: Decimal) -> Decimal:
    """L(mu) as printed in the module, in the digits of the context."""
    half, s, n = Decimal("0.5"), Decimal(total), Decimal(pulls)
    found = log_gamma(s + half) + log_gamma(n - s + half) - log_gamma(n + 1) - PI.ln()
    return found - (s * mu.ln() if s else 0) - ((n - s) * (1 - mu).ln() if n > s else 0)


def test_the_reference_itself() -> None:
    """ln 30! and ln Gamma(1/2)."""
    with localcontext(prec=80):
        assert abs(log_gamma(Decimal(31)) - Decimal(factorial(30)).ln()) < Decimal("1e-55")
        assert abs(log_gamma(Decimal("0.5")) - PI.ln() / 2) < Decimal("1e-55")


@pytest.mark.parametrize(("total", "pulls"), CASES)
def test_the_price_has_14_digits(total: float, pulls: float) -> None:
    with localcontext(prec=80):
        s, n = Decimal(total), Decimal(pulls)
        at_mean = log_mixture(total, pulls, s / n)
        assert abs(Decimal(price(total, pulls)) + at_mean) < Decimal("1e-13")


@pytest.mark.parametrize(("total", "pulls"), CASES)
def test_an_interval_ends_just_outside(total: float, pulls: float) -> None:
    """L is at least the level at each end, and below it a little inside; trivial ends are at 0 and 1."""
    level = 12.0
    below, above = (float(x[0, 0]) for x in mean_offsets(np.array([[total]]), np.array([[pulls]]), level))
    with localcontext(prec=80):
        mean = Decimal(total) / Decimal(pulls)
        for offset, room in ((-Decimal(below), mean), (Decimal(above), 1 - mean)):
            if abs(offset) >= room:
                assert abs(offset) - room < Decimal("1e-13")
                continue
            assert log_mixture(total, pulls, mean + offset) >= Decimal(level)
            narrower = offset * (1 - Decimal("1e-7")) - Decimal("1e-13").copy_sign(offset)
            if narrower * offset > 0:
                assert log_mixture(total, pulls, mean + narrower) < Decimal(level)


@pytest.mark.parametrize(("first", "second"), [(6, 3), (3, 5), (0, 4), (9, 8), (11, 10), (15, 16), (7, 12)])
def test_a_difference_is_excluded_by_every_pair_of_means(first: int, second: int) -> None:
    """Beyond the bound L1(x + D) + L2(x) exceeds the level for all x; a little within it, not for some x.

    The minimum over x by ternary search in 60 digits.
    """
    level = 15.0
    totals = np.array([[CASES[first][0], CASES[second][0]]])
    pulls = np.array([[CASES[first][1], CASES[second][1]]])
    offset = float(difference_offsets(totals, pulls, level)[0, 0, 1])
    with localcontext(prec=60):
        mean, other = (Decimal(totals[0, k]) / Decimal(pulls[0, k]) for k in (0, 1))

        def least(distance: Decimal) -> Decimal:
            low, high = max(Decimal(0), -distance), min(Decimal(1), 1 - distance)
            for _ in range(130):
                x, y = low + (high - low) / 3, high - (high - low) / 3
                if value(x, distance) < value(y, distance):
                    high = y
                else:
                    low = x
            return value((low + high) / 2, distance)

        def value(x: Decimal, distance: Decimal) -> Decimal:
            tiny = Decimal("1e-50")
            inside = [min(max(z, tiny), 1 - tiny) for z in (x + distance, x)]
            return sum((log_mixture(totals[0, k], pulls[0, k], inside[k]) for k in (0, 1)), Decimal(0))

        reach = mean - other + Decimal(offset)
        if reach < 1:
            assert least(reach) >= Decimal(level)
        within = mean - other + Decimal(offset) * (1 - Decimal("1e-6")) - Decimal("1e-13")
        assert least(within) < Decimal(level)
