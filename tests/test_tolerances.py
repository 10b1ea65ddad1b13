"""Tolerances have one home and one order of size; a tie does not depend on the unit of the payoffs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stackel_bench import tolerances
from stackel_bench.tolerances import PIVOTS, Ties, payoff_unit

PACKAGE = Path(tolerances.__file__).parent
HOME = "tolerances.py"
# Small numbers that compare nothing, by file or folder, and what they are instead.
NO_TOLERANCES = {
    "families/bandit_rl/exploration/": "seconds of a cost model",
    "families/bandit_rl/learners.py": "seconds of a cost model",
    "families/bandit/successive_elimination.py": "seconds of a cost model",
    "families/linear/learners.py": "seconds of a cost model",
    "families/linear/certified.py": "seconds of a cost model",
    "families/tables/row_pulls.py": "seconds of a cost model",
    "learners/": "seconds of a cost model; the smallest parameters that a budget may have",
    "claims/claim.py": "the probability of a false alarm",
    "testing/games.py": "the probability of a false alarm",
    "families/linear/oracle.py": "a slack that allows every response",
    "games/dyadic.py": "the grid that payoffs are rounded to",
    "planning/design/rows.py": "the precision of the type that the user's features have",
    "reporting/": "ticks, axes and fits of figures",
    "simulation/": "where a product underflows",
    "statistics/elementary.py": "the two parts of log 2",
    "statistics/bounded_mean.py": "where a product is rescaled before it underflows",
}
NAMED = re.compile(r"TOLERANCE|ROUNDING|ACCURACY|TIE\b")


def small_numbers(tree: ast.AST) -> Iterator[int]:
    """Lines of numbers up to 1e-5, of negative powers, and of constants that are called a tolerance."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float(value)) if 0 < value <= 1e-5:
                yield node.lineno
            case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp()) | ast.Attribute(attr="finfo"):
                yield node.lineno
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant()) if NAMED.search(name):
                yield node.lineno


def test_every_tolerance_stands_in_one_module() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), line)
        for path in PACKAGE.rglob("*.py")
        for line in small_numbers(ast.parse(path.read_text("utf-8")))
    }
    assert any(file == HOME for file, _ in found)
    strangers = {place for place in found if not place[0].startswith((HOME, *NO_TOLERANCES))}
    assert not strangers, "give it a name and a reason in tolerances.py"


def test_a_tolerance_outside_would_be_found() -> None:
    for line in ("x < 1e-9", "2.0**-40", "ROUNDING = 0.5", "np.finfo(float).eps"):
        assert list(small_numbers(ast.parse(line))), line
    for line in ("x < 0.05", "x * 2.0**53", "1 / 3"):
        assert not list(small_numbers(ast.parse(line))), line


def test_sizes_keep_their_order() -> None:
    """Rounding, then ties, then leads that are real, then what solvers and people tell apart."""
    assert 1000 * tolerances.FLOAT_STEP < tolerances.TIE == PIVOTS.feasibility
    assert tolerances.TIE < tolerances.FINEST_SHIFT <= tolerances.STRICT < tolerances.VALUE
    assert tolerances.FLOAT_STEP < tolerances.ON_CHORD < tolerances.STEP_TIE < tolerances.TIE
    assert tolerances.LEAST_TERM < tolerances.NARROWEST < tolerances.FLOAT_STEP / 2
    assert PIVOTS.equal_ratios < PIVOTS.feasibility < PIVOTS.smallest_pivot


def test_ties_scale_with_the_payoffs() -> None:
    payoffs = np.array([[0.3, -0.7], [0.1, 0.2]])
    for scale in (2.0**-400, 0.5, 1.0, 2.0**300):
        assert Ties.among(payoffs * scale).tolerance == scale * Ties.among(payoffs).tolerance
    assert Ties.among(payoffs).reach(0.1) == 0.1 + tolerances.TIE
    assert Ties.among(np.zeros((2, 2))) == Ties(tolerances.TIE)
    for largest, unit in ((0.5, 1.0), (0.7, 1.0), (1.0, 2.0), (-3.0, 4.0)):
        assert payoff_unit(np.array([largest, 0.1])) == unit
