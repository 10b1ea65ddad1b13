"""Extreme values over Kullback-Leibler balls: against two solvers, by brute force, and in their limits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from itertools import pairwise, product

import cvxpy
import numpy as np
import pytest
from scipy import optimize

from stackel_bench.models import FollowerMDP
from stackel_bench.planning import policy_values, worst_case_best_response
from stackel_bench.planning.kl_ball import TransitionBalls, best_policy, largest_mean, policy_value
from tests.simulation.per_episode import one_hot, random_mdp

SHAPE = (3, 2, 2)


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    here = p > 0
    return float((p[here] * np.log(p[here] / q[here])).sum())


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Laws with zeros, values with ties, radii from tiny to huge."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    law = rng.dirichlet(np.full(size, 0.6))
    if seed % 3 == 0:
        law[rng.integers(size)] = 0.0
    if seed % 7 == 0:
        law = np.eye(size)[rng.integers(size)]
    values = rng.choice([0.0, 1.0, 2.5], size) if seed % 4 == 0 else rng.uniform(-3, 5, size)
    return law / law.sum(), values, float(10 ** rng.uniform(-6, 1))


@pytest.mark.parametrize("seed", range(25))
def test_it_is_what_an_exponential_cone_program_finds(seed: int) -> None:
    law, values, radius = random_case(seed)
    q = cvxpy.Variable(len(law), nonneg=True)
    ball = [cvxpy.sum(q) == 1, cvxpy.sum(cvxpy.rel_entr(law, q)) <= radius]
    for sign in (1.0, -1.0):
        problem = cvxpy.Problem(cvxpy.Maximize(sign * values @ q), ball)
        problem.solve(solver="CLARABEL")
        assert largest_mean(law, values, radius, sign) == pytest.approx(problem.value, abs=2e-6)


@pytest.mark.parametrize("seed", range(60))
def test_it_is_never_below_and_one_law_attains_it(seed: int) -> None:
    """Strong duality: the law p / (t + g) at the best t lies in the ball and gives as much."""
    law, values, radius = random_case(seed)
    found = largest_mean(law, values, radius, 1.0)
    gaps = values.max() - values
    alone = gaps.min(where=law > 0, initial=math.inf) > 0

    def member(t: float) -> np.ndarray:
        shares = np.divide(law, t + gaps, out=np.zeros_like(law), where=law > 0)
        return shares / shares.sum()

    if gaps[law > 0].max() == 0.0:
        return
    if alone and divergence(law, member(0.0)) <= radius:
        rest = math.exp(divergence(law, member(0.0)) - radius)  # mass that stays; the others' goes to the top
        attained = values.max() - rest * float(member(0.0) @ gaps)
    else:
        root = optimize.brentq(lambda x: divergence(law, member(math.exp(x))) - radius, -60, 30, xtol=1e-13)
        attained = float(member(math.exp(root)) @ values)
    assert attained - 1e-12 <= found <= attained + 1e-9
    rng = np.random.default_rng(seed)
    for other in rng.dirichlet(np.ones(len(law)), size=50):
        share = rng.uniform()
        inside = share * law + (1 - share) * other
        if divergence(law, inside) <= radius:
            assert inside @ values <= found


@pytest.mark.parametrize("p", ["0", "1e-9", "0.03125", "0.5", "0.9990234375", "1"])
@pytest.mark.parametrize("radius", ["1e-15", "1e-6", "0.01", "0.7", "20"])
def test_two_points_by_brute_force(p: str, radius: str) -> None:
    """The mean of values 0 and 1 is the largest q with kl(p, q) <= radius: bisection with 40 digits."""
    with localcontext() as context:
        context.prec = 40
        first, second, limit = Decimal(p), 1 - Decimal(p), Decimal(radius)
        low, high = first, Decimal(1)
        for _ in range(90):
            q = (low + high) / 2
            used = sum(x * (x / y).ln() for x, y in ((first, q), (second, 1 - q)) if x > 0)
            low, high = (q, high) if used <= limit else (low, q)
    found = largest_mean(np.array([float(second), float(first)]), np.array([0.0, 1.0]), float(radius), 1.0)
    assert float(low) - 1e-17 <= found <= float(low) + 3e-13


def test_limits_and_monotonicity() -> None:
    """Radius 0: the mean itself; infinite: the largest value; in between it grows. The sign mirrors it."""
    for seed in range(40):
        law, values, _ = random_case(seed)
        assert largest_mean(law, values, 0.0, 1.0) == pytest.approx(law @ values, abs=1e-12)
        assert largest_mean(law, values, math.inf, 1.0) == values.max()
        assert largest_mean(law, values, math.inf, -1.0) == -values.min()
        found = [largest_mean(law, values, 10.0**power, 1.0) for power in range(-14, 4)]
        assert found[0] >= law @ values
        assert all(later >= earlier - 1e-12 for earlier, later in pairwise(found))
        assert found[-1] <= values.max()
        assert largest_mean(law, -values, 0.3, -1.0) == largest_mean(law, values, 0.3, 1.0)
        moved = largest_mean(law, values + 7.0, 0.3, 1.0)
        assert moved == pytest.approx(largest_mean(law, values, 0.3, 1.0) + 7.0, abs=1e-9)


def value(transitions: np.ndarray, rewards: np.ndarray, policy: np.ndarray) -> float:
    return policy_values(FollowerMDP(transitions, rewards, rewards), policy).follower_value


@pytest.mark.parametrize("seed", range(6))
def test_two_states_by_brute_force(seed: int) -> None:
    """With two states a ball is an interval of laws; extreme models have every law at an end of its own.

    Only 6 laws can be met before the last step and 5 actions chosen: 64 models and 32 policies are all.
    """
    rng = np.random.default_rng(seed)
    laws = random_mdp(rng, SHAPE).transitions
    rewards = rng.uniform(-1, 1, SHAPE)
    radii = 10 ** rng.uniform(-3, 0.5, SHAPE)
    radii[rng.random(SHAPE) < 0.2] = math.inf
    balls = TransitionBalls(np.array(laws), radii)
    met = [(0, 0, b) for b in range(2)] + [(1, s, b) for s in range(2) for b in range(2)]
    first = np.array([1.0, 0.0])
    ends = [
        (-largest_mean(laws[k], first, radii[k], -1.0), largest_mean(laws[k], first, radii[k], 1.0))
        for k in met
    ]
    policies = []
    for chosen in product(range(2), repeat=5):
        actions = np.zeros((3, 2), dtype=int)
        actions[0, 0], actions[1], actions[2] = chosen[0], chosen[1:3], chosen[3:]
        policies.append(one_hot(actions, 2))
    policies.append(rng.dirichlet(np.ones(2), size=(3, 2)))
    values = np.empty((64, len(policies)))
    for number, corner in enumerate(product(range(2), repeat=6)):
        model = np.array(laws)
        for k, interval, end in zip(met, ends, corner, strict=True):
            model[k] = interval[end], 1 - interval[end]
        values[number] = [value(np.clip(model, 0, 1), rewards, policy) for policy in policies]
    pure = values[:, :-1]
    assert best_policy(balls, rewards, 1.0)[0][0] == pytest.approx(pure.max(), abs=1e-10)
    assert best_policy(balls, rewards, -1.0)[0][0] == pytest.approx(pure.min(axis=0).max(), abs=1e-10)
    for column, policy in enumerate(policies):
        for side, found in ((1.0, values[:, column].max()), (-1.0, values[:, column].min())):
            assert policy_value(balls, rewards, policy, side)[0] == pytest.approx(found, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_without_a_radius_it_is_planning_and_without_a_limit_it_is_what_is_best_anywhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, (4, 3, 3))
    rewards, policy = np.array(mdp.follower_rewards), rng.dirichlet(np.ones(3), size=(4, 3))
    laws, radii = np.array(mdp.transitions), np.zeros(mdp.shape)
    optimum = worst_case_best_response(mdp, 0.0).follower_optimum
    for side in (1.0, -1.0):
        values, actions = best_policy(TransitionBalls(laws, radii), rewards, side)
        assert 0 <= side * (values[0] - optimum) < 1e-12
        assert policy_values(mdp, one_hot(actions, 3)).follower_value == pytest.approx(optimum)
        played = policy_value(TransitionBalls(laws, radii), rewards, policy, side)[0]
        assert 0 <= side * (played - policy_values(mdp, policy).follower_value) < 1e-12
        anywhere = best_policy(TransitionBalls(laws, radii + np.inf), rewards, side)[0][0]
        later = rewards.max(axis=2).max(axis=1) if side > 0 else rewards.max(axis=2).min(axis=1)
        assert anywhere == pytest.approx(rewards[0, 0].max() + later[1:].sum())
