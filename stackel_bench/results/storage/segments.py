"""The tables of all cells of a sweep, found in a folder of few Parquet files and read one at a time."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from stackel_bench.errors import InputError
from stackel_bench.results.storage.segment import (
    CELL_ID,
    DAMAGE,
    ROWS,
    TOP_NUMBER,
    DamagedError,
    Key,
    Place,
    Segment,
    is_intact,
    is_segment,
    number_of,
    read_rows,
    read_schema,
    read_segment,
)
from stackel_bench.results.storage.table import Layout, digest, own_table, to_frame, with_schema

_CACHED = 40  # row groups, of some 4000 rows each
_LOOKS = 10  # at a folder whose driver merges meanwhile


class Segments:
    """Tables by cell id and digest; reading changes nothing on disk. How they are written: see merging.

    Every file has a column for the cell id, the given columns (names and types), and whatever an earlier
    file had: empty where a cell does not know of it. Reading a cell returns its own columns alone.
    """

    def __init__(self, folder: Path, columns: Mapping[str, str]) -> None:
        self.folder = folder
        self.columns = pa.schema({CELL_ID: "string", **columns})
        self.lock = threading.RLock()  # the mirror reads what the driver writes and merges
        self.segments: list[Segment] = []  # oldest first
        self.unreadable: list[Path] = []  # files without a footer that could be read
        self.number = TOP_NUMBER + 1  # of the newest file so far, whatever became of it
        self.owners: dict[Key, Segment] = {}  # of every table; the newest, should there be several
        self._cache: OrderedDict[tuple[Path, int], pa.Table] = OrderedDict()
        self._look()

    def __contains__(self, key: Key) -> bool:
        return key in self.owners

    def copies(self) -> Iterator[Key]:
        """Every table as often as it is on disk."""
        return (key for segment in self.segments for key in segment.places)

    def damaged(self) -> list[Path]:
        """Files that are not as they were written; reads every byte."""
        return [*self.unreadable, *(s.path for s in self.segments if not is_intact(s.path))]

    def read(self, key: Key) -> pd.DataFrame:
        """The frame that was added; an InputError where it is gone or damaged."""
        return to_frame(*self.table(key))

    def table(self, key: Key) -> tuple[pa.Table, Layout]:
        """The same as Arrow columns, and their layout."""
        with self.lock:
            for attempt in range(2):
                try:
                    segment = self.owners[key]
                    return self.own_table(segment, key), segment.places[key].layout
                except (FileNotFoundError, KeyError):  # written or merged by a driver meanwhile, or gone
                    if attempt == 0:
                        self._look()
                except DamagedError:
                    break
        found = f"no undamaged table of cell {key.cell_id} in {self.folder}"
        allowed = "what was written there; the sweep's command computes it again"
        raise InputError(self.folder.name, found, allowed)

    def together(self, keys: Sequence[Key]) -> pa.Table:
        """The tables of these cells below each other, the cell id first, the same however they are stored.

        Whole files are checked and read at once, a tenth of the work of cell after cell.
        """
        with self.lock:
            for _ in range(_LOOKS):
                try:
                    if not all(is_intact(segment.path) for segment in {self.owners[key] for key in keys}):
                        break
                    return self._together(keys)
                except FileNotFoundError:  # merged by a driver meanwhile
                    self._look()
                except KeyError:
                    break
            tables = [self.table(key)[0] for key in keys]  # says which cell is lost, if one of these is
        ids = [pa.repeat(pa.scalar(key.cell_id), len(t)) for key, t in zip(keys, tables, strict=True)]
        named = [table.add_column(0, CELL_ID, own) for table, own in zip(tables, ids, strict=True)]
        return pa.concat_tables(named, promote_options="permissive").combine_chunks()

    def _together(self, keys: Sequence[Key]) -> pa.Table:
        places = [(self.owners[key], self.owners[key].places[key]) for key in keys]
        kinds = dict.fromkeys((segment.path, place.layout) for segment, place in places)
        own = [own_table(read_schema(path).empty_table(), layout).schema for path, layout in kinds]
        schema = pa.unify_schemas([pa.schema({CELL_ID: "string"}), *own], promote_options="permissive")
        tables, starts, total = [], {}, 0
        for segment in dict.fromkeys(segment for segment, _ in places):
            tables.append(with_schema(read_rows(segment), schema))
            for key, place in segment.places.items():
                starts[segment, key] = total
                total += place.rows
        first = np.array([starts[segment, key] for (segment, _), key in zip(places, keys, strict=True)])
        rows = np.array([place.rows for _, place in places])
        wanted = np.arange(rows.sum()) + np.repeat(first - (np.cumsum(rows) - rows), rows)
        return pa.concat_tables(tables).combine_chunks().take(pa.array(wanted))

    def own_table(self, segment: Segment, key: Key) -> pa.Table:
        """The columns of one cell, with their own types; a DamagedError where they are not what they were."""
        place = segment.places[key]
        try:
            table = own_table(self.rows(segment, place), place.layout)
            is_whole = digest(table) == key.digest
        except FileNotFoundError:
            raise
        except DAMAGE as error:
            raise DamagedError(segment.path.name) from error
        if not is_whole:
            raise DamagedError(segment.path.name)
        return table

    def rows(self, segment: Segment, place: Place) -> pa.Table:
        """The rows of one cell, with all columns of its file."""
        return self.row_group(segment, place.row_group).slice(place.start, place.rows)

    def row_group(self, segment: Segment, position: int) -> pa.Table:
        """One row group, remembered if it is not too long."""
        group = self._cache.get((segment.path, position))
        if group is None:
            group = read_rows(segment, position)
            if len(group) <= 2 * ROWS:
                self._cache[segment.path, position] = group
                if len(self._cache) > _CACHED:
                    self._cache.popitem(last=False)
        return group

    def include(self, segment: Segment) -> None:
        """Know of a segment that has been written."""
        self.segments.append(segment)
        self.number = min(self.number, number_of(segment.path))
        self.owners |= dict.fromkeys(segment.places, segment)

    def exclude(self, old: Collection[Segment]) -> None:
        """Forget segments that are about to be removed."""
        self.segments = [segment for segment in self.segments if segment not in old]
        for segment in old:
            for key in segment.places:
                if self.owners.get(key) is segment:
                    del self.owners[key]

    def _look(self) -> None:
        """Read the footers of all files; again if one went away meanwhile, because it was merged."""
        known = {segment.path: segment for segment in self.segments}
        for _ in range(_LOOKS):
            paths = self._paths()
            segments: list[Segment] = []
            unreadable: list[Path] = []
            try:
                for path in paths:
                    try:
                        segments.append(known.get(path) or read_segment(path))
                    except DamagedError:
                        unreadable.append(path)
            except FileNotFoundError:
                continue
            if self._paths() == paths:
                break
        self.segments, self.unreadable = segments, unreadable
        self.number = min([self.number, *map(number_of, paths)])
        self.owners = {key: segment for segment in segments for key in segment.places}

    def _paths(self) -> list[Path]:
        return sorted((path for path in self.folder.glob("*.parquet") if is_segment(path)), reverse=True)
