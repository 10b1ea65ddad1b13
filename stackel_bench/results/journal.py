"""The journal of a sweep: what is finished, on disk before anybody hears of it."""

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from stackel_bench.results import files
from stackel_bench.results.entry import FAILED, FINISHED, Entry, Head
from stackel_bench.results.storage import merging
from stackel_bench.results.storage.lines import Entries, Lines
from stackel_bench.results.storage.segment import Cell, Key
from stackel_bench.results.storage.segments import Segments
from stackel_bench.results.storage.table import table_bytes
from stackel_bench.text import plural

# The two tables that a finished cell may have, with the columns that every file of theirs has.
TABLES = {
    files.RECORDS: dict.fromkeys(("replicate", "rung", "samples", "leader_action"), "int64"),
    files.ACTIONS: {"action": "int64"},
}

Result = tuple[Entry, pd.DataFrame | None, pd.DataFrame | None]  # with its records and its table of actions


class Journal:
    """Lines that declare cells finished or failed, and beside them the tables of the finished ones.

    A damaged line, and a finished cell whose tables are damaged or missing, is a cell that runs again.
    Reading changes nothing on disk, so anybody may look while a driver writes. Only the driver that holds
    the folder's lock repairs and commits.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines = Lines(folder / files.JOURNAL)  # read first: tables are written before their lines
        self.tables = {name: Segments(folder / name, columns) for name, columns in TABLES.items()}
        self.entries = Entries()  # finished with all tables, or failed
        self.unknown: dict[str, str] = {}  # cells in a state of which this version does not know: left alone
        self.lost: set[str] = set()  # finished cells whose tables are damaged or missing
        self.repaired: list[str] = []  # what was mended, in sentences
        self.sort_lines()

    @property
    def damaged(self) -> int:
        """How many lines are damaged."""
        return self.lines.damaged

    def state(self, cell_id: str) -> str:
        """The state of a cell; empty where there is no line of it that can be relied on."""
        head = self.entries.head(cell_id)
        return self.unknown.get(cell_id, "") if head is None else head.state

    def problems(self) -> list[str]:
        """What is or was wrong with the folder, and what follows from it: a sentence each."""
        sentences = list(self.repaired)
        if self.damaged:
            lines = plural(self.damaged, "damaged line")
            sentences.append(f"{lines} in {files.JOURNAL}: such cells run again")
        if self.lost:
            cells = plural(len(self.lost), "finished cell")
            sentences.append(f"tables of {cells} damaged or missing: such cells run again")
        for state, count in Counter(self.unknown.values()).items():
            cells = plural(count, "cell")
            sentences.append(f"{cells} in the state {state!r}, which this version does not know: left alone")
        return sentences

    def read_records(self, cell_id: str) -> pd.DataFrame:
        """One row per replicate and rung."""
        return self.tables[files.RECORDS].read(self._key(cell_id, files.RECORDS))

    def read_actions(self, cell_id: str) -> pd.DataFrame | None:
        """The table of a cell's leader actions, if it has one."""
        key = self._key(cell_id, files.ACTIONS)
        return self.tables[files.ACTIONS].read(key) if key.digest else None

    def actions_table(self, cell_ids: Iterable[str]) -> pa.Table | None:
        """The tables of actions of these cells below each other, the cell id first; None without any."""
        keys = [self._key(cell_id, files.ACTIONS) for cell_id in cell_ids]
        keys = [key for key in keys if key.digest]
        return self.tables[files.ACTIONS].together(keys) if keys else None

    def records_bytes(self, cell_id: str) -> bytes:
        """A Parquet file of the records of this cell alone, the same whatever they were stored with."""
        return table_bytes(*self.tables[files.RECORDS].table(self._key(cell_id, files.RECORDS)))

    def actions_bytes(self, cell_id: str) -> bytes | None:
        """A Parquet file of the table of actions of this cell alone, if it has one."""
        key = self._key(cell_id, files.ACTIONS)
        return table_bytes(*self.tables[files.ACTIONS].table(key)) if key.digest else None

    def commit(self, results: Sequence[Result]) -> list[Entry]:
        """Write the tables of these cells, then the lines that declare them; the entries as they are kept.

        Failures are also written to files of their own, with their tracebacks.
        """
        if not results:
            return []
        self.lines.require_unchanged()
        entries = []
        cells: dict[str, list[Cell]] = {name: [] for name in TABLES}
        for entry, *frames in results:
            digests: dict[str, Any] = {f"{name}_digest": "" for name in TABLES}
            for name, frame in zip(TABLES, frames, strict=True):
                if frame is not None:
                    cells[name].append(merging.encoded(entry.cell_id, frame))
                    digests[f"{name}_digest"] = cells[name][-1].key.digest
            entries.append(dataclasses.replace(entry, **digests))
        lines = b"".join(entry.to_line() + b"\n" for entry in entries)
        for name, segments in self.tables.items():
            merging.add(segments, cells[name])
        for entry in entries:
            if entry.state == FAILED:
                text = f"{entry.label}\n{entry.error}\n\n{entry.traceback}\n"
                files.write_atomically(self._failure(entry), text.encode())
        self.lines.append(lines)
        for entry in entries:
            self.entries[entry.cell_id] = entry
            self.lost.discard(entry.cell_id)
            if entry.state != FAILED:
                self._failure(entry).unlink(missing_ok=True)  # of an earlier attempt
        for name, segments in self.tables.items():
            merging.merge(segments, functools.partial(self.is_wanted, name))
        return entries

    def repair(self) -> None:
        """Make the folder whole before a driver goes on; problems() tells what was mended.

        Damaged lines are moved, damaged tables removed. Tables that no line declares were left by a driver
        that died before it could write the line, or belong to lines that are damaged or gone: their cells
        run again. A cell that has lost one of its tables loses the other, too.
        """
        files.remove_parts(self.folder)
        if moved := self.lines.move_damaged(self.folder / files.DAMAGED_LINES):
            lines = plural(moved, "damaged line")
            self.repaired.append(f"{lines} moved to {files.DAMAGED_LINES}: such cells run again")
        known = self.entries.keys() | self.unknown.keys() | self.lost
        if strays := {key.cell_id for key in self.tables[files.RECORDS].owners} - known:
            cells = plural(len(strays), "cell")
            sentence = f"records of {cells} without a line in {files.JOURNAL}: such cells run again"
            self.repaired.append(sentence)
        damaged, lost = 0, -1
        while lost != len(self.lost):
            lost = len(self.lost)
            for name, segments in self.tables.items():
                damaged += merging.tidy(segments, {k for k in segments.owners if self.is_wanted(name, k)})
            self.sort_lines()
        if damaged:
            damaged_files = plural(damaged, "damaged file")
            self.repaired.append(f"{damaged_files} of tables removed, what was whole kept")

    def read_on(self) -> None:
        """Know what a driver has committed since; tables are looked for when they are asked for."""
        for head, line in self.lines.read_on():
            self.entries.add_line(head, line)

    def require_unchanged(self) -> None:
        """Raise an InputError where somebody else changed the folder since it was read or written."""
        self.lines.require_unchanged()
        for segments in self.tables.values():
            merging.require_unchanged(segments)

    def sort_lines(self) -> None:
        """Look which cells have all the tables that their lines declare; the last line of a cell decides."""
        self.entries, self.unknown, self.lost = Entries(), {}, set()
        for head, line in {head.cell_id: (head, line) for head, line in self.lines.entries}.values():
            keys = {name: _key(head, name) for name in TABLES}
            if head.state not in (FINISHED, FAILED):
                self.unknown[head.cell_id] = head.state
            elif all(key in self.tables[name] for name, key in keys.items() if key.digest):
                self.entries.add_line(head, line)
            else:
                self.lost.add(head.cell_id)

    def _key(self, cell_id: str, name: str) -> Key:
        head = self.entries.head(cell_id)
        if head is None:
            raise KeyError(cell_id)
        return _key(head, name)

    def is_wanted(self, name: str, key: Key) -> bool:
        """Whether a table is the one that a line declares, or of a cell that is left alone."""
        head = self.entries.head(key.cell_id)
        return key.cell_id in self.unknown if head is None else key == _key(head, name)

    def _failure(self, entry: Entry) -> Path:
        return self.folder / files.FAILURES / files.failure(entry.cell_id)


def _key(head: Head, table: str) -> Key:
    return Key(head.cell_id, head.records_digest if table == files.RECORDS else head.actions_digest)
