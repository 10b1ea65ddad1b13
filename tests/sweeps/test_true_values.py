"""Exact values for figures: computed by the driver, bounded by work and not by time, drawn as they are."""

from __future__ import annotations

import itertools
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.evaluation.oracle import FiniteLeaderOracle
from stackel_bench.families.simultaneous.oracle import SimplexOracle
from stackel_bench.notebook.results import Results
from stackel_bench.reporting.figures.canvas import Drawing
from stackel_bench.reporting.figures.true_values import draw_landscape, draw_simplex
from stackel_bench.results import colours
from stackel_bench.sweeps import true_values
from tests import brute_force

LEADER, FOLLOWER = [[1.0, 0.25], [0.5, 0.75]], [[0.5, 0.75], [0.75, 0.25]]


def game(family: str, **more: Any) -> Any:
    return sb.load_game(f"{family}/explicit", leader_means=LEADER, follower_means=FOLLOWER, **more)


def swept() -> Results:
    """One simultaneous game, both tie-breakings, and seven bandit games that differ in their noise alone."""
    bandits = [game("bandit", noise="gaussian", noise_scale=0.1 * (1 + number)) for number in range(7)]
    return sb.sweep(
        game=[game("simultaneous"), *bandits],
        algorithm="plug_in",
        tie_breaking=["pessimistic", "optimistic"],
        budget="fixed",
        samples=400,
        epsilon=0.1,
        replicates=3,
    )


@pytest.fixture(scope="module")
def results() -> Results:
    return swept()


def titles(drawings: list[Drawing]) -> list[str]:
    return [axes.get_title() for drawing in drawings for axes in drawing.figure.axes if axes.get_title()]


def test_landscape_shows_the_exact_values(results: Results) -> None:
    (drawing,) = draw_landscape(results._sweep)
    assert "2 more games are left out" in drawing.caption
    finite = [axes for axes in drawing.figure.axes if axes.get_title().startswith("bandit/")]
    assert len(finite) == 5
    for axes in finite:
        for tie, optimistic in (("pessimistic", False), ("optimistic", True)):
            colour = colours.TIE_COLOURS[tie]
            curve, level = [line for line in axes.lines if line.get_color() == colour]
            for slack, value in curve.get_xydata():
                exact = brute_force.stackelberg_value(LEADER, FOLLOWER, Fraction(slack), optimistic)
                assert value == float(exact)
            assert set(level.get_ydata()) == {curve.get_ydata()[0]}


def test_simplex_shows_the_learned_strategies_on_the_exact_curve(results: Results) -> None:
    (drawing,) = draw_simplex(results._sweep)
    assert len(drawing.figure.axes) == 2
    for axes, optimistic in zip(drawing.figure.axes, (False, True), strict=True):
        tolerant, exact = axes.lines[:2]
        (dots,) = [line for line in axes.lines if line.get_marker() == "o"]
        assert len(dots.get_xdata()) == 3
        for line, slack in ((tolerant, Fraction(1, 10)), (exact, Fraction(0)), (dots, Fraction(0))):
            for weight, value in line.get_xydata()[:: 1 if line is dots else 20]:
                leader, follower = (mixed(matrix, weight) for matrix in (LEADER, FOLLOWER))
                (wanted,) = brute_force.leader_values([leader], [follower], slack, optimistic)
                assert value == pytest.approx(float(wanted), abs=1e-12)


def mixed(matrix: list[list[float]], weight: float) -> list[Fraction]:
    """Payoffs of each response if the first action has this weight: a decimal, or a learned dyadic one."""
    first = Fraction(weight)
    typed = first.limit_denominator(1000)
    first = typed if abs(first - typed) < 1e-12 else first
    return [first * Fraction(x) + (1 - first) * Fraction(y) for x, y in zip(*matrix, strict=True)]


def test_reports_solve_nothing(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a report solves a game")

    for oracle in (FiniteLeaderOracle, SimplexOracle):
        for name in ("stackelberg_value", "values_of", "gap"):
            monkeypatch.setattr(oracle, name, refuse)
    assert len(titles(draw_landscape(results._sweep))) == 6
    assert len(titles(draw_simplex(results._sweep))) == 2


def test_what_is_solved_does_not_depend_on_the_clock(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute passes between any two looks at the clock, as on a machine that is very busy."""
    minutes = itertools.count()
    for clock in ("monotonic", "perf_counter", "process_time"):
        monkeypatch.setattr(time, clock, lambda: 60.0 * next(minutes))
    found = swept()
    monkeypatch.undo()
    for before, after in zip(results._sweep.entries, found._sweep.entries, strict=True):
        assert before.true_values == after.true_values
    (expected,), (drawing,) = draw_landscape(results._sweep), draw_landscape(found._sweep)
    assert titles([drawing]) == titles([expected])
    assert drawing.caption == expected.caption


@pytest.mark.parametrize(("limit", "drawn"), [("MOST_ENTRIES", 0), ("MOST_MIXED_ENTRIES", 6)])
def test_large_games_are_left_out(monkeypatch: pytest.MonkeyPatch, limit: str, drawn: int) -> None:
    """The tables here have four entries; only one of them is of a game whose leader mixes."""
    monkeypatch.setattr(true_values, limit, 3)
    found = titles(draw_landscape(swept()._sweep))
    assert len(found) == drawn
    assert all(title.startswith("bandit/") for title in found)


def test_three_actions_are_drawn_on_a_triangle() -> None:
    three = sb.load_game("simultaneous/random", num_leader_actions=3, num_follower_actions=3)
    found = sb.sweep(game=three, algorithm="plug_in", budget="fixed", samples=90, replicates=2)
    (entry,) = found._sweep.entries
    assert len(entry.true_values["exact"]) == len(true_values.simplex_grid(3)) == 61 * 62 // 2
    assert np.allclose(true_values.simplex_grid(3).sum(axis=1), 1)
    (drawing,) = draw_simplex(found._sweep)
    assert drawing.name == "simplex_3"
