"""Values and gaps over the simplex against rational breakpoints, other programs and random strategies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.exact_replies import exact_reply_supremum
from stackel_bench.planning.mixed.gaps import mixed_gap, mixed_stackelberg_value
from stackel_bench.streams import generator
from tests.simplex_references import (
    FAMILIES,
    TwoActionGame,
    as_floats,
    maximise,
    pessimistic_supremum,
    random_game,
    with_mixed_rows,
)

CONITZER = PayoffTable(np.array([[2, 4], [1, 3]]) / 4, np.array([[1.0, 0.0], [0.0, 1.0]]))


def two_action_games(key: str, family: str, count: int):
    """Games with two leader actions (for the reference), padded with mixtures of them (for the table)."""
    rng = generator(key, family)
    for _ in range(count):
        leader, follower = random_game(rng, family, 2, int(rng.integers(1, 7)))
        epsilon = Fraction(int(rng.integers(0, 5)), int(rng.choice([8, 10])))
        padded = with_mixed_rows(rng, leader, follower, int(rng.integers(0, 4)))
        table = PayoffTable(*(as_floats(matrix) for matrix in padded))
        yield TwoActionGame(leader, follower), table, epsilon


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_reply_supremum_equals_rational_breakpoints(family: str) -> None:
    for game, table, _ in two_action_games("exact-replies", family, 85):
        found = exact_reply_supremum(table)
        wanted = float(game.supremum(Fraction(0), min))
        assert found.supremum == pytest.approx(wanted, abs=1e-9)
        assert found.supremum <= found.upper_bound <= found.supremum + 1e-11


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_reply_supremum_equals_enumeration(family: str) -> None:
    rng = generator("exact-replies-enumeration", family)
    for _ in range(8):
        leader, follower = map(as_floats, random_game(rng, family, *rng.integers(1, 5, 2)))
        found = exact_reply_supremum(PayoffTable(leader, follower))
        assert found.supremum == pytest.approx(pessimistic_supremum(leader, follower, 0.0), abs=1e-9)


def test_repeated_responses_are_hedged_against_by_mixing() -> None:
    # No pure strategy is good against both copies of the best reply, an even mixture is.
    table = PayoffTable([[1, 0, 0.3], [0, 1, 0.3], [0, 0, 0.3]], [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert exact_reply_supremum(table).supremum == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_both_gaps_equal_rational_breakpoints(family: str) -> None:
    for game, table, epsilon in two_action_games("gaps", family, 85):
        gap = mixed_gap(table, float(epsilon), "pessimistic")
        wanted = float(game.supremum(Fraction(0), min) - game.supremum(epsilon, min))
        assert gap.low - 1e-10 <= wanted <= gap.high + 1e-10
        assert 0 <= gap.high - gap.low <= 1.001e-6
        gap = mixed_gap(table, float(epsilon), "optimistic")
        assert gap.low == pytest.approx(float(game.optimistic_gap(epsilon)), abs=1e-9)
        assert 0 <= gap.high - gap.low <= 1e-10


@pytest.mark.parametrize("epsilon", [0.0625, 0.1, 0.5, 0.9])
def test_unit_values_of_the_conitzer_sandholm_game(epsilon: float) -> None:
    def value(slack: float, rule: str):
        return mixed_stackelberg_value(CONITZER, slack, rule)

    assert value(0.0, "pessimistic").low == pytest.approx(0.875, abs=1e-12)
    tolerant = value(epsilon, "pessimistic")
    assert tolerant.low <= 0.875 - epsilon / 8 <= tolerant.high + 1e-12
    assert tolerant.high - tolerant.low <= 1e-6
    assert value(epsilon, "optimistic").low == pytest.approx(0.875 + epsilon / 8, abs=1e-12)
    assert mixed_gap(CONITZER, epsilon).high == pytest.approx(epsilon / 8, abs=1e-6)
    assert mixed_gap(CONITZER, epsilon, "optimistic").low == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.25, 0.9])
def test_pessimistic_gap_of_the_lemma_is_one_half(epsilon: float) -> None:
    table = PayoffTable([[1, 0], [0.5, 0.5]], [[epsilon / 2, 0], [1, 1]])
    assert mixed_gap(table, epsilon).low == pytest.approx(0.5, abs=1e-6)


def test_optimistic_gap_is_zero_where_the_printed_program_fails() -> None:
    table = PayoffTable([[1, 0, 0], [0, 0, 0.5]], [[0.5, 0.5, 0], [0.5, 0.5, 1]])
    assert mixed_gap(table, 0.1, "optimistic").high <= 1e-12


def test_no_gap_in_zero_sum_games_and_little_in_cooperative_ones() -> None:
    rng = generator("gap-structure")
    for _ in range(30):
        leader = rng.random((3, 5))
        assert mixed_gap(PayoffTable(leader, 1 - leader), 0.1).low <= 1e-12
        assert mixed_gap(PayoffTable(leader, leader), 0.1).low <= 0.1 + 1e-12


def test_no_gap_at_epsilon_zero() -> None:
    rng = generator("gap-zero")
    for family in FAMILIES:
        leader, follower = map(as_floats, random_game(rng, family, 3, 4))
        for rule in ("pessimistic", "optimistic"):
            assert mixed_gap(PayoffTable(leader, follower), 0.0, rule).high <= 1e-9


@pytest.mark.parametrize("step", [0, 2, 4])
def test_optimistic_gap_with_more_actions(step: int) -> None:
    """Against the same pairs of programs in HiGHS, and never below what random strategies show."""
    rng = generator("optimistic-gap", step)
    for _ in range(8):
        shape = (int(rng.integers(3, 6)), int(rng.integers(2, 5)))
        leader, follower = rng.integers(0, step + 1, (2, *shape)) / step if step else rng.random((2, *shape))
        epsilon = 0.125
        gap = mixed_gap(PayoffTable(leader, follower), epsilon, "optimistic")
        best = mixed_stackelberg_value(PayoffTable(leader, follower), 0.0, "optimistic").low
        assert gap.low == pytest.approx(_gap_by_pairs(leader, follower, epsilon, best), abs=1e-7)
        assert gap.high - gap.low <= 1e-10
        strategies = np.vstack([rng.dirichlet(np.full(shape[0], 0.5), 3000), np.eye(shape[0])])
        payoffs, paid = strategies @ follower, strategies @ leader
        lag = payoffs.max(axis=1, keepdims=True) - payoffs
        psi_epsilon = np.where(lag <= epsilon, paid, -np.inf).max(axis=1)
        psi_zero = np.where(lag <= 1e-12, paid, -np.inf).max(axis=1)
        competing = psi_epsilon >= best - epsilon
        assert (psi_epsilon - psi_zero)[competing].max(initial=0) <= gap.high + 1e-9


def _gap_by_pairs(leader: np.ndarray, follower: np.ndarray, epsilon: float, best: float) -> float:
    responses = range(leader.shape[1])
    gap = 0.0
    for c in responses:
        leads = follower[:, [c]] - follower
        for b in responses:
            rows = np.column_stack([leads, -leads[:, b], leader[:, b]])
            lower = [*np.zeros(leader.shape[1]), -epsilon - 1e-11, best - epsilon - 1e-11]
            tied = []
            for k in responses:
                largest = maximise(leads[:, [k]], rows, lower)
                if largest is None:
                    break
                if largest[0] <= 1e-8:
                    tied.append(k)
            else:
                found = maximise(leader[:, [b]] - leader[:, tied], rows, lower)
                assert found is not None
                gap = max(gap, found[0])
    return gap


def nearly_tied_games(key: str, count: int):
    """Decimal games whose follower payoffs differ by 1e-2 down to 1e-10, and epsilons from 1e-1 to 1e-11."""
    for number in range(count):
        rng = generator("nearly-tied", key, number)
        shape = (2, int(rng.integers(2, 5)))
        steps = int(rng.choice([4, 1000]))
        leader = [[Fraction(int(k), steps) for k in row] for row in rng.integers(0, steps + 1, shape)]
        finest = Fraction(1, 10 ** int(rng.integers(2, 11)))
        changes = rng.integers(0, 10, shape) * rng.integers(0, 2, shape)
        follower = [
            [Fraction(int(k), 4) + int(d) * finest for k, d in zip(*rows, strict=True)]
            for rows in zip(rng.integers(0, 3, shape), changes, strict=True)
        ]
        epsilon = Fraction(1, 10 ** int(rng.integers(1, 12)))
        table = PayoffTable(as_floats(leader), as_floats(follower))
        yield TwoActionGame(leader, follower), table, epsilon, finest


@pytest.mark.parametrize("block", range(6))
def test_near_ties_are_resolved_or_left_open(block: int) -> None:
    """The interval holds the rational gap on either side of the tolerance, and says where it is wide."""
    unfinished = 0
    for game, table, epsilon, finest in nearly_tied_games(f"block {block}", 150):
        gap = mixed_gap(table, float(epsilon), "optimistic")
        wanted = float(game.optimistic_gap(epsilon))
        assert gap.low - 1e-9 <= wanted <= gap.high + 1e-9
        assert gap.finished == (gap.high - gap.low <= 1e-9)
        if finest >= Fraction(1, 1000) and epsilon >= Fraction(1, 1000):
            assert gap.finished
        unfinished += not gap.finished
    assert 0 < unfinished < 15


def test_a_region_thinner_than_the_tolerance_is_not_taken_for_a_tie() -> None:
    """Response 0 competes for first weights up to 2.3e-9 and lags behind by up to 2.3e-15: is that a tie?"""
    leader = [[0.38201689941940986, 0.4251771273663627], [0.8162498580807743, 0.3562051574027112]]
    follower = [[0.49999999, 0.500001], [0.49999999, 0.49999999]]
    gap = mixed_gap(PayoffTable(leader, follower), 1e-9, "optimistic")
    game = TwoActionGame(*([[Fraction(x) for x in row] for row in m] for m in (leader, follower)))
    assert not gap.finished
    assert gap.low <= float(game.optimistic_gap(Fraction(1e-9))) <= gap.high + 1e-9


def test_time_limit_shows_in_the_interval() -> None:
    rng = generator("gap-time-limit")
    follower = rng.random((60, 120))
    table = PayoffTable(0.8 * (1 - follower) + 0.2 * rng.random((60, 120)), 0.3 * follower)
    gap = mixed_gap(table, 0.1, time_limit=0.02)
    assert not gap.finished
    assert 0 <= gap.low < gap.high


@pytest.mark.parametrize("rule", ["pessimistic", "optimistic"])
def test_bad_input_is_named(rule: str) -> None:
    for bad in (-0.1, float("nan")):
        with pytest.raises(InputError, match="epsilon"):
            mixed_gap(CONITZER, bad, rule)
        with pytest.raises(InputError, match="slack"):
            mixed_stackelberg_value(CONITZER, bad, rule)
        with pytest.raises(InputError, match="accuracy"):
            mixed_gap(CONITZER, 0.1, rule, accuracy=bad)
    with pytest.raises(InputError, match="tie_breaking"):
        mixed_gap(CONITZER, 0.1, "neutral")
