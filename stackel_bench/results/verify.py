"""What is wrong with a sweep's folder, a sentence per finding, and where numbers made again differ."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from stackel_bench.errors import InputError
from stackel_bench.results import files
from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.frames import cells_frame, csv_bytes, saved_summary
from stackel_bench.results.journal import Journal
from stackel_bench.results.storage.segment import is_segment
from stackel_bench.results.storage.table import digest, to_table
from stackel_bench.text import plural


def verify_lines(journal: Journal) -> Iterator[str]:
    """Damaged, torn and unknown lines, and lines of one cell that disagree."""
    if journal.damaged:
        yield f"{files.JOURNAL}: {plural(journal.damaged, 'damaged line')}, so such cells are not finished"
    if journal.lines.is_torn:
        yield f"{files.JOURNAL}: the last line is torn, so its cell is not finished"
    for cell_id, state in journal.unknown.items():
        yield f"cell {cell_id}: state {state!r} is unknown"
    digests: dict[str, set[str]] = {}
    for head, _ in journal.lines.entries:
        if head.state == FINISHED:
            digests.setdefault(head.cell_id, set()).add(head.records_digest)
    for cell_id, found in digests.items():
        if len(found) > 1:
            yield f"cell {cell_id}: finished {len(found)} times with different records"
    for cell_id in sorted(journal.lost):
        yield f"cell {cell_id}: finished, but its tables are damaged or missing"


def verify_tables(journal: Journal) -> Iterator[str]:
    """Damaged and stray files, and tables that are kept twice."""
    for name, segments in journal.tables.items():
        for path in segments.damaged():
            yield f"{name}/{path.name}: damaged"
        if segments.folder.exists():
            for path in sorted(segments.folder.iterdir()):
                if not is_segment(path) and not files.is_part(path):  # a killed driver may leave parts
                    yield f"{name}/{path.name}: no file of this sweep"
        for key, count in Counter(segments.copies()).items():
            if count > 1 and journal.is_wanted(name, key):
                yield f"cell {key.cell_id}: {count} copies of its table below {name}/"


def verify_owners(journal: Journal) -> Iterator[str]:
    """Cells with tables that belong to no line."""
    stray: dict[str, list[str]] = {}
    for name, segments in journal.tables.items():
        for key in Counter(segments.copies()):
            if not journal.is_wanted(name, key):
                stray.setdefault(key.cell_id, []).append(f"{name}/")
    for cell_id, folders in stray.items():
        yield f"cell {cell_id}: has a table below {' and '.join(folders)}, but no line in {files.JOURNAL}"


def verify_shape(entry: Entry, records: pd.DataFrame) -> Iterator[str]:
    """Whether a cell has exactly one row per replicate and rung."""
    expected = entry.description["replicates"] * len(entry.rungs)
    if len(records) != expected:
        yield f"cell {entry.cell_id}: {len(records)} records instead of {expected}"
    elif records.duplicated(["replicate", "rung"]).any():
        yield f"cell {entry.cell_id}: several records of one replicate and rung"


def verify_derived(journal: Journal, ended: bool) -> Iterator[str]:
    """Whether results.csv, results.parquet, actions.parquet and summary.json say what the journal says.

    They are written when a driver ends: a sweep that no driver has ended may lack them.
    """
    finished = {cell_id for cell_id in journal.entries if journal.state(cell_id) == FINISHED}
    for name in (files.RESULTS_CSV, files.RESULTS_PARQUET, files.ACTIONS_PARQUET):
        path = journal.folder / name
        if path.exists():
            problem = _problem(journal, path, finished)
            if problem:
                yield f"{name}: {problem}"
        elif ended and (name != files.ACTIONS_PARQUET or journal.tables[files.ACTIONS].owners):
            yield f"{name}: missing"
    if ended:
        counts = Counter(journal.state(cell_id) for cell_id in journal.entries)
        saved = saved_summary(journal.folder)
        for state in (FINISHED, FAILED):
            if saved.get(state) != counts[state]:
                says = f"says {saved.get(state)} cells {state}"
                yield f"{files.SUMMARY}: {says}, the journal says {counts[state]}"


def _problem(journal: Journal, path: Path, finished: set[str]) -> str:
    """What a table says otherwise than the journal; empty if nothing."""
    of_actions, is_csv = path.name == files.ACTIONS_PARQUET, path.suffix == ".csv"
    expected = {i for i in finished if journal.entries[i].actions_digest} if of_actions else finished
    order: list[str] = []
    try:
        if is_csv:
            order = pd.read_csv(path, dtype=str)["cell_id"].tolist() if finished else []
        else:
            table = pq.read_table(path)
            order = table["cell_id"].to_pylist() if expected else []
    except (OSError, ValueError, KeyError):  # errors of pandas and pyarrow are among them
        return "unreadable"
    order = list(dict.fromkeys(order)) if of_actions else order
    problem = _cells(order, expected)
    if problem:
        return problem
    if of_actions:
        try:
            is_same = table.equals(journal.actions_table(order))
        except InputError:  # such a table is a finding of its own
            return "cannot be compared with the tables of its cells"
    else:
        frame = cells_frame(journal.entries[i] for i in order)
        is_same = path.read_bytes() == csv_bytes(frame) if is_csv else table.to_pandas().equals(frame)
    return (
        "" if is_same else f"other numbers than {'the tables of its cells' if of_actions else 'the journal'}"
    )


def _cells(found: list[str], expected: set[str]) -> str:
    if set(found) == expected and len(found) == len(expected):
        return ""
    missing, more = len(expected - set(found)), len(set(found) - expected)
    parts = [f"lacks {plural(missing, 'cell')} that the journal has"] if missing else []
    parts += [f"has {plural(more, 'cell')} that the journal lacks"] if more else []
    return " and ".join(parts) or "has cells more than once"


def table_difference(kept: pd.DataFrame, found: pd.DataFrame, tolerance: float) -> str:
    """What differs between two tables, in words; empty if nothing does. Tolerance 0: every bit counts."""
    if list(kept.columns) != list(found.columns):
        return f"columns {', '.join(kept.columns)} instead of {', '.join(found.columns)}"
    if len(kept) != len(found):
        return f"{len(kept)} rows instead of {len(found)}"
    names = [name for name in kept.columns if not _is_equal(kept[[name]], found[[name]], tolerance)]
    return f"columns {', '.join(names)}" if names else ""


def _is_equal(kept: pd.DataFrame, found: pd.DataFrame, tolerance: float) -> bool:
    if digest(to_table(kept)[0]) == digest(to_table(found)[0]):
        return True
    if not tolerance:
        return False
    try:
        first, second = kept.to_numpy(dtype=float), found.to_numpy(dtype=float)
    except (TypeError, ValueError):
        return False
    return np.allclose(first, second, rtol=tolerance, atol=tolerance, equal_nan=True)


def metrics_difference(
    kept: Mapping[str, float], found: Mapping[str, float], tolerance: float
) -> dict[str, tuple[float | None, float]]:
    """The metrics among those found that were kept otherwise, or not at all: (kept, found)."""
    return {
        name: (kept.get(name), value)
        for name, value in found.items()
        if name not in kept or not math.isclose(kept[name], value, rel_tol=tolerance, abs_tol=tolerance)
    }
