"""Entries by cell id, each of which is read from its line when somebody asks for it."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from typing import Any

from stackel_bench.results.entry import Entry, Head


class Entries(UserDict[str, Entry]):
    """A dictionary of entries; their heads are known at once, the rest of a long journal takes a while."""

    def __init__(self) -> None:
        super().__init__()
        self._heads: dict[str, Head] = {}

    def add_line(self, head: Head, line: bytes) -> None:
        """Keep an entry as the line that it was read from."""
        held: Any = line
        self._heads[head.cell_id], self.data[head.cell_id] = head, held

    def head(self, cell_id: str) -> Head | None:
        """What is known without reading the rest."""
        return self._heads.get(cell_id)

    def __getitem__(self, cell_id: str) -> Entry:
        held: Any = self.data[cell_id]
        if isinstance(held, bytes):
            held = self.data[cell_id] = Entry.from_line(held)
        entry: Entry = held
        return entry

    def __setitem__(self, cell_id: str, entry: Entry) -> None:
        self._heads[cell_id], self.data[cell_id] = entry.head, entry

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.data))  # the driver adds while others look
