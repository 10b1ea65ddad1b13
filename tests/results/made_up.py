"""Cells that nobody computed: entries and tables with all kinds of columns, different for every number."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd

from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal


def entry(number: int, state: str = "finished") -> Entry:
    return Entry(
        cell_id=f"{number:016x}",
        state=state,
        label=f"cell {number} · ε\n",
        description={"cell_id": f"{number:016x}", "seed": 0, "replicates": 7, "delta": 0.05},
        config={"seed": 0},
        metrics={"failure_probability": number % 7 / 7, "vacuous": 0.0},
        rungs=({"samples": 1.0},),
        finished_at=1.5,
    )


def records(number: int, rows: int = 3) -> pd.DataFrame:
    """Integers, floats with every kind of special value, booleans, and columns that only some cells have."""
    rng = np.random.default_rng([20260, number])
    frame = pd.DataFrame(
        {
            "replicate": np.arange(rows),
            "rung": 0,
            "samples": rng.integers(0, 2**62, rows),
            "leader_action": rng.integers(0, 5, rows) if number % 3 else None,
            "value": rng.choice([0.1 + 0.2, -0.0, 0.0, 5e-324, 1e308, np.inf, np.nan], rows),
            "guarantee_held": rng.random(rows) < 0.5,
        }
    )
    if number % 2:
        frame[f"diagnostic_{number % 5}"] = rng.random(rows)
    if number % 4 == 1:
        frame["name"] = [f"é{number}\n"] * rows
    return frame


def actions(number: int) -> pd.DataFrame | None:
    """A table for two cells of three."""
    return None if number % 3 == 0 else pd.DataFrame({"action": range(number % 4 + 1), "pulls": number})


def commit(journal: Journal, *numbers: int) -> list[Entry]:
    return journal.commit([(entry(number), records(number), actions(number)) for number in numbers])


def without_digests(found: Entry) -> Entry:
    """The entry before it was committed."""
    return dataclasses.replace(found, records_digest="", actions_digest="")


def assert_holds(folder: Path, *numbers: int) -> Journal:
    """The folder has exactly these cells, every one as it was committed and once on disk."""
    journal = Journal(folder)
    assert list(map(without_digests, journal.entries.values())) == [entry(number) for number in numbers]
    for number in numbers:
        assert_same(journal, number)
    assert_once(folder, numbers)
    return journal


def assert_same(journal: Journal, number: int) -> None:
    """A cell is read as it was written: its own columns in their order, their types, every bit."""
    pd.testing.assert_frame_equal(
        journal.read_records(entry(number).cell_id), records(number), check_exact=True
    )
    found, expected = journal.read_actions(entry(number).cell_id), actions(number)
    assert (found is None) == (expected is None)
    if expected is not None:
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


def assert_once(folder: Path, numbers: tuple[int, ...]) -> None:
    """What anybody reads below records/: every replicate of every cell once."""
    if not numbers:
        return
    found = pd.read_parquet(folder / "records")
    assert list(found.columns[:5]) == ["cell_id", "replicate", "rung", "samples", "leader_action"]
    expected = {(entry(number).cell_id, row) for number in numbers for row in range(len(records(number)))}
    assert sorted(zip(found["cell_id"], found["replicate"], strict=True)) == sorted(expected)
    assert set(found.columns) >= {name for number in numbers for name in records(number).columns}
