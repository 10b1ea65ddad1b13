"""The list of cells that a store has: a torn line is a cell that is asked for again."""

from __future__ import annotations

from pathlib import Path

from stackel_bench.tracking.mirror import Ledger


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
