"""Writes tables of cells into segments, merges segments as they become many, tidies up after a crash.

For the driver that holds the folder's lock. Whatever is removed has been written elsewhere before.
"""

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import pandas as pd
import pyarrow as pa

from stackel_bench.errors import InputError
from stackel_bench.results.storage.segment import (
    CELL_ID,
    Cell,
    DamagedError,
    Key,
    Segment,
    is_intact,
    read_schema,
    write_segment,
)
from stackel_bench.results.storage.segments import Segments
from stackel_bench.results.storage.table import digest, to_table

Item = TypeVar("Item")
FAN_IN = 32  # so many segments of one size become one
FINAL_CELLS, FINAL_BYTES = FAN_IN**2, 1 << 25  # a segment with so many of them stays as it is


def encoded(cell_id: str, frame: pd.DataFrame) -> Cell:
    """The table of a cell, ready to be added; its index does not count."""
    table, layout = to_table(frame)
    if CELL_ID in table.column_names:
        raise ValueError(f"a table of one cell has no column {CELL_ID}: that is added")
    ids = pa.repeat(pa.scalar(cell_id), len(table))
    return Cell(Key(cell_id, digest(table)), layout, table.add_column(0, CELL_ID, ids))


def add(segments: Segments, cells: Sequence[Cell]) -> None:
    """Write tables into one new file; into several only where they disagree on the type of a column."""
    with segments.lock:
        require_unchanged(segments)
        for own, members in _that_agree(cells, lambda cell: cell.rows.schema):
            _write(segments, own, members)


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
            owned = {key: segments.owners[key] for segment in many for key in segment.places if wanted(key)}
            _rewrite(segments, many, owned)


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
            owned = {key: segment for key in segment.places if owners.get(key) is segment and key in wanted}
            if segment in broken:
                segments.exclude([segment])
                add(segments, [cell for key, cell in broken[segment].items() if key in owned])
                segment.path.unlink(missing_ok=True)
            elif len(owned) < len(segment.places):
                _rewrite(segments, [segment], owned)
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
            for _, agreeing in _that_agree(members, lambda segment: segment.own_schema):
                if len(agreeing) >= FAN_IN:
                    return agreeing
    return []


def _rewrite(segments: Segments, old: list[Segment], owned: Mapping[Key, Segment]) -> None:
    """Move tables of these segments, those that they own, into a new one, then remove them."""
    if not set(old).isdisjoint(owned.values()):
        ((own, _),) = _that_agree(old, lambda segment: segment.own_schema)
        _write(segments, own, (cell for segment in old for cell in _owned(segments, segment, owned)))
    segments.exclude(old)
    for segment in old:
        segment.path.unlink(missing_ok=True)


def _write(segments: Segments, own: pa.Schema, cells: Iterable[Cell]) -> None:
    segments.folder.mkdir(exist_ok=True)
    earlier = read_schema(segments.segments[-1].path) if segments.segments else segments.columns
    schema = _file_schema(own, segments.columns, earlier)
    segments.include(write_segment(segments.folder, segments.number - 1, schema, cells))


def _owned(segments: Segments, segment: Segment, owned: Mapping[Key, Segment]) -> Iterator[Cell]:
    used = [field.name for field in segment.own_schema if not pa.types.is_null(field.type)]
    for position, items in itertools.groupby(segment.places.items(), lambda item: item[1].row_group):
        group = segments.row_group(segment, position).select(used)
        for key, place in items:
            if owned.get(key) is segment:
                yield Cell(key, place.layout, group.slice(place.start, place.rows))


def _undamaged(segments: Segments, segment: Segment) -> dict[Key, Cell]:
    """The tables of a damaged segment that are as they were written."""
    cells: dict[Key, Cell] = {}
    for key, place in segment.places.items():
        with contextlib.suppress(DamagedError):
            segments.own_table(segment, key)
            cells[key] = Cell(key, place.layout, segments.rows(segment, place))
    return cells


def _that_agree(
    items: Sequence[Item], schema_of: Callable[[Item], pa.Schema]
) -> list[tuple[pa.Schema, list[Item]]]:
    """Groups of items whose columns have the same types wherever they share them, with all their columns."""
    groups: list[tuple[pa.Schema, list[Item]]] = []
    for item in items:
        for position, (schema, members) in enumerate(groups):
            with contextlib.suppress(pa.ArrowInvalid, pa.ArrowTypeError):  # types that disagree
                groups[position] = pa.unify_schemas([schema, schema_of(item)]), [*members, item]
                break
        else:
            groups.append((schema_of(item), [item]))
    return groups


def _file_schema(own: pa.Schema, columns: pa.Schema, earlier: pa.Schema) -> pa.Schema:
    """The columns of a new file: those of every file, its own, then what only earlier files have."""
    kinds: dict[str, pa.DataType] = {}
    for field in (*own, *columns, *earlier):
        if pa.types.is_null(kinds.setdefault(field.name, field.type)):
            kinds[field.name] = field.type
    order = dict.fromkeys([*columns.names, *kinds])
    return pa.schema({name: pa.float64() if pa.types.is_null(kinds[name]) else kinds[name] for name in order})
