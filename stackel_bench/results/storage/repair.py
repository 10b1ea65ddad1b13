"""Makes a sweep's folder whole again before a driver goes on: nothing damaged, doubled or stray is left."""

from __future__ import annotations

from stackel_bench.results import files
from stackel_bench.results.journal import Journal
from stackel_bench.results.storage import merging
from stackel_bench.text import plural


def repair(journal: Journal) -> None:
    """Mend the folder; the journal's problems tell what that was. For the holder of the folder's lock only.

    Damaged lines are moved, damaged tables removed. Tables that no line declares were left by a driver that
    died before it could write the line, or belong to lines that are damaged or gone: their cells run again.
    """
    files.remove_parts(journal.folder)
    if moved := journal.lines.move_damaged(journal.folder / files.DAMAGED_LINES):
        lines = plural(moved, "damaged line")
        journal.repaired.append(f"{lines} moved to {files.DAMAGED_LINES}: such cells run again")
    known = journal.entries.keys() | journal.unknown.keys() | journal.lost
    if strays := {key.cell_id for key in journal.tables[files.RECORDS].owners} - known:
        cells = plural(len(strays), "cell")
        journal.repaired.append(f"records of {cells} without a line in {files.JOURNAL}: such cells run again")
    if damaged := _tidy(journal):
        damaged_files = plural(damaged, "damaged file")
        journal.repaired.append(f"{damaged_files} of tables removed, what was whole kept")


def _tidy(journal: Journal) -> int:
    """How many files of tables were damaged. A cell that has lost one of its tables loses the other, too."""
    damaged = 0
    while True:
        for name, segments in journal.tables.items():
            wanted = {key for key in segments.owners if journal.is_wanted(name, key)}
            damaged += merging.tidy(segments, wanted)
        lost = len(journal.lost)
        journal.sort_lines()
        if len(journal.lost) == lost:
            return damaged
