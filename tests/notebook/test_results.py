"""Results in Python: merging, figures with the numbers of the tables, reports, short texts."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import stackel_bench as sb

LADDER = {"budget": "ladder", "epsilon": [0.1, 0.2], "rungs": 4, "replicates": 20}
TIES = ["pessimistic", "optimistic"]


@functools.cache
def pairs() -> sb.Results:
    return sb.sweep(["bandit/trap", "bandit/random"], "paper", tie_breaking=TIES, **LADDER)


@functools.cache
def correlated() -> sb.Results:
    options = {"game.correlation": [-1, 0, 1]}
    return sb.sweep(
        "bandit/correlated", budget="ladder", epsilon=0.2, rungs=5, replicates=20, options=options
    )


def test_merging_counts_cells_once_and_finds_new_columns() -> None:
    first = sb.sweep("bandit/correlated", epsilon=0.3, replicates=3, options={"game.correlation": [0, 1]})
    second = sb.sweep("bandit/correlated", epsilon=0.3, replicates=3, options={"game.correlation": [1]})
    third = sb.sweep("bandit/correlated", epsilon=0.3, replicates=3, options={"game.correlation": 0.5})
    assert "game.correlation" not in third.cells
    merged = sb.load_results([first, second, third])
    assert merged.cells["game.correlation"].tolist() == [0, 1, 0.5]
    assert merged.records.groupby("game.correlation").size().tolist() == [3, 3, 3]
    assert merged.cells["cell_id"].is_unique
    rows = merged.records[merged.records["game.correlation"] == 0.5]
    assert rows["estimated_value"].tolist() == third.records["estimated_value"].tolist()


def test_curves_have_the_numbers_of_the_rungs() -> None:
    figure = pairs().plot.curves()
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 8  # two games, two accuracies, loss and failures
    assert [axes.get_ylabel() for axes in figure.axes].count("failure probability") == 2
    titles = [text.get_text() for part in figure.subfigs for text in part.texts]
    assert titles == ["Learning curves: bandit/trap", "Learning curves: bandit/random"]
    drawn = {
        tuple(np.round(line.get_ydata(), 12))
        for axes in figure.axes
        for line in axes.get_lines()
        if len(line.get_xdata()) == 4
    }
    for _, curve in pairs().rungs.groupby("cell_id"):
        for metric in ("value_suboptimality", "failure_probability"):
            assert tuple(np.round(curve.sort_values("samples")[metric], 12)) in drawn
    assert figure._repr_png_()[:4] == b"\x89PNG"


def test_paired_has_the_differences_of_the_records() -> None:
    figure = pairs().plot.paired()
    losses, failures = figure.axes
    assert losses.get_xlabel() == "difference in mean loss"
    assert failures.get_xlabel() == "difference in failure probability"
    assert len(losses.get_yticklabels()) == 4  # games x accuracies
    records = pairs().records
    means = records.groupby(["game", "epsilon", "rung", "tie_breaking"])["value_suboptimality"].mean()
    wide = means.unstack("tie_breaking")
    differences = (wide["optimistic"] - wide["pessimistic"]).reset_index(name="difference")
    expected = differences[differences["rung"].isin([1, 3])]["difference"]
    dots = [line.get_xdata()[0] for line in losses.get_lines() if line.get_marker() == "o"]
    assert sorted(dots) == pytest.approx(sorted(expected), abs=1e-12)


def test_scaling_along_any_number() -> None:
    (axes,) = correlated().plot.scaling("game.correlation").axes
    assert axes.get_xlabel() == "game.correlation"
    assert axes.get_xscale() == "linear"
    dots = {
        line.get_xdata()[0]: line.get_ydata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 1
    }
    cells = correlated().cells
    assert dots == dict(zip(cells["game.correlation"], cells["sample_complexity"], strict=True))


def test_scaling_along_the_size_of_objects() -> None:
    """Games given as objects have no key of that name, but a column."""
    games = [sb.load_game("bandit/lower_bound", num_leader_actions=n) for n in (2, 4, 8)]
    results = sb.sweep(games, budget="ladder", epsilon=0.2, rungs=6, replicates=20)
    (axes,) = results.plot.scaling("game.num_leader_actions").axes
    assert axes.get_xlabel() == "A (num_leader_actions)"
    assert axes.get_xscale() == "log"
    dots = sorted(line.get_ydata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 1)
    assert dots == sorted(results.cells["sample_complexity"])


def test_figures_say_what_is_missing() -> None:
    single = sb.sweep("bandit/trap", budget="fixed", samples=1000, replicates=2)
    with pytest.raises(sb.InputError, match="budget=ladder"):
        single.plot.curves()
    with pytest.raises(sb.InputError, match="tie_breaking=pessimistic,optimistic"):
        single.plot.paired()
    with pytest.raises(sb.InputError, match="budget=ladder"):
        single.plot.scaling("budget.epsilon")
    with pytest.raises(sb.InputError, match=r"varies and is a number: .*game\.correlation"):
        correlated().plot.scaling("game.name")


def test_the_report_goes_to_its_path_alone(tmp_path: Path) -> None:
    path = correlated().report(tmp_path / "deep" / "out.html")
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["out.html"]
    page = path.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "correlation=-1" in page


def test_frames_are_the_callers_own() -> None:
    results = sb.load_results([correlated()])
    before = results.plot.scaling("game.correlation").axes[0].get_ylim()
    results.cells["sample_complexity"] = 1.0
    assert results.plot.scaling("game.correlation").axes[0].get_ylim() == before


NEED_A_VALUE = ("from_file", "explicit", "simulator", "gymnasium")


@pytest.mark.parametrize("name", [name for name in sb.game_names() if not name.endswith(NEED_A_VALUE)])
def test_texts_of_games_are_short(name: str) -> None:
    game = sb.load_game(name)
    for text in (repr(game), game._repr_html_()):  # type: ignore[attr-defined]
        assert len(text) < 3000
        assert name in text
        assert "num_leader_actions" in text


def test_texts_of_decisions_verdicts_and_results_are_short() -> None:
    game = sb.load_game("bandit/trap")
    plain = sb.learn(game, epsilon=0.3)
    verdict = sb.evaluate(game, plain, epsilon=0.3)
    policy = dataclasses.replace(plain, follower_response=np.full((20, 30, 4), 0.25))
    mixed = dataclasses.replace(plain, leader_action=None, leader_strategy=np.full(900, 1 / 900))
    for thing in (plain, policy, mixed, verdict):
        assert max(len(repr(thing)), len(thing._repr_html_())) < 3000  # type: ignore[attr-defined]
    assert "guarantee_held=True" in repr(verdict)
    assert "follower_response=<array [20, 30, 4]>" in repr(policy)
    assert "leader_strategy=<array [900]>" in repr(mixed)
    assert f"estimated_value={plain.estimated_value!r}" in repr(plain)
    for thing in (pairs(), correlated(), sb.load_results([pairs(), correlated()])):
        assert max(len(repr(thing)), len(thing._repr_html_())) < 3000
        assert f"{len(thing)} cells" in repr(thing)
    assert "<td>bandit/trap</td>" in pairs()._repr_html_()
