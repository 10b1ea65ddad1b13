"""T* against values by hand, an independent optimiser, and the laws that it obeys."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import stackel_bench as sb
from stackel_bench.errors import InputError
from tests.families.bandit.characteristic_grids import NAMED, Formula


def explicit(leader: Any, follower: Any, **more: Any) -> Any:
    return sb.load_game("bandit/explicit", leader_means=leader, follower_means=follower, **more)


def time_of(game: Any, tie: str = "pessimistic", epsilon: float = 0.1, **more: Any) -> Any:
    found = sb.characteristic_time(game, epsilon=epsilon, tie_breaking=tie, **more)
    assert found.low <= found.high <= 1.05 * found.low or found.low == found.high
    assert found.allocation.shape == game.table.shape
    assert (found.allocation >= 0).all()
    assert found.allocation.sum() == pytest.approx(1)
    return found


def holds(found: Any, value: float) -> bool:
    return bool(found.low <= value * (1 + 1e-6) and value <= found.high * (1 + 1e-6))


def test_the_trap_by_hand() -> None:
    """1000: four risky rows, and the safe row's response, are told from games 0.1 away: 200 each.

    Follower means (.55, .45) instead of (.5, .5) make a risky row worth 1: cost 2 * .05^2 (w0 + w1), which
    must be 1. The same for the response to the safe row, which the other one may beat by 0.1.
    """
    assert holds(time_of(sb.load_game("bandit/trap")), 1000)


@pytest.mark.parametrize("name", ["trap", "lower_bound", "random"])
def test_a_second_method_finds_the_same_within_5_percent(name: str) -> None:
    """Grids and cutting planes that share no code; `benchmarks/characteristic_time.py` also does taxation."""
    game = sb.load_game(f"bandit/{name}", **NAMED[name])
    found, unit = time_of(game), 2.0  # standard deviations are 1/2
    formula = Formula(unit * game.table.leader_means, unit * game.table.follower_means, unit * 0.1)
    low, high = formula.time()
    assert high <= 1.011 * low
    assert found.low <= high * 1.01
    assert low <= found.high
    assert max(high, found.high) <= 1.05 * min(low, found.low)


def test_one_response_is_best_arm_identification_up_to_epsilon() -> None:
    """Two arms, gap g: they swap their order by epsilon at rate (g + eps)^2 / 2: T* is its inverse."""
    for gap in (0.0, 0.2, 0.5):
        game = explicit([[0.3 + gap], [0.3]], [[0.5], [0.5]])
        for tie in ("pessimistic", "optimistic"):
            found = time_of(game, tie)
            assert holds(found, 2 / (gap + 0.1) ** 2)
            np.testing.assert_allclose(found.allocation, 0.5, atol=0.12)


def test_one_row_is_a_response_within_epsilon() -> None:
    """The best of two responses, gap g, must not be overtaken by epsilon: the same two-armed problem."""
    assert holds(time_of(explicit([[0.1, 0.9]], [[0.7, 0.4]])), 2 / 0.4**2)


def test_nothing_to_be_mistaken_about() -> None:
    assert time_of(explicit([[0.3]], [[0.3]])).high == 0
    assert time_of(explicit([[0.3], [0.6]], [[0.3], [0.3]]), epsilon=1.5, divergence="bernoulli").high == 0


@pytest.mark.parametrize("tie", ["pessimistic", "optimistic"])
def test_ties_at_accuracy_zero_take_for_ever(tie: str) -> None:
    assert time_of(explicit([[0.5], [0.5]], [[0.5], [0.5]]), tie, epsilon=0.0).low == np.inf


def answer_rate(
    leader: np.ndarray,
    follower: np.ndarray,
    weights: np.ndarray,
    answer: tuple[int, int],
    eps: float,
    tie: str,
) -> float:
    """The cheapest wrong game by brute force: every membership pattern of two rows, each a convex program.

    Which responses are within slack is fixed by a pattern; then all conditions are linear in the means, the
    cost is a quadratic, and SLSQP solves it from the true means.
    """
    row, response = answer
    best = np.inf
    columns = range(follower.shape[1])

    def solve(rows: list[int], conditions: Any) -> float:
        true = np.concatenate([leader[rows].ravel(), follower[rows].ravel()])
        shares = np.concatenate([weights[rows].ravel()] * 2)
        size = len(rows) * follower.shape[1]

        def split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return x[:size].reshape(len(rows), -1), x[size:].reshape(len(rows), -1)

        found = minimize(
            lambda x: 1e3 * float((2 * shares * (x - true) ** 2).sum()),
            true,
            jac=lambda x: 4e3 * shares * (x - true),
            constraints=[{"type": "ineq", "fun": lambda x: np.array(conditions(*split(x)))}],
            method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-12},
        )
        return found.fun / 1e3 if found.success else np.inf

    for b in columns:
        if b != response:
            best = min(best, solve([row], lambda v, w, b=b: [w[0, b] - w[0, response] - eps]))
    sign = 1 if tie == "pessimistic" else -1
    slack = eps / 2 if tie == "pessimistic" else 0.0
    some, every = (0, 1) if tie == "pessimistic" else (1, 0)
    for other in set(range(len(leader))) - {row}:
        for b, b0 in itertools.product(columns, columns):
            rest = [k for k in columns if k != b0]
            for kept in itertools.product([True, False], repeat=len(rest)):

                def conditions(
                    v: Any, w: Any, b: int = b, b0: int = b0, kept: Any = kept, rest: Any = rest
                ) -> Any:
                    found = [w[some, b] - w[some, k] + slack for k in columns]
                    found += [w[every, b0] - w[every, k] for k in rest]
                    found += [sign * (v[every, b0] - v[some, b]) - eps]
                    for k, keep in zip(rest, kept, strict=True):
                        agrees = sign * (v[every, k] - v[some, b]) - eps
                        found.append(agrees if keep else w[every, b0] - w[every, k] - eps)
                    return found

                best = min(best, solve([row, other], conditions))
    return best


@pytest.mark.parametrize("tie", ["pessimistic", "optimistic"])
@pytest.mark.parametrize("responses", [2, 3])
def test_the_allocation_attains_high_and_others_do_no_better(responses: int, tie: str) -> None:
    """Brute force finds the rate of the allocation, and no answer and weights with a rate above 1 / low."""
    rng = np.random.default_rng(responses)
    leader, follower = rng.uniform(size=(2, 2, responses))
    game = explicit(leader, follower)
    found = time_of(game, tie)
    own, best = (0.05, 0.1) if tie == "pessimistic" else (0.1, 0.0)
    values = sb.leader_values(game, slack=own, tie_breaking=tie)
    wanted = sb.leader_values(game, slack=best, tie_breaking=tie).max() - 0.1
    answers = [
        (a, b)
        for a, b in np.ndindex(follower.shape)
        if values[a] >= wanted and follower[a, b] >= follower[a].max() - 0.1
    ]
    rates = [answer_rate(leader, follower, found.allocation, answer, 0.1, tie) for answer in answers]
    assert 1 / max(rates) == pytest.approx(found.high, rel=0.02)
    for _ in range(3):
        near = np.maximum(found.allocation + 0.1 * rng.normal(size=follower.shape) * found.allocation, 1e-9)
        for weights in (near / near.sum(), rng.dirichlet(np.ones(follower.size)).reshape(follower.shape)):
            for answer in answers:
                assert answer_rate(leader, follower, weights, answer, 0.1, tie) <= (1 + 1e-3) / found.low


def test_scale_and_order_change_nothing() -> None:
    """T* is quadratic in the noise, and depends on means and epsilon in units of it; rows may be renamed."""
    rng = np.random.default_rng(5)
    leader, follower = rng.uniform(size=(2, 3, 3))
    plain = time_of(explicit(leader, follower))
    twice = time_of(explicit(2 * leader, 2 * follower, noise="gaussian", noise_scale=1.0), epsilon=0.2)
    loud = time_of(explicit(leader, follower, noise="gaussian", noise_scale=1.5))
    other = time_of(explicit(leader[::-1, ::-1], follower[::-1, ::-1]))
    for found, factor in ((twice, 1), (loud, 9), (other, 1)):
        assert found.low <= factor * plain.high * (1 + 1e-9)
        assert factor * plain.low <= found.high * (1 + 1e-9)


def test_bernoulli_rewards_tell_more_than_gaussian_ones() -> None:
    """Pinsker: kl(p, q) >= 2 (p - q)^2, so that T* is smaller."""
    for name in ("bandit/trap", "bandit/gap"):
        game = sb.load_game(name)
        assert time_of(game, divergence="bernoulli").low <= time_of(game).high


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(InputError, match="characteristic time"):
        sb.characteristic_time(sb.load_game("linear/one_hot"), epsilon=0.1)
    with pytest.raises(InputError, match="divergence"):
        sb.characteristic_time(sb.load_game("bandit/trap"), epsilon=0.1, divergence="poisson")
    game = explicit([[1.5]], [[0.5]], noise="gaussian")
    with pytest.raises(InputError, match="means in"):
        sb.characteristic_time(game, epsilon=0.1, divergence="bernoulli")
