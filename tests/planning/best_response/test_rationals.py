"""Best responses against the enumeration of all deterministic policies in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from stackel_bench.models import FollowerMDP
from stackel_bench.planning.best_response import best_case_best_response, worst_case_best_response
from stackel_bench.streams import generator
from tests.planning.best_response.attained import METHODS, assert_attains

SHAPES = [(1, 1, 4), (1, 2, 3), (2, 2, 2), (2, 3, 2), (3, 1, 3), (3, 2, 2), (3, 2, 3)]
GRIDS = {"decimal": (3, 10), "dyadic": (4, 4), "coarse": (2, 2)}  # parts of a probability, of a reward


def rational_model(grid, shape, seed):
    """Integer counts [H,S,B,S], two integer rewards [H,S,B], their denominators: full of exact ties."""
    rng = generator("rational model", grid, *shape, seed)
    parts, steps = GRIDS[grid]
    counts = rng.multinomial(parts, np.full(shape[1], 1 / shape[1]), size=shape)
    return counts, rng.integers(0, steps + 1, size=(2, *shape)), parts, steps


def as_floats(counts, rewards, parts, steps):
    return FollowerMDP(counts / parts, rewards[0] / steps, rewards[1] / steps)


def all_values(counts, rewards, parts, steps):
    """The exact pairs (V1, V2) of all deterministic policies from state 0."""
    horizon, states, actions, _ = counts.shape
    tables = {((Fraction(0), Fraction(0)),) * states}
    for step in reversed(range(horizon)):
        longer = set()
        for table in tables:
            choices = [
                {
                    tuple(
                        Fraction(int(rewards[i, step, state, action]), steps)
                        + sum(
                            Fraction(int(n), parts) * table[t][i]
                            for t, n in enumerate(counts[step, state, action])
                        )
                        for i in range(2)
                    )
                    for action in range(actions)
                }
                for state in (range(states) if step else [0])
            ]
            longer.update(product(*choices))
        tables = longer
    return {table[0] for table in tables}


def exact_leader_value(points, target, choose):
    """min or max of V1 over the convex hull of points, V2 >= target: at a point or between two."""
    feasible = [p for p in points if p[1] >= target]
    candidates = [p[0] for p in feasible]
    for inside, outside in product(feasible, (p for p in points if p[1] < target)):
        share = (target - outside[1]) / (inside[1] - outside[1])
        candidates.append(outside[0] + share * (inside[0] - outside[0]))
    return choose(candidates)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_agrees_with_all_policies_in_exact_arithmetic(grid, shape):
    """3 grids x 7 shapes x 5 seeds x 7 slacks x worst and best: 1,470 instances for each method."""
    for seed in range(5):
        model = rational_model(grid, shape, seed)
        mdp = as_floats(*model)
        points = all_values(*model)
        optimum = max(p[1] for p in points)
        # Targets on a vertex, and half way to it, as well as slacks of any size.
        gap = optimum - sorted(points)[len(points) // 2][1]
        for slack in (0, Fraction(1, 10**9), Fraction(1, 10), Fraction(1, 7), gap, gap / 2, 5):
            for respond, choose in ((worst_case_best_response, min), (best_case_best_response, max)):
                expected = exact_leader_value(points, optimum - slack, choose)
                for method in METHODS:
                    response = respond(mdp, float(slack), method=method)
                    assert response.leader_value == pytest.approx(float(expected), abs=1e-12)
                    assert response.follower_optimum == pytest.approx(float(optimum), abs=1e-14)
                    assert_attains(mdp, response, float(slack))
