"""Roots by the four operations against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.families.linear.roots import roots


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 7, 19, 49, 100])
def test_neighbours_enclose_the_root(degree: int) -> None:
    """The power of a number 4 units below is less than the value, 4 units above more; 60 values."""
    rng = np.random.default_rng(degree)
    values = np.concatenate(
        [rng.random(40), rng.random(17) * 2.0 ** -rng.integers(1, 53, 17), [1, 0.5, 2.0**-53]]
    )
    for value, root in zip(values.tolist(), roots(values, degree).tolist(), strict=True):
        unit = 4 * Fraction(float(np.spacing(root)))
        assert (Fraction(root) - unit) ** degree < Fraction(value) < (Fraction(root) + unit) ** degree


def test_zero() -> None:
    assert roots(np.zeros(2), 3).tolist() == [0.0, 0.0]
