"""What MLflow is told of a sweep: pairs and series with honest numbers, views of at most 100 runs."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stackel_bench.reporting.mlflow.pair_runs import OPEN_COLOUR, pair_runs
from stackel_bench.reporting.mlflow.series_runs import series_runs, series_steps, step_of
from stackel_bench.reporting.mlflow.studies import Experiment, seeded_page, studies_page
from stackel_bench.reporting.mlflow.study_pages import experiment_description, study_views
from stackel_bench.reporting.mlflow.views import MOST_RUNS, make_views, view_tags
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.reporting.versus.paired import paired_table
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal
from stackel_bench.results.names import run_names
from stackel_bench.results.varying import varying_keys
from stackel_bench.tracking.run_record import Point
from tests.reporting.fixture_sweeps import make_entry, make_records, troubled_sweep, write_cell

TAGS = {"stackel.sweep_id": "s"}


def last(points: Sequence[Point]) -> dict[str, float]:
    """The value of each metric at its largest step: what tables and bars show."""
    return {key: value for key, value, _ in sorted(points, key=lambda point: point[2])}


def test_a_pair_says_what_its_records_say(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    table, _ = paired_table(results)
    full = table[table["budget"] == "full"].reset_index(drop=True)
    found = pair_runs(results, TAGS)
    assert len(found) == len(full) == 2
    for run, row in zip(found, full.to_dict("records"), strict=True):
        numbers = last(run.points)
        assert numbers["difference/loss"] == pytest.approx(row["loss_difference"])
        assert numbers["difference/loss_low"] <= numbers["difference/loss"] <= numbers["difference/loss_high"]
        assert run.tags["smaller_loss"] == row["smaller_loss"]
    same, apart = found
    records = {name: results.tables.read_records(name).query("rung == 2") for name in ("cccc", "dddd")}
    losses = {name: frame["value_suboptimality"].mean() for name, frame in records.items()}
    assert last(apart.points)["difference/loss"] == pytest.approx(losses["dddd"] - losses["cccc"])
    assert (apart.tags["smaller_loss"], same.tags["smaller_loss"]) == ("optimistic", "open")
    assert {run.tags["samples_ratio"] for run in found} == {"undecided"}
    assert {run.tags["mlflow.runColor"] for run in found} == {OPEN_COLOUR}
    assert "samples/pessimistic" in last(same.points)
    assert "samples/pessimistic" not in last(apart.points), "it needs more than was tried"
    assert same.key == pair_runs(results, TAGS)[0].key != apart.key


def test_a_pair_has_the_colour_of_who_needs_fewer_samples(tmp_path: Path) -> None:
    """200 replicates, and optimistic is good enough at a tenth of the budget; it loses less, too."""
    journal = Journal(tmp_path)
    for tie, failures in (("pessimistic", (200, 150, 0)), ("optimistic", (50, 0, 0))):
        entry = make_entry(tie, tie_breaking=tie, replicates=200)
        write_cell(journal, entry, make_records(failures, 200))
    (run,) = pair_runs(read_sweep(tmp_path), TAGS)
    assert (run.tags["fewer_samples"], run.tags["mlflow.runColor"]) == ("optimistic", "#d55e00")
    assert re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]", run.tags["samples_ratio"])
    assert "times those of optimistic" in run.tags["mlflow.note.content"]


def swept_sweep(folder: Path) -> SweepResults:
    """Both tie-breakings at three sizes; the largest needs more than was tried, one cell is vacuous."""
    folder = folder / "sweeps" / "swept-0123456789ab"
    folder.mkdir(parents=True)
    journal = Journal(folder)
    entries: list[Entry] = []
    for tie in ("pessimistic", "optimistic"):
        for size in (2, 4, 8):
            made = make_entry(f"{tie[0]}{size}", tie_breaking=tie, num_leader_actions=size)
            config = {**made.config, "game": {"name": "bandit/trap", "num_leader_actions": size}}
            entries.append(dataclasses.replace(made, config=config))
    names = run_names(entries)
    for entry in entries:
        failures = {2: (30, 0, 0), 4: (50, 20, 0), 8: (60, 60, 60)}[entry.description["num_leader_actions"]]
        vacuous = entry.cell_id == "o2"
        records = make_records(failures, 60).assign(vacuous=vacuous)
        write_cell(journal, dataclasses.replace(entry, label=names[entry.cell_id]), records)
    return read_sweep(folder, study="swept", question="How does it grow?")


def test_a_series_has_the_swept_number_as_step(tmp_path: Path) -> None:
    results = swept_sweep(tmp_path)
    assert [step.key for step in series_steps(results)] == ["game.num_leader_actions"]
    runs = {run.tags["tie_breaking"]: run for run in series_runs(results, TAGS)}
    assert set(runs) == {"pessimistic", "optimistic"}
    steps: dict[str, list[int]] = {}
    for key, _, step in runs["pessimistic"].points:
        steps.setdefault(key, []).append(step)
    assert steps["scaling/failure_probability"] == [2, 4, 8]
    assert steps["scaling/sample_complexity"] == [2, 4], "what needs more is no point of the line"
    assert runs["pessimistic"].name == "PES paper trap ε.1 along A"
    assert ">1600 at 8" in runs["pessimistic"].tags["trend"]
    assert runs["optimistic"].tags["trend"].startswith("vacuous at 2")
    assert [step for key, _, step in runs["optimistic"].points if key == "scaling/sample_complexity"] == [4]
    assert any(view.name == "Along num_leader_actions" for view in study_views(results))


@pytest.mark.parametrize(
    ("key", "values", "steps"),
    [
        ("game.num_states", [2, 5], [2, 5]),
        ("game.correlation", [-1, -0.5, 0.25], [-100, -50, 25]),
        ("budget.epsilon", [0.05, 0.1], [20, 10]),
    ],
)
def test_steps_are_integers_that_keep_the_order(key: str, values: list[float], steps: list[int]) -> None:
    step = step_of(key, values)
    assert [step.of(value) for value in values] == steps


def many(cells: int, games: int) -> list[Entry]:
    rng = np.random.default_rng(7)
    made = []
    for number in range(cells):
        changes: dict[str, Any] = {
            "game": f"bandit/game_{number % games}",
            "algorithm": ("paper", "plug_in", "nash")[int(rng.integers(3))],
            "tie_breaking": ("pessimistic", "optimistic")[number % 2],
            "epsilon": (0.1, 0.2)[int(rng.integers(2))],
        }
        numbers = {"failure_probability": 0.0, "vacuous": 0.0}
        made.append(dataclasses.replace(make_entry(f"{number:08d}", **changes), metrics=numbers))
    return made


@pytest.mark.parametrize(("cells", "games"), [(8, 1), (90, 6), (300, 4), (2000, 3)])
def test_no_view_selects_more_runs_than_mlflow_draws(cells: int, games: int) -> None:
    """The conditions of the views of games, applied here: each cell is in one of them, none has too many."""
    entries = many(cells, games)
    views = [
        view
        for view in make_views("abc", entries, varying_keys(entries), True, [])
        if view.name.startswith("Game")
    ]
    seen: list[str] = []
    for view in views:
        words = [part.split(" = ") for part in view.state["searchFilter"].split(" and ")]
        known = {key.removeprefix("tags.").strip("`"): value.strip("'") for key, value in words}
        assert (known.pop("stackel.sweep.abc"), known.pop("stackel.kind")) == ("yes", "cell")
        members = [e for e in entries if all(str(e.description[k]) == v for k, v in known.items())]
        assert 0 < len(members) <= MOST_RUNS
        seen += [entry.cell_id for entry in members]
    assert sorted(seen) == [entry.cell_id for entry in entries]
    tags = view_tags(make_views("abc", entries, varying_keys(entries), True, []))
    assert all(len(value) < 20_000 for value in tags.values())
    created = [json.loads(value)["createdAt"] for value in tags.values()]
    assert created == sorted(created, reverse=True), "the menu shows the newest first"
    assert json.loads(next(iter(tags.values())))["name"] == "Pessimistic against optimistic"


def test_charts_fit_the_budget() -> None:
    """Curves on logarithmic axes with a ladder; without one no chart of curves, which would be empty."""
    cell = make_entry("a")
    rungs = ({"samples": 10.0}, {"samples": 100.0})
    for entry, curves in ((dataclasses.replace(cell, rungs=rungs), 2), (cell, 0)):
        for view in make_views("abc", [entry], (), True, []):
            state = view.state
            lines = [chart for chart in state["compareRunCharts"] if chart["type"] == "LINE"]
            pairs = view.name.startswith("Pessimistic")
            assert (len(lines) >= curves - pairs) if curves else not lines
            assert all(chart["xAxisScaleType"] == "log" for chart in lines)
            sections = {section["uuid"] for section in state["compareRunSections"]}
            assert {chart["metricSectionId"] for chart in state["compareRunCharts"]} <= sections
            names = [chart["uuid"] for chart in state["compareRunCharts"]]
            assert len(set(names)) == len(names)


def test_description_begins_with_links_and_explains_every_headline_metric(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    text = experiment_description(results, ["It is so."], study_views(results), "5", "run7")
    first = text.splitlines()[0]
    assert "[Pessimistic against optimistic](#/experiments/5/runs?" in first
    assert "[Report](#/experiments/5/runs/run7/artifacts/report.html)" in first
    assert results.question in text
    assert "- It is so." in text
    for metric in ("failure_probability", "value_suboptimality", "gap", "guarantee", "sample_complexity"):
        assert f"`{metric}`" in text
    assert "a smaller budget may fail without breaking a promise" in text


def experiment(results: SweepResults) -> Experiment:
    tags = {
        "stackel.question": results.question,
        "stackel.headline": "One.\nTwo.",
        "stackel.report_run": "r7",
    }
    return Experiment("5", results.study, tags | view_tags(study_views(results)))


def test_the_index_shows_question_answer_and_links(tmp_path: Path) -> None:
    page = studies_page([experiment(troubled_sweep(tmp_path)), Experiment("6", "somebody else's", {})])
    assert "What if &lt;things&gt; go wrong?" in page
    assert "<li>One.</li>" in page
    assert "/#/experiments/5/runs/r7/artifacts/report.html" in page
    assert "viewStateShareKey=stackel-pairs" in page
    assert "somebody else" in page
    assert "stackel-bench sweep" in studies_page([])


def test_mlflows_page_is_seeded_or_left_alone(tmp_path: Path) -> None:
    """A script before MLflow's own; a page that has changed inside stays as it is."""
    known = [experiment(troubled_sweep(tmp_path))]
    page = seeded_page("<html><head><title>MLflow</title></head></html>", known)
    assert page.index("localStorage") < page.index("<title>")
    assert "mlflow.workflowType_v1" in page
    assert "stackel.sweep." in page, "the state of the first view"
    assert page.count("</script>") == 1, "nothing in a study can end the script"
    assert seeded_page("<html><HEAD></HEAD></html>", known) == "<html><HEAD></HEAD></html>"
