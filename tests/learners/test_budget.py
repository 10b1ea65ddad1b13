"""Budgets: the theorem's number, multiples, fixed totals and ladders; what is refused."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackel_bench.errors import InputError
from stackel_bench.learners.budget import FixedBudget, LadderBudget, ScaledBudget, TheoryBudget, make_budget

PAIRS = 54
THEORY = 26_788


def test_theory_is_the_theorems_number() -> None:
    assert TheoryBudget().unit_counts(THEORY, PAIRS, "pull") == (THEORY,)


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 3.0, 1e-12])
def test_scaled_rounds_up(scale: float) -> None:
    (count,) = ScaledBudget(scale=scale).unit_counts(THEORY, PAIRS, "pull")
    assert count == max(1, math.ceil(THEORY * scale))


@given(samples=st.integers(1, 2**53), cost=st.integers(1, 10**6))
def test_fixed_totals_are_split_evenly_and_never_exceeded(samples: int, cost: int) -> None:
    budget = FixedBudget(samples=samples)
    if samples < cost:
        with pytest.raises(InputError, match=rf"^budget\.samples: found {samples}, .*>= {cost} \(one pull\)"):
            budget.unit_counts(THEORY, cost, "pull")
    else:
        (count,) = budget.unit_counts(THEORY, cost, "pull")
        assert count * cost <= samples < (count + 1) * cost


@given(
    top=st.integers(1, 10**9),
    rungs=st.integers(1, 64),
    ratio=st.floats(1.0001, 100),
)
def test_ladders_go_up_to_the_top_in_geometric_steps(top: int, rungs: int, ratio: float) -> None:
    counts = LadderBudget(samples=top, rungs=rungs, ratio=ratio).unit_counts(1, 1, "pull")
    assert counts[-1] == top
    assert list(counts) == sorted(set(counts))
    assert 1 <= len(counts) <= rungs
    for count in counts:
        assert any(abs(count - top / ratio**k) <= 1 for k in range(rungs))


def test_a_ladder_without_samples_hangs_from_the_theorem() -> None:
    counts = LadderBudget(scale=0.5, rungs=3, ratio=2.0).unit_counts(1000, PAIRS, "pull")
    assert counts == (125, 250, 500)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "theorem"}, "budget"),
        ({"epsilon": 0}, "budget.epsilon"),
        ({"epsilon": -0.1}, "budget.epsilon"),
        ({"epsilon": math.nan}, "budget.epsilon"),
        ({"epsilon": math.inf}, "budget.epsilon"),
        ({"epsilon": 1e-200}, "budget.epsilon"),
        ({"epsilon": 1e200}, "budget.epsilon"),
        ({"epsilon": "0.1"}, "budget.epsilon"),
        ({"delta": 0}, "budget.delta"),
        ({"delta": 1}, "budget.delta"),
        ({"delta": 1.5}, "budget.delta"),
        ({"delta": 5e-324}, "budget.delta"),
        ({"delta": math.nan}, "budget.delta"),
        ({"kind": "scaled", "scale": 0}, "budget.scale"),
        ({"kind": "scaled", "scale": -1.0}, "budget.scale"),
        ({"kind": "scaled", "scale": 1e300}, "budget.scale"),
        ({"kind": "fixed", "samples": 0}, "budget.samples"),
        ({"kind": "fixed", "samples": 2**53 + 1}, "budget.samples"),
        ({"kind": "fixed", "samples": 1.5}, "budget.samples"),
        ({"kind": "ladder", "samples": 5, "scale": 2.0}, "budget.scale"),
        ({"kind": "theory", "rungs": 3}, "budget.rungs"),
        ({"epsilom": 0.1}, "budget.epsilom"),
        ({"kind": "ladder", "rungs": 0}, "budget.rungs"),
        ({"kind": "ladder", "rungs": 65}, "budget.rungs"),
        ({"kind": "ladder", "ratio": 1.0}, "budget.ratio"),
        ({"kind": "ladder", "ratio": 1e300}, "budget.ratio"),
    ],
)
def test_bad_budgets_are_refused(change: dict[str, object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        make_budget(**{"kind": "theory", **change})  # type: ignore[arg-type]
    assert caught.value.field == field


def _whole(kind: str) -> dict[str, float]:
    """One rung of exactly the theorem's number."""
    return {"scaled": {"scale": 1.0}, "ladder": {"rungs": 1}}.get(kind, {})


@pytest.mark.parametrize("kind", ["theory", "scaled", "ladder"])
def test_more_than_two_to_the_53_is_refused(kind: str) -> None:
    with pytest.raises(InputError, match=r"at most 2\*\*53 in total; raise budget\.epsilon"):
        make_budget(kind, **_whole(kind)).unit_counts(2**53 // 9 + 1, 9, "pull")
    assert make_budget(kind, **_whole(kind)).unit_counts(2**53 // 9, 9, "pull") == (2**53 // 9,)


@given(
    epsilon=st.floats(1e-12, 1e6),
    delta=st.floats(1e-100, 1, exclude_max=True),
    scale=st.floats(1e-15, 1e15),
)
def test_no_formula_overflows_within_the_limits(epsilon: float, delta: float, scale: float) -> None:
    """Every theorem's number is a whole number >= 1 for all accuracies that a budget accepts."""
    from stackel_bench.families.bandit_rl.exploration.explorer import Goal
    from stackel_bench.families.bandit_rl.theory import proof_budget, rf_ucrl_episodes, theorem_budget
    from stackel_bench.families.linear.theory import accurate_queries
    from stackel_bench.families.tables.theory import paper_pulls

    budget = ScaledBudget(epsilon=epsilon, delta=delta, scale=scale)
    counts = [
        paper_pulls(epsilon, 10**9, delta, 100.0),
        accurate_queries(epsilon, 1000, 4000, delta, 100.0),
        accurate_queries(epsilon, 1000, 10**9, delta, 100.0),
        theorem_budget((50, 100, 50), Goal(epsilon, delta, 100)).phases["gather"],
        proof_budget((50, 100, 50), Goal(epsilon, delta, 100)).phases["gather"],
        rf_ucrl_episodes((50, 100, 50), Goal(epsilon, delta, 100)),
    ]
    assert min(counts) >= 1
    for count in counts:
        if math.ceil(count * scale) <= 2**53:
            assert budget.unit_counts(count, 1, "pull")[0] >= 1
        else:
            with pytest.raises(InputError, match=r"2\*\*53"):
                budget.unit_counts(count, 1, "pull")


def test_budgets_survive_pickling() -> None:
    budget = LadderBudget(samples=100)
    assert pickle.loads(pickle.dumps(budget)) == budget
