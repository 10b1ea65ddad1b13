"""Sweeps over any key: rows, tags, run names and labels tell the cells apart, whoever computed them first."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stackel_bench.notebook.results import load_results
from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.reporting.tables import headline_table
from stackel_bench.statistics.verdicts import judged
from tests.sweeps import commands

TINY = ["budget=fixed", "budget.samples=200", "replicates=3", "execution=serial", "quiet=true"]


def runs(database: Path) -> dict[str, dict[str, str]]:
    """By cell id: the tags of its run, its name under "name", the keys of its parameters under "params"."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        query = (
            "select run_uuid, runs.name from runs join experiments using (experiment_id) "
            "where experiments.name != 'template'"  # what the tests' empty database was made with
        )
        names = dict(connection.execute(query))
        tags: dict[str, dict[str, str]] = {run: {"name": name, "params": ""} for run, name in names.items()}
        for run, key, value in connection.execute("select run_uuid, key, value from tags"):
            if run in tags:
                tags[run][key] = value
        for run, key in connection.execute("select run_uuid, key from params order by key"):
            if run in tags:
                tags[run]["params"] += f"{key} "
    return {found["stackel.cell_id"]: found for found in tags.values() if found.get("stackel.kind") == "cell"}


def sweep(arguments: list[str], folder: Path, database: Path) -> None:
    if not (folder / "mlflow.db").exists():
        shutil.copy(database, folder / "mlflow.db")
    ended = commands.run(["sweep", *arguments, *TINY, f"output={folder}"], folder)
    assert ended.code == 0, ended.output + ended.errors


def written_games(folder: Path) -> list[str]:
    """Two files of the same name, far down two folders with long names."""
    paths = []
    for position, name in enumerate(("spring", "autumn")):
        path = folder / "a_rather_long_name_of_a_project" / name / "measured_payoffs.npz"
        path.parent.mkdir(parents=True)
        means = np.random.default_rng([3, position]).random((2, 2, 3))
        np.savez(path, leader_means=means[0], follower_means=means[1])
        paths.append(str(path))
    return paths


@pytest.mark.parametrize(
    ("key", "values", "game"),
    [
        ("game.correlation", ["-1", "0", "1"], ["game=bandit/correlated"]),
        ("game.instance_seed", ["0", "1", "2"], ["game=bandit/random"]),
        ("game.path", [], ["game=bandit/from_file"]),
        ("budget.samples", ["200", "300"], ["game=bandit/trap"]),
    ],
)
def test_cells_are_told_apart_everywhere(
    key: str, values: list[str], game: list[str], shared_folder: Path, tmp_path: Path
) -> None:
    values = values or written_games(tmp_path)
    words = [*game, "tie_breaking=pessimistic,optimistic"]
    arguments = [*TINY, *words, f"{key}={','.join(values)}"]
    shutil.copy(shared_folder / "template" / "mlflow.db", tmp_path / "mlflow.db")
    ended = commands.run(["sweep", *arguments, f"output={tmp_path}"], tmp_path)
    assert ended.code == 0, ended.output + ended.errors
    folder = commands.sweep_folder(tmp_path)
    expected = sorted(values * 2)
    csv = pd.read_csv(folder / "results.csv", dtype=str)
    assert sorted(csv[key]) == expected
    assert sorted(pd.read_parquet(folder / "results.parquet")[key].astype(str)) == expected
    by_cell = dict(zip(csv["cell_id"], csv[key], strict=True))
    loaded = load_results(folder)
    for frame in (loaded.cells, loaded.rungs, loaded.records, loaded.actions):
        assert dict(zip(frame["cell_id"], frame[key].astype(str), strict=True)) == by_cell
    logged = runs(tmp_path / "mlflow.db")
    assert {cell_id: run[key] for cell_id, run in logged.items()} == by_cell
    names = {cell_id: run["name"] for cell_id, run in logged.items()}
    assert len(set(names.values())) == len(names)
    assert max(map(len, names.values())) <= 60
    assert {name.split()[0] for name in names.values()} == {"PES", "OPT"}
    assert not any("explorer" in run["params"] or "follower_path" in run["params"] for run in logged.values())
    results = read_sweep(folder)
    table = headline_table(judged(results.labelled(results.cells)))
    assert not table.duplicated(["game", "learner", "tie-breaking", "eps"]).any()
    shown = {label for label in (*results.labels["instance"], *results.labels["learner"]) if "=" in label}
    assert len(shown) == len(values)
    assert all(label in (folder / "report.html").read_text() for label in shown)


def test_a_run_of_another_sweep_gets_the_names_of_this_one(shared_folder: Path, tmp_path: Path) -> None:
    """First one correlation, then three: the cell that was there already is fetched, and named like them."""
    database = shared_folder / "template" / "mlflow.db"
    sweep(["game=bandit/correlated", "game.correlation=0"], tmp_path, database)
    (before,) = runs(tmp_path / "mlflow.db").values()
    assert "game.correlation" not in before
    assert before["name"] == "PES paper correlated ε.1"
    sweep(["game=bandit/correlated", "game.correlation=-1,0,1"], tmp_path, database)
    logged = runs(tmp_path / "mlflow.db")
    assert sorted(run["game.correlation"] for run in logged.values()) == ["-1", "0", "1"]
    assert {run["name"] for run in logged.values()} == {
        f"PES correlation={value} paper correlated ε.1" for value in (-1, 0, 1)
    }
    assert commands.runs(tmp_path / "mlflow.db") == {cell_id: ["FINISHED"] for cell_id in logged}
