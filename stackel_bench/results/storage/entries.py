"""Entries by cell id, each of which is read from its line when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from stackel_bench.results.entry import Entry, Head


class Entries(MutableMapping[str, Entry]):
    """A dictionary of entries; their heads are known at once, the rest of a long journal takes a while."""

    def __init__(self) -> None:
        self._heads: dict[str, Head] = {}
        self._held: dict[str, Entry | bytes] = {}

    def add_line(self, head: Head, line: bytes) -> None:
        """Keep an entry as the line that it was read from."""
        self._heads[head.cell_id], self._held[head.cell_id] = head, line

    def head(self, cell_id: str) -> Head | None:
        """What is known without reading the rest."""
        return self._heads.get(cell_id)

    def __getitem__(self, cell_id: str) -> Entry:
        held = self._held[cell_id]
        if isinstance(held, bytes):
            held = self._held[cell_id] = Entry.from_line(held)
        return held

    def __setitem__(self, cell_id: str, entry: Entry) -> None:
        self._heads[cell_id], self._held[cell_id] = entry.head, entry

    def __delitem__(self, cell_id: str) -> None:
        del self._heads[cell_id], self._held[cell_id]

    def __contains__(self, cell_id: object) -> bool:
        return cell_id in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._held))  # the driver adds while others look

    def __len__(self) -> int:
        return len(self._held)
