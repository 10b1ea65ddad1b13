"""The journal: whatever is cut off its end, what was complete stays, and appending goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stackel_bench.tracking.journal import Entry, Journal, write_atomically
from stackel_bench.tracking.ledger import Ledger

RECORDS = b"PAR1 records PAR1"  # as a parquet file begins and ends


def entry(number: int, state: str = "finished") -> Entry:
    return Entry(
        cell_id=f"{number:016x}",
        state=state,
        label=f"cell {number} · ε\n",
        description={"cell_id": f"{number:016x}", "seed": 0},
        config={"seed": 0},
        metrics={"failure_probability": number / 7},
        rungs=({"samples": 1.0},),
        finished_at=1.5,
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 6), st.data())
def test_any_torn_end(tmp_path_factory: pytest.TempPathFactory, number: int, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder)
    for i in range(number):
        journal.finish(entry(i), RECORDS)
    path = folder / "journal.jsonl"
    content = path.read_bytes() if number else b""
    kept = content[: data.draw(st.integers(0, len(content)))]
    path.write_bytes(kept)
    again = Journal(folder)
    assert list(again.entries.values()) == [entry(i) for i in range(kept.count(b"\n"))]
    assert path.read_bytes() == kept, "reading changes nothing"
    again.finish(entry(99), RECORDS)
    assert list(Journal(folder).entries.values()) == [*again.entries.values()]
    assert path.read_bytes().count(b"\n") == kept.count(b"\n") + 1


def test_failed_then_finished(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.fail(entry(1, "failed"))
    assert Journal(tmp_path).entries[entry(1).cell_id].state == "failed"
    journal.finish(entry(1), RECORDS)
    assert Journal(tmp_path).entries == {entry(1).cell_id: entry(1)}


def test_numbers_survive_exactly(tmp_path: Path) -> None:
    precise = Entry("0" * 16, "finished", "", {}, {}, {"x": 0.1 + 0.2, "y": 1e308, "z": 5e-324})
    Journal(tmp_path).finish(precise, RECORDS)
    assert Journal(tmp_path).entries[precise.cell_id].metrics == precise.metrics


def test_not_a_number_is_refused_before_it_is_written(tmp_path: Path) -> None:
    bad = Entry("0" * 16, "finished", "", {}, {}, {"x": float("nan")})
    with pytest.raises(ValueError, match="JSON compliant"):
        Journal(tmp_path).finish(bad, b"")
    assert not Journal(tmp_path).entries


def test_files_are_complete_or_absent(tmp_path: Path) -> None:
    target = tmp_path / "below" / "file"
    write_atomically(target, b"first")
    write_atomically(target, b"second")
    assert target.read_bytes() == b"second"
    with pytest.raises(TypeError):
        write_atomically(target, "text")  # type: ignore[arg-type]
    assert target.read_bytes() == b"second"
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_ledger_forgets_a_torn_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "store")
    ledger.add("a" * 16)
    ledger.add("b" * 16)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text()[:-5])
    torn = Ledger(tmp_path, "store")
    assert torn.cell_ids == {"a" * 16}
    torn.add("c" * 16)
    assert {"a" * 16, "c" * 16} <= Ledger(tmp_path, "store").cell_ids
    assert "b" * 16 not in Ledger(tmp_path, "store").cell_ids
    assert not Ledger(tmp_path, "another store").cell_ids
