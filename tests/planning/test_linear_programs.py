"""The paper's programs by scipy agree with the fast methods, on random, tied and degenerate models."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP, PayoffTable
from stackel_bench.planning import (
    best_case_best_response,
    best_mixed_leader_strategy,
    policy_values,
    worst_case_best_response,
)


def random_mdp(seed: int) -> FollowerMDP:
    """Dense or sparse transitions, rewards on a coarse grid every second time so that responses tie."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    rows = rng.dirichlet(np.full(shape[1], 0.3 if seed % 3 else 5.0), size=shape)
    rewards = rng.integers(0, 5, size=(2, *shape)) / 4 if seed % 2 else rng.random((2, *shape))
    return FollowerMDP(rows, *rewards, initial_state=int(rng.integers(shape[1])))


@pytest.mark.parametrize("seed", range(20))
def test_best_responses_are_those_of_the_programs(seed: int) -> None:
    """Values agree, and the policy read off the occupancies attains them."""
    mdp = random_mdp(seed)
    for slack in (0.05, 0.3):
        for function in (worst_case_best_response, best_case_best_response):
            fast, printed = function(mdp, slack), function(mdp, slack, method="linprog")
            assert printed.leader_value == pytest.approx(fast.leader_value, abs=1e-7)
            assert printed.follower_optimum == pytest.approx(fast.follower_optimum, abs=1e-9)
            attained = policy_values(mdp, printed.policy)
            assert attained.leader_value == pytest.approx(printed.leader_value, abs=1e-7)
            assert attained.follower_value >= printed.follower_optimum - slack - 1e-7
            assert printed.status == "linprog"


@pytest.mark.parametrize("seed", range(20))
def test_commitments_are_those_of_the_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    means = rng.integers(0, 5, size=(2, *shape)) / 4 if seed % 2 else rng.random((2, *shape))
    table = PayoffTable(*means)
    for slack in (0.0, 0.1):
        fast, printed = (
            best_mixed_leader_strategy(table, slack),
            best_mixed_leader_strategy(table, slack, method="linprog"),
        )
        assert printed.value == pytest.approx(fast.value, abs=1e-7)
        assert printed.strategy.sum() == pytest.approx(1.0)
        replies = printed.strategy @ table.follower_means
        assert replies[printed.response] >= replies.max() - slack - 1e-7


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InputError, match="linprog"):
        best_mixed_leader_strategy(PayoffTable([[1.0]], [[1.0]]), method="by hand")
