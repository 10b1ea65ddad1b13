"""Writes tables of cells into segments, merges segments as they become many, tidies up after a crash.

For the driver that holds the folder's lock. Whatever is removed has been written elsewhere before.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence

import pandas as pd
import pyarrow as pa

from stackel_bench.errors import InputError
from stackel_bench.results.storage.schemas import conform, file_schema, that_agree
from stackel_bench.results.storage.segment import (
    CELL_ID,
    ROWS,
    DamagedError,
    Key,
    Run,
    Segment,
    is_intact,
    read_schema,
    write_segment,
)
from stackel_bench.results.storage.segments import Segments
from stackel_bench.results.storage.table import digest, to_table

FAN_IN = 32  # so many segments of one size become one
FINAL_CELLS, FINAL_BYTES = FAN_IN**2, 1 << 25  # a segment with so many of them stays as it is


def encoded(cell_id: str, frame: pd.DataFrame) -> Run:
    """The table of a cell, ready to be added; its index does not count."""
    table, layout = to_table(frame)
    if CELL_ID in table.column_names:
        raise ValueError(f"a table of one cell has no column {CELL_ID}: that is added")
    return Run(((Key(cell_id, digest(table)), layout, len(table)),), table)


def add(segments: Segments, runs: Sequence[Run]) -> None:
    """Write tables into one new file; into several only where they disagree on the type of a column."""
    if not runs:
        return
    with segments.lock:
        require_unchanged(segments)
        segments.folder.mkdir(exist_ok=True)
        for own, members in that_agree(runs, lambda run: run.rows.schema):
            schema = _file_schema(segments, own)
            tables = [conform(run, schema) for run in members]
            segment = write_segment(segments.folder, segments.number - 1, schema, tables)
            segments.include(segment)
            if sum(len(table.rows) for table in tables) < ROWS:  # one row group, soon to be read or merged
                segments.remember(segment, 0, pa.concat_tables([table.rows for table in tables]))


def merge(segments: Segments, wanted: Callable[[Key], bool]) -> None:
    """Make one segment of many small ones, wherever there are too many of a size.

    A driver that dies before the small ones are removed leaves tables twice, until the next one tidies up.
    """
    with segments.lock:
        while many := _too_many(segments):
            for segment in many:
                if not segment.path.exists():
                    raise _gone(segments, segment)
                if not is_intact(segment.path):
                    found = f"{segment.path}, damaged while the sweep ran"
                    raise InputError(segments.folder.name, found, "a disk that keeps what was written")
            _rewrite(segments, many, lambda segment, key: segments.owners[key] is segment and wanted(key))


def tidy(segments: Segments, wanted: Collection[Key]) -> int:
    """Keep one copy of every wanted table that is undamaged, and nothing else; how many files were damaged.

    Removes what a driver that died left behind, and damaged files once their undamaged tables are saved.
    """
    with segments.lock:
        damaged = segments.damaged()
        broken = {s: _undamaged(segments, s) for s in segments.segments if s.path in damaged}
        owners: dict[Key, Segment] = {}
        for segment in sorted(segments.segments, key=lambda segment: segment not in broken):
            owners |= dict.fromkeys(broken.get(segment, segment.places), segment)
        for segment in list(segments.segments):
            owned = frozenset(k for k in segment.places if owners.get(k) is segment and k in wanted)
            if segment in broken:
                segments.exclude([segment])
                add(segments, [run for key, run in broken[segment].items() if key in owned])
                segment.path.unlink(missing_ok=True)
            elif len(owned) < len(segment.places):
                _rewrite(segments, [segment], functools.partial(_is_in, owned))
        for path in segments.unreadable:
            path.unlink(missing_ok=True)
        segments.unreadable = []
    return len(damaged)


def require_unchanged(segments: Segments) -> None:
    """Raise an InputError where somebody removed what was written last."""
    if segments.segments and not segments.segments[-1].path.exists():
        raise _gone(segments, segments.segments[-1])


def _gone(segments: Segments, segment: Segment) -> InputError:
    allowed = "a folder that nobody else changes meanwhile; the sweep's command computes what is missing"
    return InputError(segments.folder.name, f"{segments.folder} without {segment.path.name}", allowed)


def _too_many(segments: Segments) -> list[Segment]:
    """Segments to be merged now: of one size, with columns of the same types."""
    sizes: dict[int, list[Segment]] = {}
    for segment in segments.segments:
        if len(segment.places) < FINAL_CELLS and segment.size < FINAL_BYTES:
            sizes.setdefault(len(segment.places) >= FAN_IN, []).append(segment)
    for members in sizes.values():
        if len(members) >= FAN_IN:
            for _, agreeing in that_agree(members, _own_schema):
                if len(agreeing) >= FAN_IN:
                    return agreeing
    return []


def _rewrite(segments: Segments, old: list[Segment], keep: Callable[[Segment, Key], bool]) -> None:
    """Move tables of some segments into a new one, then remove those."""
    if any(keep(segment, key) for segment in old for key in segment.places):
        ((own, _),) = that_agree(old, _own_schema)
        schema = _file_schema(segments, own)
        runs = (conform(run, schema) for segment in old for run in _runs(segments, segment, keep))
        segments.include(write_segment(segments.folder, segments.number - 1, schema, runs))
    _remove(segments, old)


def _remove(segments: Segments, old: list[Segment]) -> None:
    segments.exclude(old)
    for segment in old:
        segment.path.unlink(missing_ok=True)


def _runs(segments: Segments, segment: Segment, keep: Callable[[Segment, Key], bool]) -> Iterator[Run]:
    """Tables to keep: whole row groups where nothing else is in them."""
    for position, items in itertools.groupby(segment.places.items(), lambda item: item[1].row_group):
        places = dict(items)
        kept = tuple((key, place.layout, place.rows) for key, place in places.items() if keep(segment, key))
        if len(kept) == len(places):
            yield Run(kept, segments.row_group(segment, position))
        else:
            for cell in kept:
                yield Run((cell,), segments.rows(segment, places[cell[0]]))


def _is_in(keys: frozenset[Key], _: Segment, key: Key) -> bool:
    return key in keys


def _undamaged(segments: Segments, segment: Segment) -> dict[Key, Run]:
    """The tables of a damaged segment that are as they were written."""
    runs: dict[Key, Run] = {}
    for key, place in segment.places.items():
        with contextlib.suppress(DamagedError):
            runs[key] = Run(((key, place.layout, place.rows),), segments.own_table(segment, key))
    return runs


def _own_schema(segment: Segment) -> pa.Schema:
    return segment.own_schema


def _file_schema(segments: Segments, own: pa.Schema) -> pa.Schema:
    earlier = read_schema(segments.segments[-1].path) if segments.segments else segments.columns
    return file_schema(own, segments.columns, earlier)
