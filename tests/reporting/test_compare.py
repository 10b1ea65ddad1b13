"""`compare A B` on made-up sweeps: what matches, which test, planted regressions, exit codes, files."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from stackel_bench.cli import main
from stackel_bench.errors import InputError
from stackel_bench.reporting.merged_sweeps import TablesInMemory
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.reporting.versus.comparison import compare_sweeps
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal
from stackel_bench.streams import generator
from tests.reporting.fixture_sweeps import make_entry, make_records, write_cell

Cells = Sequence[tuple[Mapping[str, Any], NDArray[np.bool_]]]


def some(failures: int, replicates: int = 60) -> NDArray[np.bool_]:
    """The first replicates failed."""
    return np.arange(replicates) < failures


def seeded(entry: Entry, seed: int) -> Entry:
    return dataclasses.replace(
        entry, config={**entry.config, "seed": seed}, description={**entry.description, "seed": seed}
    )


def make_sweep(folder: Path, name: str, cells: Cells, rungs: Sequence[int] = (100, 400)) -> Path:
    """A sweep on disk; each cell has the changes of its entry and who failed at the largest budget."""
    path = folder / "sweeps" / f"{name}-0123456789{name}"
    path.mkdir(parents=True)
    journal = Journal(path)
    for number, (changes, failed) in enumerate(cells):
        told = dict(changes)
        seed = told.pop("seed", 0)
        entry = seeded(make_entry(f"{name}{number:03}", replicates=len(failed), **told), seed)
        records = make_records([len(failed)] * len(rungs), len(failed), samples=rungs)
        last = records["rung"] == len(rungs) - 1
        records.loc[last, "guarantee_held"] = ~failed
        write_cell(journal, entry, records)
    return path


def one_cell(cell_id: str, failed: NDArray[np.bool_], seed: int) -> SweepResults:
    """A sweep in memory: one cell with one budget, nothing but what the comparison reads."""
    entry = seeded(make_entry(cell_id, replicates=len(failed)), seed)
    records = make_records([0], len(failed), samples=[100]).assign(guarantee_held=~failed)
    rate = float(failed.mean())
    ends = {
        f"{name}{end}": rate
        for name in ("failure_probability", "value_suboptimality")
        for end in ("", "_low", "_high")
    }
    rungs = ({"samples": 100.0, **ends},)
    entry = dataclasses.replace(entry, rungs=rungs, metrics={**entry.metrics, **rungs[0]})
    tables = TablesInMemory({cell_id: records}, {cell_id: None})
    return SweepResults("s", "", "", tables, (entry,), 1, "", "", "")


@pytest.mark.parametrize(
    ("seed", "more", "shared", "expected"),
    [
        (0, 0.05, True, 1 - 1e-4),  # the same samples, and whatever failed fails again
        (0, 0.05, False, 0.827),  # paired without sharing anything; test_worse.py has the exact numbers
        (1, 0.05, False, 0.827),  # other samples: Fisher's
        (0, 0.0, False, 0.0365),
        (1, 0.0, False, 0.036),
    ],
)
def test_planted_regressions_are_caught_as_often_as_computed(
    seed: int, more: float, shared: bool, expected: float
) -> None:
    """From 5 % failures, 400 replicates, 60 comparisons; false alarm 1e-3 each."""
    rng = generator("compare", seed, round(100 * more), int(shared))
    runs, caught = 60, 0
    for _ in range(runs):
        first = rng.random(400)
        second = first if shared else rng.random(400)
        found = compare_sweeps(one_cell("a", first < 0.05, 0), one_cell("b", second < 0.05 + more, seed))
        assert found.rows["test"][0] == ("Fisher" if seed else "McNemar")
        caught += found.worse
    low, high = stats.binom.ppf([5e-4, 1 - 5e-4], runs, expected)
    assert low <= caught <= high


def test_cells_match_but_for_seed_and_what_tells_the_sweeps_apart(tmp_path: Path) -> None:
    ties = ("pessimistic", "optimistic")
    a = make_sweep(tmp_path, "a", [({"tie_breaking": tie, "algorithm": "paper"}, some(0)) for tie in ties])
    cells = [({"tie_breaking": tie, "algorithm": "plug_in", "seed": 3}, some(30)) for tie in ties]
    cells.append(({"tie_breaking": "optimistic", "algorithm": "plug_in", "epsilon": 0.4, "seed": 3}, some(0)))
    b = make_sweep(tmp_path, "b", [(c | {"epsilon": c.get("epsilon", 0.1)}, f) for c, f in cells])
    found = compare_sweeps(read_sweep(a), read_sweep(b))
    assert found.matching.differing == {"algorithm.name": ("paper", "plug_in")}
    pairs = [(first.cell_id, second.cell_id) for first, second in found.matching.pairs]
    assert pairs == [("a000", "b000"), ("a001", "b001")]
    assert [entry.cell_id for entry in found.matching.only_b] == ["b002"]
    assert set(found.rows["test"]) == {"Fisher"}
    assert set(found.rows["algorithm"]) == {"paper → plug_in"}
    assert found.worse == 2


def test_seeds_match_equal_ones_first(tmp_path: Path) -> None:
    a = make_sweep(tmp_path, "a", [({"seed": seed}, some(1)) for seed in (5, 1, 2)])
    b = make_sweep(tmp_path, "b", [({"seed": seed}, some(1)) for seed in (9, 2, 7, 8)])
    found = compare_sweeps(read_sweep(a), read_sweep(b))
    seeds = [(first.config["seed"], second.config["seed"]) for first, second in found.matching.pairs]
    assert seeds == [(2, 2), (1, 7), (5, 8)]
    assert list(found.rows["test"]) == ["McNemar", "Fisher", "Fisher"]
    assert [entry.config["seed"] for entry in found.matching.only_b] == [9]


def test_the_largest_common_budget_counts(tmp_path: Path) -> None:
    """B's largest budget is another one, at which nothing failed; at 400 all replicates did."""
    a = make_sweep(tmp_path, "a", [({}, some(0))], (100, 400))
    b = make_sweep(tmp_path, "b", [({}, some(0))], (100, 400, 900))
    other = make_sweep(tmp_path, "c", [({}, some(7))], (30, 80))
    row = compare_sweeps(read_sweep(a), read_sweep(b)).rows.iloc[0]
    assert (row["samples_a"], row["samples_b"], row["test"]) == (400, 400, "McNemar")
    assert (row["failures_a"], row["failures_b"], row["verdict"]) == (0, 60, "worse")
    row = compare_sweeps(read_sweep(a), read_sweep(other)).rows.iloc[0]
    assert (row["samples_a"], row["samples_b"], row["test"]) == (400, 80, "Fisher")
    assert (row["failures_a"], row["failures_b"]) == (0, 7)


def test_holm_over_all_cells(tmp_path: Path) -> None:
    """Six failures that A had not: p = 1/64, enough for one cell, not for four."""
    ids = [{"instance_seed": number} for number in range(4)]
    a = make_sweep(tmp_path, "a", [(changes, some(0)) for changes in ids])
    b = make_sweep(tmp_path, "b", [(changes, some(6 * (n == 0))) for n, changes in enumerate(ids)])
    found = compare_sweeps(read_sweep(a), read_sweep(b))
    assert found.rows["p_worse"].tolist() == pytest.approx([1 / 64, 1, 1, 1])
    assert found.rows["p_worse_adjusted"].tolist() == pytest.approx([4 / 64, 1, 1, 1])
    assert found.worse == 0
    shutil.rmtree(tmp_path / "sweeps")
    a, b = make_sweep(tmp_path, "a", [({}, some(0))]), make_sweep(tmp_path, "b", [({}, some(6))])
    assert compare_sweeps(read_sweep(a), read_sweep(b)).worse == 1


def test_exit_codes_and_files(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_sweep(tmp_path, "a", [({}, some(2)), ({"game": "bandit/random"}, some(0))])
    make_sweep(tmp_path, "b", [({}, some(40)), ({"game": "bandit/random"}, some(0))])
    make_sweep(tmp_path, "c", [({"epsilon": e}, some(2)) for e in (0.3, 0.4)])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["compare", "a", "b"]) == 1
    assert "B fails more often in 1 of 2 matched cells" in capfd.readouterr().out
    page = (tmp_path / "compare" / "compare.html").read_text("utf-8")
    assert "✗" in page
    assert "McNemar" in page
    assert main(["compare", "b", "sweeps/a-0123456789a", "to=elsewhere"]) == 0
    details = json.loads((tmp_path / "elsewhere" / "compare.json").read_text("utf-8"))
    assert [cell["verdict"] for cell in details["cells"]] == ["better", "open"]
    assert details["exit_code"] == 0
    assert main(["compare", "a", "a"]) == 0
    capfd.readouterr()
    assert main(["compare", "a", "c"]) == 2
    assert "sweeps whose cells agree in game.name, budget.epsilon" in capfd.readouterr().err
    for words in ([], ["a"], ["a", "b", "c"], ["a", "b", "nonsense=1"], ["a", "nowhere"]):
        assert main(["compare", *words]) == 2
    assert {path: path.read_bytes() for path in before} == before, "reading changes nothing"
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - set(before)
    assert {path.parent.name for path in written} == {"compare", "elsewhere"}
    assert {path.name for path in written} == {"compare.html", "compare.json"}
    (tmp_path / "file").write_text("")
    assert main(["compare", "a", "b", "to=file/below"]) == 2
    capfd.readouterr()
    assert main(["compare", "--help"]) == 0
    assert "Exit code" in capfd.readouterr().out


def test_nothing_failed_anywhere(tmp_path: Path) -> None:
    a, b = (make_sweep(tmp_path, name, [({"seed": seed}, some(0))]) for name, seed in (("a", 0), ("b", 1)))
    row = compare_sweeps(read_sweep(a), read_sweep(b)).rows.iloc[0]
    assert (row["p_worse"], row["p_better"], row["verdict"]) == (1, 1, "open")
    assert row["failure_difference_low"] < 0 < row["failure_difference_high"]


def test_unfinished_sweeps_do_not_match(tmp_path: Path) -> None:
    a, b = make_sweep(tmp_path, "a", [({}, some(0))]), make_sweep(tmp_path, "b", [])
    Journal(b).commit([(make_entry("eeee", state="failed"), None, None)])
    with pytest.raises(InputError, match="no finished cell"):
        compare_sweeps(read_sweep(a), read_sweep(b))


def test_samples_needed_and_losses_are_told(tmp_path: Path) -> None:
    """B needs four times the samples of A; ladders that close at both ends."""
    sweeps = []
    for name, rungs in (("a", (100, 400)), ("b", (400, 1600))):
        path = tmp_path / "sweeps" / f"{name}-{name}"
        path.mkdir(parents=True)
        write_cell(Journal(path), make_entry(name, replicates=100), make_records((60, 0), 100, samples=rungs))
        sweeps.append(read_sweep(path))
    row = compare_sweeps(*sweeps).rows.iloc[0]
    ratio = [row[f"needed_ratio{end}"] for end in ("", "_low", "_high")]
    assert ratio == pytest.approx([4, 1, 16])
    assert row["loss_difference_low"] <= row["loss_difference"] <= row["loss_difference_high"]
    assert row["loss_difference"] > 0.1, "at 400 samples B still loses"


def test_merged_report_and_moved_folder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    old, moved, output = tmp_path / "old", tmp_path / "somewhere" / "else", tmp_path / "output"
    source = make_sweep(old, "a", [({}, some(2))], (100,))
    assert main(["report", "study=a", f"output={old}"]) == 0
    (source / "report.html").unlink()
    moved.parent.mkdir()
    shutil.move(source, moved)
    (tmp_path / "mlflow.db").write_bytes(b"somebody else's")
    assert main(["report", f"sweep={moved}", f"output={output}"]) == 0
    assert "<h1>a</h1>" in (moved / "report.html").read_text("utf-8"), "its study, not its new name"
    assert not source.exists()
    assert not output.exists()
    assert (tmp_path / "mlflow.db").read_bytes() == b"somebody else's"
    second = make_sweep(tmp_path / "second", "b", [({"game": "bandit/layered"}, some(2))], (100,))
    assert main(["report", f"sweep={moved},{second}", f"output={output}"]) == 0
    (folder,) = (output / "reports").iterdir()
    assert folder.name == "0123456789a+0123456789b"
    assert list(pd.read_csv(folder / "results.csv")["game"]) == ["bandit/trap", "bandit/layered"]
    assert "<h1>a + b</h1>" in (folder / "report.html").read_text("utf-8")
    assert not (second / "report.html").exists()
    assert main(["sync", f"sweep={moved},{second}", f"output={output}"]) == 2
