"""The journal's file: lines of entries, appended with one fsync, never written over; entries by cell id."""

import os
from collections import UserDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stackel_bench.errors import InputError, UnavailableError
from stackel_bench.results.entry import FORMAT, Entry, Head, LineError, read_head
from stackel_bench.results.files import sync_folder, write_atomically

Identity = tuple[int, int]  # inode and size


class Lines:
    """Heads and lines of the file in order, and which lines are damaged. Reading changes nothing on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[tuple[Head, bytes]] = []
        self._damaged: list[tuple[int, int]] = []  # first and last byte
        self._end = 0  # of the last complete line: what follows was torn by a driver that died
        self._seen: Identity | None = None  # of the file that we know
        self.read_on()

    @property
    def damaged(self) -> int:
        """How many lines were damaged when the file was read."""
        return len(self._damaged)

    @property
    def is_torn(self) -> bool:
        """Whether the file ends within a line."""
        return self._seen is not None and self._seen[1] > self._end

    def append(self, lines: bytes) -> None:
        """Add complete lines, all or none, unless somebody else has changed the file."""
        self.require_unchanged()
        is_new = self._seen is None
        with self.path.open("ab", buffering=0) as file:
            if self.is_torn:
                file.truncate(self._end)
            try:
                written = 0
                while written < len(lines):
                    written += file.write(lines[written:])
                os.fsync(file.fileno())
            except OSError:  # a full disk: take back what did fit
                file.truncate(self._end)
                self._seen = _identity(os.fstat(file.fileno()))
                raise
            found = _identity(os.fstat(file.fileno()))
        expected = found[0] if self._seen is None else self._seen[0], self._end + len(lines)
        if found != expected:  # changed this very moment
            raise self._changed(found, expected)
        self._seen, self._end = found, self._end + len(lines)
        if is_new:
            sync_folder(self.path.parent)

    def require_unchanged(self) -> None:
        """Raise an InputError where the file is not the one that was read and appended to."""
        found = _identity(self.path.stat()) if self.path.exists() else None
        if found != self._seen:
            raise self._changed(found, self._seen)

    def _changed(self, found: Identity | None, expected: Identity | None) -> InputError:
        what = "another file" if found and expected and found[1] == expected[1] else _bytes(found)
        return InputError(
            "journal",
            f"{what} at {self.path}, where {_bytes(expected)} had been written",
            "a journal that nobody else changes meanwhile; the sweep's command goes on from what is left",
        )

    def move_damaged(self, elsewhere: Path) -> int:
        """Move damaged lines, and a torn end, into another file; how many lines that were."""
        if self._damaged:
            content = self.path.read_bytes()
            damaged = [content[start:end] for start, end in self._damaged]
            edges = [0, *(edge for pair in self._damaged for edge in pair), self._end]
            kept = b"".join(content[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
            with elsewhere.open("ab") as file:
                file.write(b"".join(damaged))
            write_atomically(self.path, kept)
            self._end = len(kept)
            self._seen = _identity(self.path.stat())
        count, self._damaged = len(self._damaged), []
        return count

    def read_on(self) -> list[tuple[Head, bytes]]:
        """Read what has been appended since, if anything; the new ones."""
        before = len(self.entries)
        try:
            with self.path.open("rb") as file:
                file.seek(self._end)
                content = file.read()
                self._seen = os.fstat(file.fileno()).st_ino, self._end + len(content)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UnavailableError("journal", f"read {self.path}", error.strerror) from error
        for line in content.split(b"\n")[:-1]:
            end = self._end + len(line) + 1
            try:
                self.entries.append((read_head(line), line))
            except LineError as error:
                if error.found is not None:
                    raise self._refusal(error.found) from error
                self._damaged.append((self._end, end))
            self._end = end
        return self.entries[before:]

    def _refusal(self, found: int) -> InputError:
        advice = (
            "format 1 was never released: choose another output, or remove this folder"
            if found == 1
            else "use the version of stackel_bench that wrote it, or choose another output"
        )
        return InputError("journal", f"format {found} in {self.path}", f"format {FORMAT}; {advice}")


def _identity(status: os.stat_result) -> Identity:
    return status.st_ino, status.st_size


def _bytes(seen: Identity | None) -> str:
    return "nothing" if seen is None else f"{seen[1]} bytes"


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
