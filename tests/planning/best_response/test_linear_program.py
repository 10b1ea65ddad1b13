"""Best responses against HiGHS on the occupancy program, and against themselves by theorems."""

from __future__ import annotations

import pytest

from stackel_bench.planning.best_response import best_case_best_response, worst_case_best_response
from tests import occupancy_lp
from tests.planning.best_response.attained import METHODS, assert_attains
from tests.planning.follower_mdp_families import FAMILIES, SHAPES, follower_mdp

RESPONSES = {True: worst_case_best_response, False: best_case_best_response}


@pytest.mark.parametrize("family", FAMILIES)
def test_agrees_with_highs_on_the_occupancy_program(family):
    """14 families x 9 shapes x 4 slacks x worst and best: 1,008 instances for each method."""
    for shape in SHAPES:
        mdp = follower_mdp(family, shape, 0)
        program = occupancy_lp.occupancy_program(mdp)
        optimum = occupancy_lp.follower_optimum(program)
        for slack in (1e-3, 0.05, 0.4, 100.0):
            for worst, respond in RESPONSES.items():
                expected = occupancy_lp.leader_value(program, optimum - slack, worst=worst)
                for method in METHODS:
                    response = respond(mdp, slack, method=method)
                    assert response.leader_value == pytest.approx(expected, abs=1e-9)
                    assert response.follower_optimum == pytest.approx(optimum, abs=1e-9)
                    assert_attains(mdp, response, slack)
