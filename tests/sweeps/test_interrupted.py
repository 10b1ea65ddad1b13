"""Ctrl-C, a stopped container, a closed terminal: the driver ends soon and says how to go on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL, SMALL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serial_driver_stops_and_resumes(
    number: signal.Signals, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    output = tmp_path / "output"
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}"]
    with commands.running(commands.forked(arguments, tmp_path)) as driver:
        driver.wait_for_lines(output, 3)
        driver.send(number)
        ended = driver.wait()
    assert ended.code == 130
    assert ended.errors == ""
    lines = ended.output.strip().splitlines()
    assert lines[-2].startswith("Stopped; ")
    assert lines[-2].endswith("of 24 cells are finished and kept. Resume with:")
    assert lines[-1].startswith("  stackel-bench sweep game=bandit/random ")
    kept = [entry.cell_id for entry in commands.journal_entries(output)]
    assert 3 <= len(kept) < 24
    assert commands.run(arguments, tmp_path).code == 0
    assert [entry.cell_id for entry in commands.journal_entries(output)][: len(kept)] == kept
    commands.assert_complete(output, undisturbed, None)


def test_control_c_with_ray(faults: Path, tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to all processes of the command at once, Ray's included, while tasks hang."""
    output = tmp_path / "output"
    (faults / "hang").touch()
    arguments = ["sweep", *SMALL, "execution.num_cpus=2", "tracking=off", f"output={output}"]
    with commands.running(commands.started(arguments, tmp_path, faults)) as driver:
        driver.wait_for_lines(output, 2)
        started = time.monotonic()
        os.killpg(driver.pid, signal.SIGINT)
        ended = driver.wait()
        seconds = time.monotonic() - started
    assert ended.code == 130
    assert ended.errors == ""
    assert "Resume with:" in ended.output
    assert seconds < 120, "would have waited for the hanging tasks"
    assert all(entry.state == "finished" for entry in commands.journal_entries(output))
