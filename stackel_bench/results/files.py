"""The names of everything in a sweep's folder, and files that are either complete or absent."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

SWEEPS = "sweeps"  # in the output folder: one folder per sweep, and nothing else
REPORTS = "reports"  # in the output folder: one folder per report on several sweeps
COMPARE = "compare"  # in the output folder: the last comparison, unless it was put elsewhere

JOURNAL = "journal.jsonl"
DAMAGED_LINES = "journal.damaged"  # lines that a driver took out of the journal
RECORDS = "records"
ACTIONS = "actions"
FAILURES = "failures"
PIECES = "pieces"  # of trials that are not finished
PROVENANCE = "provenance.json"
LOCK = ".lock"
PROBE = ".writable"
LIBRARY_LOG = "library_output.log"

RESULTS_CSV = "results.csv"
RESULTS_PARQUET = "results.parquet"
ACTIONS_PARQUET = "actions.parquet"
SUMMARY = "summary.json"
REPORT = "report.html"
FIGURES = "figures"
TABLES = "tables"
COMPARE_PAGE = "compare.html"
COMPARE_JSON = "compare.json"
CLAIMS = "claims.json"
CLAIMS_TEXT = "claims.md"
CLAIMS_PAGE = "reproduce.html"

_PART = ".part"  # end of the hidden name of a file that is being written


def ledger(store_digest: str) -> str:
    """The name of the list of cells that an MLflow store has."""
    return f"mirrored-{store_digest}.txt"


def failure(cell_id: str) -> str:
    """The name of the traceback of a failed cell, below FAILURES."""
    return f"{cell_id}.txt"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that is either complete or absent, and survives a power cut once this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with part_file(path.parent) as (file, name_it):
        file.write(content)
        name_it(path.name)


class _Naming:
    """Remembers the name that a file shall get once it is complete."""

    name = ""

    def __call__(self, name: str) -> None:
        self.name = name


@contextlib.contextmanager
def part_file(folder: Path) -> Iterator[tuple[BinaryIO, _Naming]]:
    """A file without a name, and a function that gives it one at the end of the block, once it is on disk."""
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=_PART)
    naming = _Naming()
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file, naming
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / naming.name)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(folder)


def is_part(path: Path) -> bool:
    """Whether a file is, or was, being written; the next driver removes it."""
    return path.name.startswith(".") and path.name.endswith(_PART)


def remove_parts(folder: Path) -> None:
    """Remove what a driver that died was writing; for the holder of the folder's lock only."""
    for path in folder.glob(f"**/.*{_PART}"):
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
