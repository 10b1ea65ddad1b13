"""Episode budgets against hand-computed magnitudes and their scaling."""

from __future__ import annotations

import math

import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.theory import (
    proof_budget,
    reward_episodes,
    rf_ucrl_episodes,
    runnable_phase,
    significance,
    theorem_budget,
    transition_episodes,
)


def test_theorem_budget_of_the_reference_instance() -> None:
    """H=5, S=10, B=4, A=16, epsilon 0.1: N0 = 1.5e12 per target, 1.2e15 episodes in all."""
    plan = theorem_budget((5, 10, 4), Goal(0.1, 0.05, 16))
    iota = math.log(5 * 10 * 16 * 4 / (0.05 * 0.1))
    per_target, left = divmod(plan.phases["explore"], 50)
    assert left == 0
    assert per_target == pytest.approx(1000 * 4 * 5**6 * iota**3 / 0.1, rel=1e-12)
    assert per_target == pytest.approx(1.5e12, rel=0.02)
    assert 16 * plan.total == pytest.approx(1.2e15, rel=0.02)
    assert plan.phases["gather"] == reward_episodes((5, 10, 4), 0.1 / 16, 0.05 / 48)


def test_long_horizons_are_ruled_by_the_transition_order() -> None:
    shape = (60, 2, 2)
    iota = math.log(60 * 2 * 2 / (0.05 * 0.5))
    assert theorem_budget(shape, Goal(0.5, 0.05, 1)).phases["gather"] == math.ceil(
        60**5 * 4 * 2 * iota / 0.25
    )


@pytest.mark.parametrize(
    ("shape", "gather", "explore"),
    [((2, 2, 2), 2.2e8, 3e8), ((3, 3, 2), 4.1e9, 4.6e10), ((4, 4, 3), 5e10, 2.5e12)],
)
def test_proof_budget_magnitudes(shape: tuple[int, int, int], gather: float, explore: float) -> None:
    """The magnitudes at epsilon 1 and failure probability 0.05/3 per event, two digits as printed."""
    budget = proof_budget(shape, Goal(1.0, 0.05, 1))
    assert budget.phases["gather"] == pytest.approx(gather, rel=0.05)
    assert budget.phases["explore"] == pytest.approx(explore, rel=0.05)


def test_the_transition_part_is_a_fixed_point() -> None:
    for shape in ((1, 1, 1), (2, 3, 2), (5, 10, 4), (10, 50, 5)):
        horizon, states, actions = shape
        n = transition_episodes(shape, 0.01, 0.003)
        log_term = 2 * states * math.log(36 * actions * n / states) + math.log(horizon / 0.003)
        right = 16 / 3 * states * actions * horizon**5 * (13 * log_term + states) / 0.01**2
        assert n == pytest.approx(right, rel=1e-9, abs=1)


def test_reward_part_guarantees_hoeffding_and_chernoff() -> None:
    for shape in ((1, 1, 1), (3, 2, 4), (5, 10, 4)):
        horizon, states, actions = shape
        for accuracy in (0.5, 1 / 16, 1e-3):
            n = reward_episodes(shape, accuracy, 0.01)
            volume = states**2 * actions * horizon**3
            triples = states * actions * horizon
            assert n >= 8 * volume * math.log(4 * triples / 0.01) / accuracy**2
            assert n >= 32 * volume * math.log(triples / 0.01) / accuracy
            assert n <= 1 + max(
                8 * volume * math.log(4 * triples / 0.01) / accuracy**2,
                32 * volume * math.log(triples / 0.01) / accuracy,
            )


def test_budgets_grow_when_anything_gets_harder() -> None:
    base = {"shape": (3, 3, 2), "epsilon": 0.3, "delta": 0.1, "num_leader_actions": 2}
    harder = [
        {"shape": (4, 3, 2)}, {"shape": (3, 4, 2)}, {"shape": (3, 3, 3)},
        {"epsilon": 0.2}, {"delta": 0.01}, {"num_leader_actions": 5},
    ]  # fmt: skip
    for change in harder:
        easier, harder_case = ((case.pop("shape"), Goal(**case)) for case in (dict(base), {**base, **change}))
        for budget in (theorem_budget, proof_budget):
            easy, hard = budget(*easier), budget(*harder_case)
            cases = [(easy, easier), (hard, harder_case)]
            per_target = [p.phases["explore"] / math.prod(case[0][:2]) for p, case in cases]
            assert per_target[1] > per_target[0]
            assert hard.phases["gather"] > easy.phases["gather"]
        assert rf_ucrl_episodes(*harder_case) > rf_ucrl_episodes(*easier)


def test_constants_scale_their_phase() -> None:
    full = proof_budget((3, 3, 2), Goal(0.3, 0.1, 2))
    part = proof_budget((3, 3, 2), Goal(0.3, 0.1, 2), c_explore=1e-3, c_data=1e-2)
    assert part.phases["explore"] == pytest.approx(full.phases["explore"] * 1e-3, rel=1e-6)
    assert part.phases["gather"] == pytest.approx(full.phases["gather"] * 1e-2, rel=1e-6)


def test_significance() -> None:
    assert significance((5, 10, 4), 0.1) == pytest.approx(0.1 / 500)


def test_phases_beyond_exact_counts_are_refused() -> None:
    assert runnable_phase("explore", 2**53, 0.1) == 2**53
    with pytest.raises(InputError, match=r"epsilon: found 0\.1, .*phase gather would need 9.01e\+15"):
        runnable_phase("gather", 2**53 + 1, 0.1)
    for change in ({"epsilon": -1.0}, {"delta": 0.0}, {"num_leader_actions": 0}):
        with pytest.raises(InputError):
            Goal(**{"epsilon": 0.1, "delta": 0.1, "num_leader_actions": 1, **change})
