"""A cluster of several nodes: a worker process is killed in a task, a whole node in mid-sweep."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sweep import commands
from tests.sweep.conftest import SMALL


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The process that holds a cluster of two workers; its first line is the address."""
    with (tmp_path / "cluster.err").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.sweep.ray_cluster"],
            cwd=commands.ROOT,
            env={**os.environ, "PYTHONPATH": str(commands.ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.communicate("stop\n", timeout=commands.SECONDS)
        for pid in commands.session_members(process.pid):
            os.kill(pid, signal.SIGKILL)


def test_node_dies_in_the_middle(
    cluster: subprocess.Popen[str], faults: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    assert cluster.stdout is not None
    assert cluster.stdin is not None
    address = cluster.stdout.readline().strip()
    assert re.fullmatch(r"127\.0\.0\.2:\d+", address), (tmp_path / "cluster.err").read_text()
    output = tmp_path / "output"
    (faults / "die_once").touch()
    where = ["execution=cluster", f"execution.address={address}", "tracking=off", f"output={output}"]
    with commands.running(commands.started(["sweep", *SMALL, *where], tmp_path, faults)) as driver:
        driver.wait_for_lines(output, 2)
        cluster.stdin.write("kill\n")
        cluster.stdin.flush()
        assert cluster.stdout.readline() == "killed\n"
        at_death = commands.journal_lines(output)
        ended = driver.wait()
    assert ended.code == 0, ended
    assert ended.errors == ""
    assert at_death < 24, "the node died too late to matter"
    assert not (faults / "die_once").exists()
    assert not any(word in ended.output for word in ("raylet", "died", "pid="))
    commands.assert_complete(output, undisturbed, None)


@pytest.mark.parametrize("victims", [("gcs_server",), ("raylet",), ("gcs_server", "raylet")])
def test_whole_cluster_dies(
    victims: tuple[str, ...], faults: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    """No cell is to blame: none is marked as failed, and the same command finishes the sweep."""
    output = tmp_path / "output"
    (faults / "hang").touch()
    arguments = ["sweep", *SMALL, "execution.num_cpus=2", "tracking=off", f"output={output}"]
    with commands.running(commands.started(arguments, tmp_path, faults)) as driver:
        driver.wait_for_lines(output, 2)
        programs = {pid: commands.program(pid).split(" ")[0] for pid in commands.session_members(driver.pid)}
        chosen = [pid for pid, program in programs.items() if program.endswith(victims)]
        assert len(chosen) == len(victims)
        for pid in chosen:
            os.kill(pid, signal.SIGKILL)
        ended = driver.wait()
    assert ended.code == 1, ended
    assert ended.errors == ""
    assert re.search(r"Cluster lost: .*; \d+ of 24 cells are finished and kept\. Resume with:", ended.output)
    assert {entry.state for entry in commands.journal_entries(output)} == {"finished"}
    resumed = commands.run([*arguments, "execution=serial", "execution.num_cpus=null"], tmp_path)
    assert resumed.code == 0, resumed
    commands.assert_complete(output, undisturbed, None)
