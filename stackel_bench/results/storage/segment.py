"""One Parquet file with the tables of several cells, each of which can be read alone and is checked then.

Its name holds a number that counts down, so that the newest file comes first: it has a column for whatever
any cell has, and tools that read the folder as one table take their columns from the first file. Then comes
the CRC-32 of the file. Cells stand one after the other in row groups of some thousand rows; where each one
is, its columns and the digest of its values are in the footer.
"""

import functools
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from stackel_bench.errors import UnavailableError
from stackel_bench.results.files import part_file
from stackel_bench.results.storage.table import Layout

CELL_ID = "cell_id"
TOP_NUMBER = 999_999_999
ROWS = 4096  # of a row group at least, where there are so many: what reading one cell has to decode

_NAME = re.compile(r"(\d{9})-([0-9a-f]{8})\.parquet")
_INDEX = b"stackel_bench"
_CHECK = b"stackel_bench.crc32"


class Key(NamedTuple):
    """A table of a cell: contents with another digest are another table."""

    cell_id: str
    digest: str


@dataclass(frozen=True)
class Place:
    """Where in a segment a table is, and which of the segment's columns belong to it."""

    row_group: int
    start: int
    rows: int
    layout: Layout


@dataclass(frozen=True, eq=False)
class Segment:
    """A file and what its footer says."""

    path: Path
    size: int
    places: Mapping[Key, Place]

    @functools.cached_property
    def own_schema(self) -> pa.Schema:
        """The columns of the file; those in which no cell has a value could have any type."""
        layouts = {id(place.layout): place.layout for place in self.places.values()}.values()
        used = {name for layout in layouts for name, kind, _ in layout if kind != "null"} | {CELL_ID}
        return pa.schema([f if f.name in used else f.with_type(pa.null()) for f in read_schema(self.path)])


# What reading a damaged file may raise.
DAMAGE = (OSError, pa.ArrowException, ValueError, LookupError, OverflowError, MemoryError)


class DamagedError(ValueError):
    """A segment, or the table of a cell in it, is not what was written."""


class Cell(NamedTuple):
    """The table of a cell on its way into a segment, with a column for the cell id."""

    key: Key
    layout: Layout
    rows: pa.Table


def is_segment(path: Path) -> bool:
    """Whether the file is named like a segment."""
    return _NAME.fullmatch(path.name) is not None


def number_of(path: Path) -> int:
    """The smaller, the newer."""
    return int(path.name[:9])


def write_segment(folder: Path, number: int, schema: pa.Schema, cells: Iterable[Cell]) -> Segment:
    """A new file with these tables, whose columns are among those of the schema."""
    layouts: dict[Layout, int] = {}
    places: dict[Key, Place] = {}
    waiting = [schema.empty_table()]  # what makes them all alike: empty where a cell has no such column
    row_group = start = 0
    with part_file(folder) as (file, name_it):
        writer = pq.ParquetWriter(file, schema, compression="zstd", write_statistics=[CELL_ID])

        def write_row_group() -> None:
            table = pa.concat_tables(waiting, promote_options="default")
            writer.write_table(table, row_group_size=max(1, len(table)))
            del waiting[1:]

        for key, layout, rows in cells:
            layouts.setdefault(layout, len(layouts))
            places[key] = Place(row_group, start, len(rows), layout)
            start += len(rows)
            waiting.append(rows)
            if start >= ROWS:
                write_row_group()
                row_group, start = row_group + 1, 0
        if waiting[1:]:
            write_row_group()
        known = [(*key, p.row_group, p.start, p.rows, layouts[p.layout]) for key, p in places.items()]
        index = json.dumps({"layouts": list(layouts), "cells": known}, separators=(",", ":")).encode()
        writer.add_key_value_metadata({_INDEX: index, _CHECK: b"%08x" % zlib.crc32(index)})
        writer.close()
        size = file.tell()
        name = f"{number:09d}-{_crc32(file):08x}.parquet"
        name_it(name)
    return Segment(folder / name, size, places)


def read_segment(path: Path) -> Segment:
    """The segment in this file, of which only the footer is read."""
    try:
        size = path.stat().st_size
        metadata = pq.read_metadata(path).metadata or {}
        if metadata[_CHECK] != b"%08x" % zlib.crc32(metadata[_INDEX]):
            raise DamagedError(path.name)
        index = json.loads(metadata[_INDEX])
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise UnavailableError(path.parent.name, f"read {path}", error.strerror) from error
    except DAMAGE as error:
        raise DamagedError(path.name) from error
    layouts = [tuple(map(tuple, layout)) for layout in index["layouts"]]
    places = {Key(i, digest): Place(g, s, n, layouts[k]) for i, digest, g, s, n, k in index["cells"]}
    return Segment(path, size, places)


def read_rows(segment: Segment, row_group: int | None = None) -> pa.Table:
    """One row group or all of them, all columns."""
    try:
        with pq.ParquetFile(segment.path) as file:
            wanted = range(file.num_row_groups) if row_group is None else [row_group]
            return file.read_row_groups(wanted, use_threads=False)
    except FileNotFoundError:
        raise
    except DAMAGE as error:
        raise DamagedError(segment.path.name) from error


@functools.lru_cache(maxsize=1 << 12)
def read_schema(path: Path) -> pa.Schema:
    """The columns of a segment; under its name there is never another one."""
    return pq.read_schema(path).remove_metadata()


def is_intact(path: Path) -> bool:
    """Whether every byte is as it was written; reads the whole file."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return False
    with path.open("rb") as file:
        return _crc32(file) == int(match[2], 16)


def _crc32(file: BinaryIO) -> int:
    value = 0
    file.seek(0)
    while block := file.read(1 << 20):
        value = zlib.crc32(block, value)
    return value
