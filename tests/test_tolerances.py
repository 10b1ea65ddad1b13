"""Tolerances have one home and one order of size; a tie does not depend on the unit of the payoffs."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from stackel_bench import tolerances
from stackel_bench.tolerances import PIVOTS, Ties, payoff_unit

PACKAGE = Path(tolerances.__file__).parent
OWNERS = sorted(
    [
        *PACKAGE.glob("planning/mixed_*.py"),
        *(PACKAGE / "planning" / f"{name}.py" for name in ("dual_simplex", "finite_responses")),
        *(PACKAGE / "planning" / f"{name}.py" for name in ("fixed_order", "turn_based_nash")),
        PACKAGE / "evaluation" / "simplex_oracle.py",
        PACKAGE / "reporting" / "figures" / "simplex.py",
    ]
)


@pytest.mark.parametrize("path", OWNERS, ids=lambda path: path.stem)
def test_no_module_has_a_tolerance_of_its_own(path: Path) -> None:
    """No number below 1e-6 and no negative power stands in the code (1e-6 is a default accuracy)."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            assert node.value == 0 or node.value >= 1e-6, f"{path.name}:{node.lineno}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            assert not isinstance(node.right, ast.UnaryOp), f"{path.name}:{node.lineno}"


def test_sizes_keep_their_order() -> None:
    """Rounding, then ties, then leads that are real, then what solvers and people tell apart."""
    assert 1000 * tolerances.FLOAT_STEP < tolerances.TIE == PIVOTS.feasibility
    assert tolerances.TIE < tolerances.FINEST_SHIFT <= tolerances.STRICT < tolerances.VALUE
    assert PIVOTS.equal_ratios < PIVOTS.feasibility < PIVOTS.smallest_pivot


def test_ties_scale_with_the_payoffs() -> None:
    payoffs = np.array([[0.3, -0.7], [0.1, 0.2]])
    for scale in (2.0**-400, 0.5, 1.0, 2.0**300):
        assert Ties.among(payoffs * scale).tolerance == scale * Ties.among(payoffs).tolerance
    assert Ties.among(payoffs).reach(0.1) == 0.1 + tolerances.TIE
    assert Ties.among(np.zeros((2, 2))) == Ties(tolerances.TIE)
    for largest, unit in ((0.5, 1.0), (0.7, 1.0), (1.0, 2.0), (-3.0, 4.0)):
        assert payoff_unit(np.array([largest, 0.1])) == unit
