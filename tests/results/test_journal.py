"""The journal: whatever is cut, flipped or removed is noticed; what was complete stays; appending goes on."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stackel_bench.errors import InputError
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal
from stackel_bench.results.storage.segment import is_intact
from tests.results.made_up import assert_holds, assert_same, commit, entry, records, without_digests

PATH = "journal.jsonl"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 6), st.data())
def test_any_torn_end(tmp_path_factory: pytest.TempPathFactory, number: int, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder)
    for i in range(number):
        commit(journal, i)
    path = folder / PATH
    content = path.read_bytes() if number else b""
    kept = content[: data.draw(st.integers(0, len(content)))]
    path.write_bytes(kept)
    again = Journal(folder)
    left = kept.count(b"\n")
    assert list(map(without_digests, again.entries.values())) == [entry(i) for i in range(left)]
    assert path.read_bytes() == kept, "reading changes nothing"
    again.repair()
    assert bool(again.problems()) == (left < number), "records without a line are told"
    commit(again, 99)
    assert_holds(folder, *range(left), 99)
    assert path.read_bytes().count(b"\n") == left + 1


def test_failed_then_finished(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    failed = dataclasses.replace(entry(1, "failed"), error="oh", traceback="where")
    journal.commit([(failed, None, None)])
    assert Journal(tmp_path).entries[failed.cell_id] == failed
    text = (tmp_path / "failures" / f"{failed.cell_id}.txt").read_text()
    assert "oh" in text
    assert "where" in text
    commit(journal, 1)
    assert_holds(tmp_path, 1)
    assert not list((tmp_path / "failures").iterdir())


def test_commits_of_several_cells_are_one_line_each_and_one_file(tmp_path: Path) -> None:
    commit(Journal(tmp_path), 1, 2, 4, 5)
    assert len(list((tmp_path / "records").iterdir())) == 1
    assert len(list((tmp_path / "actions").iterdir())) == 1
    assert_holds(tmp_path, 1, 2, 4, 5)


def test_numbers_survive_exactly(tmp_path: Path) -> None:
    precise = Entry("0" * 16, "finished", "", {}, {}, {"x": 0.1 + 0.2, "y": 1e308, "z": 5e-324})
    (kept,) = Journal(tmp_path).commit([(precise, None, None)])
    assert Journal(tmp_path).entries[precise.cell_id] == kept == precise


def test_not_a_number_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    bad = Entry("0" * 16, "finished", "", {}, {}, {"x": float("nan")})
    with pytest.raises(ValueError, match="JSON compliant"):
        Journal(tmp_path).commit([(entry(1), records(1), None), (bad, records(2), None)])
    assert not list(tmp_path.iterdir())


def test_every_flipped_and_every_cut_byte_of_a_line(tmp_path: Path) -> None:
    """Of three lines the middle one is damaged: its cell alone is lost, and that is told."""
    commit(Journal(tmp_path), 1, 2, 3)
    path = tmp_path / PATH
    lines = path.read_bytes().splitlines(keepends=True)
    refused = 0
    for position in range(len(lines[1]) - 1):
        for damage in (bytes([lines[1][position] ^ 1]), bytes([lines[1][position] ^ 0x40]), b""):
            line = lines[1][:position] + damage + lines[1][position + 1 :]
            path.write_bytes(lines[0] + line + lines[2])
            try:
                journal = Journal(tmp_path)
            except InputError:
                refused += 1
                continue
            assert list(map(without_digests, journal.entries.values())) == [entry(1), entry(3)]
            assert journal.damaged in (1, 2), "two if the damage is a line's end"
            assert journal.problems()
    assert refused == 1, "2 became 3: a later format is refused, not run again"


def damaged(content: bytes, position: int) -> tuple[bytes, bytes]:
    """One byte flipped, one byte cut."""
    rest = content[position + 1 :]
    return content[:position] + bytes([content[position] ^ 0x10]) + rest, content[:position] + rest


def test_every_flipped_and_every_cut_byte_of_a_segment(tmp_path: Path) -> None:
    """The name tells; and a reader, who does not read all of a file, gets what was written or an error."""
    commit(Journal(tmp_path), 1, 2, 3)
    (path,) = (tmp_path / "records").iterdir()
    content = path.read_bytes()
    for position in range(len(content)):
        for changed in damaged(content, position):
            path.write_bytes(changed)
            assert not is_intact(path)
            if position % 17 == 0:
                reader = Journal(tmp_path)
                for number in (1, 2, 3):
                    if entry(number).cell_id in reader.entries:
                        with contextlib.suppress(InputError):
                            assert_same(reader, number)
    path.write_bytes(content)
    assert is_intact(path)
    assert_holds(tmp_path, 1, 2, 3)


def test_a_driver_saves_what_is_whole_in_a_damaged_segment(tmp_path: Path) -> None:
    folder, copy = tmp_path / "sweep", tmp_path / "copy"
    folder.mkdir()
    commit(Journal(folder), 1, 2, 3)
    (path,) = (folder / "records").iterdir()
    content = path.read_bytes()
    saved = set()
    for position in range(0, len(content), 61):
        for changed in damaged(content, position):
            path.write_bytes(changed)
            shutil.copytree(folder, copy)
            driver = Journal(copy)
            driver.repair()
            assert any("1 damaged file" in sentence for sentence in driver.problems())
            missing = [number for number in (1, 2, 3) if entry(number).cell_id not in driver.entries]
            saved.add(3 - len(missing))
            for number in {1, 2, 3} - set(missing):
                assert_same(driver, number)
            commit(driver, *missing)
            assert not Journal(copy).problems()
            for number in (1, 2, 3):
                assert_same(Journal(copy), number)
            shutil.rmtree(copy)
    assert {0, 2, 3} <= saved, "sometimes none, sometimes all, sometimes all but one"


def test_a_missing_segment_is_told_and_its_cells_run_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    commit(journal, 1, 2)
    commit(journal, 4)
    newest, oldest = sorted((tmp_path / "records").iterdir())
    oldest.unlink()
    driver = Journal(tmp_path)
    assert driver.lost == {entry(1).cell_id, entry(2).cell_id}
    assert driver.problems() == ["tables of 2 finished cells damaged or missing: such cells run again"]
    driver.repair()
    assert {key.cell_id for key in driver.tables["actions"].owners} == {entry(4).cell_id}
    commit(driver, 1, 2)
    for number in (1, 2, 4):
        assert_same(Journal(tmp_path), number)
    assert newest.exists()


def test_damaged_lines_are_moved_not_destroyed(tmp_path: Path) -> None:
    commit(Journal(tmp_path), 1, 2, 3)
    path = tmp_path / PATH
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\x00" * 50 + b"\n" + lines[1][:-9] + b"\n" + lines[2] + lines[1][:40])
    driver = Journal(tmp_path)
    assert driver.problems() == ["2 damaged lines in journal.jsonl: such cells run again"]
    driver.repair()
    assert (tmp_path / "journal.damaged").read_bytes() == b"\x00" * 50 + b"\n" + lines[1][:-9] + b"\n"
    assert path.read_bytes() == lines[0] + lines[2]
    assert "2 damaged lines moved to journal.damaged: such cells run again" in driver.problems()
    assert "records of 1 cell without a line in journal.jsonl: such cells run again" in driver.problems()
    commit(driver, 2)
    assert_holds(tmp_path, 1, 3, 2)
    assert not Journal(tmp_path).problems()


def edited(folder: Path, **changes: object) -> None:
    """Write another line for cell 1, whole and with the right checksum."""
    line = dataclasses.replace(entry(1), **changes).to_line()  # type: ignore[arg-type]
    with (folder / PATH).open("ab") as file:
        file.write(line + b"\n")


def test_unknown_states_are_told_and_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    commit(journal, 1, 2)
    edited(tmp_path, state="paused", records_digest=journal.entries[entry(1).cell_id].records_digest)
    again = Journal(tmp_path)
    assert again.problems() == ["1 cell in the state 'paused', which this version does not know: left alone"]
    assert list(again.entries) == [entry(2).cell_id]
    assert again.state(entry(1).cell_id) == "paused"
    before = (tmp_path / PATH).read_bytes()
    again.repair()
    assert (tmp_path / PATH).read_bytes() == before
    assert entry(1).cell_id in {key.cell_id for key in again.tables["records"].owners}


def test_unknown_fields_are_left_out(tmp_path: Path) -> None:
    import zlib

    fields = {**dataclasses.asdict(entry(1)), "mood": "good"}
    body = json.dumps(fields).encode()[1:]
    (tmp_path / PATH).write_bytes(b'{"format":2,"check":"%08x",' % zlib.crc32(body) + body + b"\n")
    assert list(Journal(tmp_path).entries.values()) == [entry(1)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"format":3,"check":"00000000","cell_id":"a"}', ["format 3 in", "format 2", "that wrote it"]),
        ('{"check": "x", "kind": "line", "format": 12}', ["format 12 in", "format 2", "another output"]),
        ('{"cell_id":"a","state":"finished","label":"b"}', ["format 1 in", "never released", "remove"]),
    ],
)
def test_other_formats_are_refused_with_a_sentence(tmp_path: Path, line: str, words: list[str]) -> None:
    commit(Journal(tmp_path), 1)
    with (tmp_path / PATH).open("a") as file:
        file.write(line + "\n")
    before = (tmp_path / PATH).read_bytes()
    with pytest.raises(InputError) as caught:
        Journal(tmp_path)
    assert all(word in str(caught.value) for word in words), caught.value
    assert (tmp_path / PATH).read_bytes() == before


def _truncate(folder: Path) -> None:
    os.truncate(folder / PATH, 100)


def _replace(folder: Path) -> None:
    content = (folder / PATH).read_bytes()
    (folder / "other").write_bytes(content)
    os.replace(folder / "other", folder / PATH)


def _grow(folder: Path) -> None:
    with (folder / PATH).open("ab") as file:
        file.write(b"x")


def _remove(folder: Path) -> None:
    (folder / PATH).unlink()


def _remove_records(folder: Path) -> None:
    shutil.rmtree(folder / "records")


def _remove_all(folder: Path) -> None:
    shutil.rmtree(folder)


@pytest.mark.parametrize("change", [_truncate, _replace, _grow, _remove, _remove_records, _remove_all])
def test_a_folder_that_changes_under_our_feet(tmp_path: Path, change: Callable[[Path], None]) -> None:
    folder = tmp_path / "sweep"
    folder.mkdir()
    journal = Journal(folder)
    commit(journal, 1, 2)
    change(folder)
    left = (folder / PATH).read_bytes() if (folder / PATH).exists() else None
    with pytest.raises(InputError, match="nobody else changes meanwhile"):
        journal.require_unchanged()
    with pytest.raises(InputError, match="nobody else changes meanwhile"):
        commit(journal, 3)
    assert ((folder / PATH).read_bytes() if (folder / PATH).exists() else None) == left
    assert folder.exists() == (change is not _remove_all), "and nothing is made anew in its place"


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    commit(journal, 1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(OSError, match="full"):
            commit(journal, 2)
    assert not list(tmp_path.rglob("*.part"))
    commit(journal, 4)
    assert_holds(tmp_path, 1, 4)


def test_readers_while_a_driver_writes_and_merges(tmp_path: Path) -> None:
    """A reader that looked before segments were merged still reads every cell that it knows."""
    journal = Journal(tmp_path)
    readers = []
    for number in range(70):
        commit(journal, number)
        if number % 10 == 5:
            readers.append((number + 1, Journal(tmp_path)))
    for count, reader in readers:
        assert len(reader.entries) == count
        for number in range(count):
            assert_same(reader, number)
