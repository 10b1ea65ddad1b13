"""The sweep's folder: two drivers, full disks, read-only places, torn and damaged journals."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from stackel_bench.cli import main
from stackel_bench.results.storage.segment import read_segment
from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL


def test_second_driver_refuses(tmp_path: Path) -> None:
    output, faults = tmp_path / "output", tmp_path / "faults"
    faults.mkdir()
    (faults / "hang").touch()
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}"]
    with commands.running(commands.forked(arguments, tmp_path, faults)) as first:
        first.wait_for_lines(output, 2)
        before = commands.journal_lines(output)
        second = commands.run(arguments, tmp_path)
        assert second.code == 2
        assert second.output == ""
        assert second.errors.count("\n") == 1
        assert f"process {first.pid} on " in second.errors
        look = commands.run([*arguments, "dry_run=true"], tmp_path)
        assert look.code == 0, "looking is allowed"
        assert look.output.count("finished") >= before
        first.send(signal.SIGKILL)
        first.wait()
    assert commands.run(arguments, tmp_path).code == 0, "the lock dies with its holder"


def test_full_disk_in_the_middle(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """The journal may not grow beyond 20,000 bytes: the line that does not fit is taken back."""
    output = tmp_path / "output"
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}"]
    ended = commands.run(arguments, tmp_path, file_limit=20_000)
    assert ended.code == 2
    assert ended.errors.count("\n") == 1
    assert "File too large" in ended.errors
    assert "Resume with: stackel-bench sweep game=bandit/random" in ended.errors
    kept = commands.journal_entries(output)
    assert 0 < len(kept) < 24
    assert commands.run(arguments, tmp_path).code == 0
    commands.assert_complete(output, undisturbed, None)


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/below"])
def test_place_that_cannot_be_written(place: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *SERIAL, "tracking=off", f"output={place}"]) == 2
    message = capfd.readouterr().err
    assert message.startswith("error: cannot write to ")
    assert message.count("\n") == 1


def test_folder_of_somebody_else(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={tmp_path / 'output'}"]
    assert main([*arguments, "dry_run=true"]) == 0  # imports everything while this user may read it
    capfd.readouterr()
    tmp_path.chmod(0o500)
    root = os.geteuid() == 0
    if root:  # root may write anywhere
        os.seteuid(65534)
    try:
        assert main(arguments) == 2
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o700)
    assert "Permission denied" in capfd.readouterr().err


def test_torn_and_damaged_lines_and_lost_records(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    output = tmp_path / "output"
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}"]
    assert commands.run(arguments, tmp_path).code == 0
    folder = commands.sweep_folder(output)
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    ids = [entry.cell_id for entry in commands.journal_entries(output)]
    first = max((folder / "records").iterdir())  # numbers count down
    of_first = {key.cell_id for key in read_segment(first).places}
    assert ids[0] in of_first
    first.unlink()
    lines[5] = b"\x00" * 100 + b"\n"
    lines[-1] = lines[-1][:200]
    journal.write_bytes(b"".join(lines))
    (folder / "records" / ".half.part").write_bytes(b"half")
    torn = journal.read_bytes()
    missing = {*of_first, ids[5], ids[-1]}
    look = commands.run([*arguments, "dry_run=true"], tmp_path)
    assert f"{len(missing)} to run" in look.output
    assert "1 damaged line in journal.jsonl: such cells run again" in look.output
    assert journal.read_bytes() == torn, "looking changes nothing"
    ended = commands.run(arguments, tmp_path)
    assert ended.code == 0
    assert f"24 cells, {len(missing)} to run" in ended.output
    assert "1 damaged line moved to journal.damaged: such cells run again" in ended.output
    assert (
        f"tables of {len(of_first)} finished cells damaged or missing: such cells run again" in ended.output
    )
    assert "records of 2 cells without a line in journal.jsonl: such cells run again" in ended.output
    assert commands.results(output) == undisturbed
    assert journal.read_bytes().startswith(b"".join(lines[:5] + lines[6:-1]))
    assert (folder / "journal.damaged").read_bytes() == lines[5]
    assert not (folder / "records" / ".half.part").exists()
    assert {entry.cell_id for entry in commands.journal_entries(output)[22:]} == missing
    again = commands.run(arguments, tmp_path)
    assert "run again" not in again.output
    assert "24 cells, 0 to run" in again.output
