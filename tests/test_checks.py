"""Checks of single inputs: the value in its final type, or a sentence with field, value and range."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from stackel_bench import checks
from stackel_bench.errors import InputError


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers_come_back_as_int(value: object) -> None:
    found = checks.integer("n", value, least=3, most=3)
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize("value", [2, 5, 3.0, "3", None, True, np.float64(3), np.array([3])])
def test_other_integers_are_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"^n: found .*allowed: an integer >= 3 and <= 4$"):
        checks.integer("n", value, least=3, most=4)


@pytest.mark.parametrize("value", [0.5, 1, np.float32(0.5), Fraction(1, 2)])
def test_reals_come_back_as_float(value: object) -> None:
    assert type(checks.real("x", value, least=0, most=1)) is float


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "0.5", None, True, 1j, [0.5]])
def test_what_is_not_a_finite_number_is_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"^x: found .*finite number"):
        checks.real("x", value)


@pytest.mark.parametrize(
    ("value", "open_least", "open_most", "passes"),
    [
        (0, False, False, True),
        (1, False, False, True),
        (0, True, False, False),
        (1, False, True, False),
        (-1e-300, False, False, False),
        (1 + 1e-15, False, False, False),
    ],
)
def test_interval_ends(value: float, open_least: bool, open_most: bool, passes: bool) -> None:
    interval = {"least": 0.0, "most": 1.0, "open_least": open_least, "open_most": open_most}
    if passes:
        assert checks.real("x", value, **interval) == value  # type: ignore[arg-type]
    else:
        with pytest.raises(InputError, match=r"in [\[(]0, 1[\])]$"):
            checks.real("x", value, **interval)  # type: ignore[arg-type]


def test_choices_list_what_is_allowed() -> None:
    assert checks.choice("kind", "a", ("a", "b")) == "a"
    for value in ("c", None, 3, ["a"], np.array(["a", "b"])):
        with pytest.raises(InputError, match="one of a, b"):
            checks.choice("kind", value, ("a", "b"))


def test_arrays_are_frozen_contiguous_copies() -> None:
    source = np.asfortranarray([[1, 2], [3, 4]])
    found = checks.array("m", source, shape=(None, 2))
    source[0, 0] = 9
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1, 2], [3]], r"^m: .*rectangular array of numbers, shape \[n,2\]"),
        ([["a", "b"]], r"^m: .*rectangular array"),
        ([1, 2], r"^m\.shape: found \(2,\), allowed: \[n,2\]"),
        ([[1, 2, 3]], r"^m\.shape: found \(1, 3\)"),
        (np.empty((0, 2)), r"^m\.shape: found \(0, 2\)"),
        ([[1, 2], [3, math.nan]], r"^m\[1,1\]: found nan, allowed: finite numbers"),
        ([[1, math.inf]], r"^m\[0,1\]: found inf"),
    ],
)
def test_other_arrays_are_refused(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checks.array("m", value, shape=(None, 2))  # type: ignore[arg-type]


def test_errors_survive_pickling_and_stay_short() -> None:
    error = InputError("field", list(range(10_000)), "something shorter")
    assert len(str(error)) < 300
    for _ in range(3):
        twin = pickle.loads(pickle.dumps(error))
        assert (type(twin), str(twin), twin.field) == (InputError, str(error), "field")
        error = twin
    assert isinstance(error, ValueError)
