"""The journal of a sweep: what is finished, on disk before anybody hears of it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from stackel_bench.errors import InputError


@dataclass(frozen=True)
class Entry:
    """One finished or failed cell; all but `seconds` and `finished_at` is a function of the cell id."""

    cell_id: str
    state: str  # finished or failed
    label: str
    description: Mapping[str, Any]  # the columns that say which cell this is
    config: Mapping[str, Any]
    metrics: Mapping[str, float] = field(default_factory=dict)
    rungs: tuple[Mapping[str, float], ...] = ()
    error: str = ""
    traceback: str = ""
    busy_seconds: float = 0.0
    wall_seconds: float = 0.0
    finished_at: float = 0.0

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, line: str | bytes) -> Entry:
        """The entry that to_json wrote."""
        fields = json.loads(line)
        fields["rungs"] = tuple(fields["rungs"])
        return cls(**fields)


class Journal:
    """Append-only JSON lines, one fsync per append; a torn or damaged line is a cell that runs again.

    Reading changes nothing on disk, so anybody may look while a driver writes. Only the driver that holds
    the folder's lock appends.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "journal.jsonl"
        self._end = 0  # of the last complete line: what follows was torn by a dying driver
        self.entries: dict[str, Entry] = {}
        self._load()

    def records_path(self, cell_id: str) -> Path:
        """Where the records of a finished cell are."""
        return self.folder / "records" / f"{cell_id}.parquet"

    def read_records(self, cell_id: str) -> pd.DataFrame:
        """One row per replicate and rung."""
        return pd.read_parquet(self.records_path(cell_id))

    def finish(self, entry: Entry, records: bytes) -> None:
        """Write the records (parquet), then the line that declares them."""
        write_atomically(self.records_path(entry.cell_id), records)
        self._append(entry)
        self._failure_path(entry.cell_id).unlink(missing_ok=True)  # of an earlier attempt

    def fail(self, entry: Entry) -> None:
        """Write down a failure; the traceback also goes to a file of its own."""
        text = f"{entry.label}\n{entry.error}\n\n{entry.traceback}\n"
        write_atomically(self._failure_path(entry.cell_id), text.encode())
        self._append(entry)

    def commit(self, results: Any) -> None:
        for entry, records, _ in results:
            if records is None:
                self.fail(entry)
            else:
                self.finish(entry, records.to_parquet(index=False, compression="zstd"))

    def _failure_path(self, cell_id: str) -> Path:
        return self.folder / "failures" / f"{cell_id}.txt"

    def remove_remains(self) -> None:
        """Remove half-written files of a driver that died; for the holder of the folder's lock only."""
        for path in self.folder.glob("**/.*.part"):
            path.unlink(missing_ok=True)

    def _append(self, entry: Entry) -> None:
        line = entry.to_json().encode() + b"\n"
        is_new = not self._path.exists()
        with self._path.open("ab", buffering=0) as file:
            file.truncate(self._end)
            try:
                written = 0
                while written < len(line):
                    written += file.write(line[written:])
                os.fsync(file.fileno())
            except OSError:  # a full disk: take back what did fit
                file.truncate(self._end)
                raise
        if is_new:
            _sync_folder(self.folder)
        self._end += len(line)
        self.entries[entry.cell_id] = entry

    def _load(self) -> None:
        if not self._path.exists():
            return
        try:
            content = self._path.read_bytes()
        except OSError as error:
            raise InputError("journal", str(self._path), f"a file to read ({error.strerror})") from error
        self._end = content.rfind(b"\n") + 1
        recorded = {path.name for path in (self.folder / "records").glob("*.parquet") if _is_whole(path)}
        for line in content[: self._end].split(b"\n")[:-1]:
            try:
                entry = Entry.from_json(line)
            except (ValueError, TypeError, KeyError):  # a damaged disk or editor: that cell runs again
                continue
            if entry.state == "failed" or f"{entry.cell_id}.parquet" in recorded:
                self.entries[entry.cell_id] = entry


def _is_whole(path: Path) -> bool:
    """Whether a parquet file has its end: a damaged one is a cell that runs again."""
    try:
        with path.open("rb") as file:
            file.seek(-4, os.SEEK_END)
            return file.read() == b"PAR1"
    except OSError:  # shorter than that, or not to be read
        return False


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that is either complete or absent, and survives a power cut once this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
