"""Segments: any order of commits and merges, a crash at every step, columns that do not fit together."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stackel_bench.errors import InputError
from stackel_bench.results.journal import TABLES, Journal
from stackel_bench.results.storage import merging
from stackel_bench.results.storage.segment import Key, Segment
from stackel_bench.results.storage.segments import Segments
from stackel_bench.results.storage.table import digest
from tests.results.made_up import assert_holds, assert_same, commit, entry, records


@pytest.fixture
def small_fan_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two segments become one, four cells are final: a few commits go through all sizes."""
    monkeypatch.setattr(merging, "FAN_IN", 2)
    monkeypatch.setattr(merging, "FINAL_CELLS", 4)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(bundles=st.lists(st.integers(1, 5), max_size=9), reopened=st.integers(1, 5))
def test_any_order_of_commits(
    tmp_path_factory: pytest.TempPathFactory, small_fan_in: None, bundles: list[int], reopened: int
) -> None:
    folder = tmp_path_factory.mktemp("sweep")
    journal, count = Journal(folder), 0
    for position, size in enumerate(bundles):
        if position % reopened == 0:
            journal = Journal(folder)
            journal.repair()
        commit(journal, *range(count, count + size))
        count += size
    journal = assert_holds(folder, *range(count))
    assert not journal.problems()
    assert not journal.tables["records"].damaged()
    assert len(list((folder / "records").glob("*"))) <= 1 + 1 + count // 4


class Crash(BaseException):
    """The power is cut."""


class Power:
    """Counts what is done to the disk, and cuts the power at a chosen moment: nothing is done after it."""

    def __init__(self, patch: pytest.MonkeyPatch, moment: int) -> None:
        self.left, self.is_cut = moment, False
        for name in ("replace", "unlink", "fsync"):
            patch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                self.is_cut = True
                raise Crash
            return function(*arguments, **keywords)

        return call


def crashes(work: Callable[[], None], moment: int) -> bool:
    """Whether the power was cut before the work was done."""
    with pytest.MonkeyPatch.context() as patch:
        power = Power(patch, moment)
        with contextlib.suppress(Crash):
            work()
        return power.is_cut


def moments(work: Callable[[int], bool]) -> Iterator[int]:
    """Every moment at which the work can be cut."""
    moment = 0
    while work(moment):
        yield moment
        moment += 1
    assert moment > 20, "so many steps at least"


def test_a_crash_at_every_step(tmp_path: Path, small_fan_in: None) -> None:
    """Of commits with merges of all sizes; then of the repair itself. What has a line is whole, and once."""
    bundles = [(0,), (1,), (2, 3), (4,), (5,)]

    def first(moment: int) -> bool:
        folder = tmp_path / str(moment)
        folder.mkdir()

        def work() -> None:
            journal = Journal(folder)
            for bundle in bundles:
                commit(journal, *bundle)

        return crashes(work, moment)

    for moment in moments(first):
        folder = tmp_path / str(moment)
        declared = len(Journal(folder).entries)
        assert [entry(number).cell_id for number in range(declared)] == list(Journal(folder).entries)
        for number in range(declared):
            assert_same(Journal(folder), number)

        def repair_it(folder: Path = folder) -> None:
            Journal(folder).repair()

        for second in range(3):
            if not crashes(repair_it, second):
                break
        driver = Journal(folder)
        driver.repair()
        assert len(driver.entries) == declared, "a crash in the repair costs nothing"
        assert not list(folder.rglob("*.part"))
        for bundle in bundles:
            if bundle[0] >= declared:
                commit(driver, *bundle)
        assert_holds(folder, *range(6))


def test_cells_that_disagree_on_types_are_kept_apart(tmp_path: Path) -> None:
    """Integers that no float can hold beside floats, text beside numbers: all read as they were written."""
    frames = [
        pd.DataFrame({"replicate": [0], "odd": [2**62 + 1]}),
        pd.DataFrame({"replicate": [0], "odd": [0.5]}),
        pd.DataFrame({"replicate": [0], "odd": ["text"]}),
        pd.DataFrame({"replicate": [0], "odd": [None]}),
        pd.DataFrame({"replicate": [0], "odd": [True]}),
        pd.DataFrame({"replicate": np.array([], dtype=np.int64)}),
        pd.DataFrame({"replicate": np.array([1], dtype=np.int8), "odd": pd.array([None], dtype="Int64")}),
    ]
    journal = Journal(tmp_path)
    for copy in range(12):
        journal.commit([(entry(7 * copy + kind), frame, None) for kind, frame in enumerate(frames)])
    again = Journal(tmp_path)
    for number in range(12 * 7):
        found = again.read_records(entry(number).cell_id)
        pd.testing.assert_frame_equal(found, frames[number % 7], check_exact=True)
    assert len(list((tmp_path / "records").iterdir())) < 5 * merging.FAN_IN


def test_columns_without_values_fit_to_any_type(tmp_path: Path) -> None:
    """Families that leave a column empty and families that fill it are merged into the same files."""
    empty = pd.DataFrame({"replicate": [0], "follower_response": [None]})
    filled = pd.DataFrame({"replicate": [0], "follower_response": [3]})
    journal = Journal(tmp_path)
    for number in range(merging.FAN_IN):
        frame = empty if number % 4 in (0, 3) else filled
        journal.commit([(entry(number), frame, None)])
    assert len(list((tmp_path / "records").iterdir())) == 1
    found = pd.read_parquet(tmp_path / "records").set_index("cell_id")["follower_response"]
    for number in range(merging.FAN_IN):
        frame = empty if number % 4 in (0, 3) else filled
        pd.testing.assert_frame_equal(journal.read_records(entry(number).cell_id), frame)
        assert pd.isna(found[entry(number).cell_id]) == (frame is empty)


def test_the_first_file_knows_all_columns(tmp_path: Path) -> None:
    """So that tools that take the columns from the first file miss none."""
    journal = Journal(tmp_path)
    seen: set[str] = set()
    for number in (1, 2, 4, 6, 3):
        commit(journal, number)
        seen |= set(records(number).columns)
        first = min((tmp_path / "records").iterdir())
        assert seen <= set(pq.read_schema(first).names)


def test_a_cell_is_read_without_reading_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segments = Segments(tmp_path / "records", TABLES["records"])
    tables = [merging.encoded(f"{number:04x}", records(number, 500)) for number in range(100)]
    merging.add(segments, tables)
    again = Segments(tmp_path / "records", TABLES["records"])
    (segment,) = again.segments
    groups = {place.row_group for place in segment.places.values()}
    assert len(groups) == 12
    read: list[int] = []
    row_group = again.row_group

    def counted(segment: Segment, position: int) -> pa.Table:
        read.append(position)
        return row_group(segment, position)

    monkeypatch.setattr(again, "row_group", counted)
    key = tables[50].key
    pd.testing.assert_frame_equal(again.read(key), records(50, 500))
    assert read == [segment.places[key].row_group]
    assert Key("0032", "0" * 32) not in again


def test_thousands_of_cells_are_few_files(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    small = pd.DataFrame({"replicate": [0, 1], "rung": 0, "samples": 5, "leader_action": 1})
    for start in range(0, 2000, 5):
        journal.commit([(entry(number), small, None) for number in range(start, start + 5)])
    assert len(list(tmp_path.rglob("*"))) < 70
    again = Journal(tmp_path)
    assert len(again.entries) == 2000
    assert set(pd.read_parquet(tmp_path / "records")["cell_id"]) == set(again.entries)


@pytest.mark.parametrize("order", [range(40), [*range(39, -1, -2), *range(0, 40, 2)], [7]])
def test_many_cells_at_once(tmp_path: Path, small_fan_in: None, order: list[int]) -> None:
    """Whole files give what cell after cell gives, bit by bit; so does one that may be damaged elsewhere."""
    journal = Journal(tmp_path)
    for start in range(0, 40, 5):
        commit(journal, *range(start, start + 5))
    keys = {key.cell_id: key for key in journal.tables["records"].owners}
    wanted = [keys[entry(number).cell_id] for number in order]
    for _ in range(2):
        segments = Segments(tmp_path / "records", TABLES["records"])
        tables = [segments.table(key)[0] for key in wanted]
        ids = [pa.array([key.cell_id] * len(table)) for key, table in zip(wanted, tables, strict=True)]
        named = [table.add_column(0, "cell_id", own) for table, own in zip(tables, ids, strict=True)]
        expected = pa.concat_tables(named, promote_options="permissive")
        found = segments.together(wanted)
        assert found.schema == expected.schema
        assert digest(found) == digest(expected)
        path = segments.owners[wanted[0]].path
        path.rename(path.with_name(f"{path.name[:9]}-00000000.parquet"))
    path = Segments(tmp_path / "records", TABLES["records"]).owners[wanted[0]].path
    content = bytearray(path.read_bytes())
    content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)
    path.write_bytes(content)
    with pytest.raises(InputError, match="no undamaged table of cell"):
        Segments(tmp_path / "records", TABLES["records"]).together(wanted)
