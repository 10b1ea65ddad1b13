"""The table of columns is complete, has no dead entries, and is what the docs show."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.notebook.results import load_results
from stackel_bench.results import columns
from stackel_bench.statistics.verdicts import judged
from tests.sweeps import commands
from tests.sweeps.conftest import shared_folder  # noqa: F401

pytestmark = pytest.mark.xdist_group("columns")  # the sweeps are run once

COMMON = ["budget.epsilon=0.3", "execution=serial", "quiet=true"]
LADDER = ["budget=ladder", "budget.rungs=2"]
SWEEPS = {
    "tables": [
        *LADDER,
        "game=bandit/trap,simultaneous/commitment,linear/one_hot",
        "tie_breaking=pessimistic,optimistic",
        "replicates=3",
    ],
    "stops": [
        "budget=theory",
        "budget.epsilon=0.5",
        "game=bandit/random",
        "algorithm=successive_elimination,certified",
        "replicates=5",
    ],
    "clean": [
        *LADDER,
        "game=bandit/trap",
        "algorithm=paper,plug_in",
        "tie_breaking=pessimistic,optimistic",
        "budget.epsilon=0.3,0.4,0.5",
        "replicates=100",
    ],
    "crossings": [
        "budget=ladder",
        "budget.rungs=14",
        "budget.epsilon=0.1",
        "game=bandit/random",
        "game.num_leader_actions=4",
        "game.num_follower_actions=4",
        "tie_breaking=pessimistic,optimistic",
        "replicates=100",
    ],
    "episodes": [
        "budget=fixed",
        "game=bandit_rl/random",
        "game.num_leader_actions=2",
        "game.num_follower_actions=2",
        "game.num_states=2",
        "game.horizon=2",
        "game.instance_seed=0,1",
        "budget.samples=200,300",
        "algorithm.explorer=uniform,reward_free_explore",
        "replicates=2",
    ],
    "programs": [
        "budget=fixed",
        "game=bandit_rl/economy",
        "game.num_leader_actions=2",
        "game.evaluation_episodes=5",
        "budget.samples=40",
        "algorithm.explorer=uniform",
        "replicates=2",
    ],
    "options": [
        *LADDER,
        "game=simultaneous/commitment",
        "algorithm=margin",
        "algorithm.robust_margin=true,false",
        "replicates=3",
    ],
}


@pytest.fixture(scope="module")
def produced(
    shared_folder: Path,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, set[str]]:
    """By place: the columns that sweeps of all four families produce there."""
    found: dict[str, set[str]] = {place: set() for place in columns.PLACES}
    for study, words in SWEEPS.items():
        folder = tmp_path_factory.mktemp(study)
        shutil.copy(shared_folder / "template" / "mlflow.db", folder / "mlflow.db")
        asked = ["sweep", *COMMON, *words, f"study.name={study}", f"output={folder}"]
        ended = commands.run(asked, folder)
        assert ended.code == 0, ended.output + ended.errors
        sweep = commands.sweep_folder(folder)
        loaded = load_results(sweep)
        frames = (loaded.cells, loaded.rungs, loaded.records, loaded.actions)
        for place, frame in zip(("results", "rung", "replicate", "action"), frames, strict=True):
            found[place] |= set(frame.columns)
        assert set(pd.read_parquet(sweep / "actions.parquet").columns) <= found["action"]
        csv = pd.read_csv(sweep / "results.csv")
        assert list(csv.columns) == list(loaded.cells.columns)
        assert list(csv.columns) == list(pd.read_parquet(sweep / "results.parquet").columns)
        found["terminal"] |= set(judged(csv).columns)
        for table in sweep.glob("tables/*.tex"):  # what is shown as a table, under its headings
            found["report"] |= set(pd.read_csv(table.with_suffix(".csv")).columns)
        with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as database:
            found["mlflow"] |= {key for (key,) in database.execute("select distinct key from metrics")}
            found["tag"] |= {key for (key,) in database.execute("select distinct key from tags")}
    return found


@pytest.mark.parametrize("place", ["results", "rung", "replicate", "action", "mlflow"])
def test_what_is_produced_is_defined_for_its_place(produced: dict[str, set[str]], place: str) -> None:
    assert {name for name in produced[place] if place not in columns.lookup(name).shown} == set()


@pytest.mark.parametrize("place", ["results", "rung", "replicate", "action", "mlflow", "tag"])
def test_what_is_defined_is_produced(produced: dict[str, set[str]], place: str) -> None:
    known = set()
    for name in produced[place]:
        with contextlib.suppress(KeyError):  # stackel.cell_id and MLflow's own tags
            known.add(columns.lookup(name).name)
    assert {column.name for column in columns.shown_in(place)} == known


def test_what_is_shown_exists(produced: dict[str, set[str]]) -> None:
    """Terminal and report show columns of results, or what verdicts and tables add to them."""
    everything = produced["terminal"] | produced["results"] | produced["mlflow"]
    known = {columns.lookup(name).name for name in everything if name != "verdict_adjusted"}
    known |= {column.name for column in columns.COLUMNS if column.heading in produced["report"]}
    for place in ("terminal", "report"):
        assert {column.name for column in columns.shown_in(place)} <= known


def test_tables_of_the_report_have_headings_that_are_defined_once(produced: dict[str, set[str]]) -> None:
    defined = [column.heading for column in columns.shown_in("report")]
    assert len(set(defined)) == len(defined)
    assert {"of theory", "exponent", "theorem's exponent"} <= produced["report"] <= set(defined)


def test_every_entry_is_explained_once() -> None:
    names = [column.name for column in columns.COLUMNS]
    assert len(set(names)) == len(names)
    assert all(column.definition and column.shown <= columns.PLACES.keys() for column in columns.COLUMNS)
    with pytest.raises(KeyError):
        columns.lookup("no_such_column")
    for column in columns.COLUMNS:
        assert columns.lookup(column.name.replace("*", "x")) is column


def test_order_is_that_of_the_table() -> None:
    names = ["unknown", "gap", "game.b", "cell_id", "game.a", "diagnostic_z", "epsilon"]
    assert columns.ordered(names) == [
        "cell_id",
        "epsilon",
        "game.b",
        "game.a",
        "gap",
        "diagnostic_z",
        "unknown",
    ]


def test_docs_show_the_table() -> None:
    page = columns.PAGE.read_text("utf-8")
    assert page == columns.with_table(page)
    assert all(f"| `{column.name}` |" in page for column in columns.COLUMNS)
