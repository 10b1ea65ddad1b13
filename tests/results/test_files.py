"""Files are complete or absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackel_bench.results.files import remove_parts, write_atomically


def test_files_are_complete_or_absent(tmp_path: Path) -> None:
    target = tmp_path / "below" / "file"
    write_atomically(target, b"first")
    write_atomically(target, b"second")
    assert target.read_bytes() == b"second"
    with pytest.raises(TypeError):
        write_atomically(target, "text")  # type: ignore[arg-type]
    assert target.read_bytes() == b"second"
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_remains_of_a_driver_that_died_are_removed(tmp_path: Path) -> None:
    write_atomically(tmp_path / "below" / "file", b"kept")
    (tmp_path / "below" / ".half.part").write_bytes(b"half")
    remove_parts(tmp_path)
    assert [path.name for path in (tmp_path / "below").iterdir()] == ["file"]
