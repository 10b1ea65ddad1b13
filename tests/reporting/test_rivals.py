"""The page opens with the answer; learners are compared with each other; every learner is drawn."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.notebook.results import Results
from stackel_bench.reporting.along.trends import trends
from stackel_bench.reporting.answer import answer_of
from stackel_bench.reporting.figures.answer import draw_answer
from stackel_bench.reporting.pages.report import write_report
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.reporting.versus.contests import learner_contests
from stackel_bench.reporting.versus.rivals import differences, ranks, ratios
from stackel_bench.results.colours import TIE_COLOURS
from stackel_bench.results.journal import Journal
from tests.reporting.fixture_sweeps import make_entry, make_records, write_cell

BUDGETS = tuple(100 * 4**k for k in range(6))
LADDERS = {"paper": (30, 3, 0, 0, 0, 0), "anytime": (200, 150, 30, 3, 0, 0), "plug_in": (200,) * 6}


def three_learners(folder: Path, games: int = 3, theory: float = 1e5) -> SweepResults:
    """paper needs 16 times fewer samples than anytime on every game, and plug_in never has enough."""
    folder.mkdir(exist_ok=True)
    journal = Journal(folder)
    for size in range(2, 2 + games):
        for name, failures in LADDERS.items():
            for tie in ("pessimistic", "optimistic"):
                changes = {"num_leader_actions": size, "algorithm": name, "tie_breaking": tie}
                entry = make_entry(f"{name}{size}{tie}", replicates=200, theory=theory, **changes)
                write_cell(journal, entry, make_records(failures, 200, samples=BUDGETS))
    return read_sweep(folder, study="three")


def test_ratios_ranks_and_differences(tmp_path: Path) -> None:
    results = three_learners(tmp_path)
    contests = learner_contests(results)
    table = ratios(contests, "tie_breaking").set_index(["game", "tie_breaking", "first", "second"])
    row = table.loc["bandit/trap num_risky=2", "pessimistic", "paper", "anytime"]
    assert row["ratio"] == pytest.approx(16, rel=1e-6)
    assert 1 < row["ratio_low"] < 16 < row["ratio_high"]
    found = ranks(results).set_index("learner")
    assert found.loc["paper"].tolist() == [1, 1]
    assert found.loc["anytime"].tolist() == [2, 2]
    assert found.loc["plug_in"].tolist() == [3, 3]
    shown = differences(results, contests)
    assert set(shown["replicates"]) == {"paired"}  # one seed, one game, equal samples in every replicate
    worst = shown[shown["second"] == "plug_in"].iloc[0]
    assert worst["failures, second - first"].startswith("1.000 [0.9")


def test_the_same_from_python(tmp_path: Path) -> None:
    results = Results(three_learners(tmp_path, games=2))
    assert results.ranks()["learner"].tolist() == ["paper", "anytime", "plug_in"]
    assert set(results.ratios()["tie_breaking"]) == {"pessimistic", "optimistic"}
    assert (results.ratios("tie_breaking")["ratio"].dropna() == 1).all()  # the same failures in both
    assert any("plug_in" in sentence for sentence in results.headline())
    with pytest.raises(InputError, match="tie_breaking"):
        results.ratios("seed")


def test_unequal_samples_are_called_independent(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    write_cell(journal, make_entry("a"), make_records((30, 6, 0), 60))
    write_cell(
        journal, make_entry("b", algorithm="plug_in"), make_records((30, 6, 0), 60, samples=(99, 399, 1599))
    )
    results = read_sweep(tmp_path)
    assert set(differences(results, learner_contests(results))["replicates"]) == {"independent"}


def test_the_page_opens_with_the_answer(tmp_path: Path) -> None:
    results = three_learners(tmp_path / "three-1", games=1)
    write_report(results)
    page = (results.folder / "report.html").read_text("utf-8")
    first = page.index("needs 16 [")
    assert page.index('class="question"') < first < page.index("<svg") < page.index("<nav>")
    assert page.count('<section id="learner-against-learner">') == 1
    assert "Colour: blue tones are pessimistic" in page
    assert (results.folder / "figures" / "answer.svg").exists()
    assert (results.folder / "tables" / "learner_ratios.csv").exists()


@pytest.mark.parametrize(("theory", "far"), [(1e5, False), (1e12, True)])
def test_every_learner_is_drawn_and_far_budgets_are_arrows(tmp_path: Path, theory: float, far: bool) -> None:
    results = three_learners(tmp_path, games=2, theory=theory)
    answer = answer_of(results)
    assert answer is not None
    assert len(answer.rows) == 2
    assert [len(row.dots) for row in answer.rows] == [6, 6]
    assert {dot.colour for dot in answer.series if dot.learner == "paper"} == set(TIE_COLOURS.values())
    assert len({dot.colour for dot in answer.series}) == 6
    (drawing,) = draw_answer(answer, trends(results))
    (axes,) = drawing.figure.axes
    assert axes.get_xlim()[1] < 1e7
    assert any("1.00e12 →" in text.get_text() for text in axes.texts) == far
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert {f"{name}, {tie}" for name in LADDERS for tie in TIE_COLOURS} < set(labels)
    assert "the game's own lower bound" not in labels
    assert "lower bound" not in drawing.caption


def test_what_is_possible_at_all_stands_on_the_same_axis() -> None:
    """Need, a learner that stops, the theorem and both lower bounds, with what they do not say."""
    words: dict[str, Any] = {"budget": "ladder", "epsilon": 0.2, "replicates": 20}
    found = sb.sweep(game=["bandit/trap", "bandit/gap"], algorithm=["paper", "certified"], **words)
    results = found._sweep
    answer = answer_of(results)
    assert answer is not None
    for entry in results.finished:
        bound = entry.metrics["lower_bound_samples"]
        shown = {dot.bound for row in answer.rows for dot in row.dots}
        assert any(bound == pytest.approx(found) for found in shown)
    assert all(math.isnan(row.worst_case) for row in answer.rows)  # below one sample for games as small
    rows = tuple(dataclasses.replace(row, worst_case=30.0) for row in answer.rows)
    (drawing,) = draw_answer(dataclasses.replace(answer, rows=rows), [])
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert {"paper, pessimistic", "certified, pessimistic", "theorem's budget"} < set(labels)
    assert {"the game's own lower bound", "worst case of its size"} < set(labels)
    assert "as delta goes to 0" in drawing.caption
    (axes,) = drawing.figure.axes
    low, high = axes.get_xlim()
    assert any(list(line.get_xdata()) == [30.0, 30.0] for line in axes.lines)
    assert all(low <= dot.bound <= high for row in answer.rows for dot in row.dots)


def test_a_swept_key_is_the_axis(tmp_path: Path) -> None:
    results = three_learners(tmp_path)
    (drawing,) = draw_answer(answer_of(results), trends(results))
    (axes,) = drawing.figure.axes
    assert axes.get_xlabel() == "game.num_risky"
    assert len([line for line in axes.lines if len(line.get_xdata()) == 3]) == 6
