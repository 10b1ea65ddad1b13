"""A cluster of several nodes: a worker process is killed in a task, nodes come and go in mid-sweep."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.sweeps import commands
from tests.sweeps.conftest import SMALL
from tests.sweeps.two_workers import cluster  # noqa: F401


@pytest.fixture
def open_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster asks nobody for a token; commands have one all the same, as they would elsewhere."""
    monkeypatch.setenv("CLUSTER_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "of another cluster")


def test_nodes_leave_and_join_in_the_middle(
    open_to_all: None,
    cluster: subprocess.Popen[str],  # noqa: F811
    faults: Path,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
) -> None:
    """Both workers die, a third one comes meanwhile and finishes; an open cluster is joined if allowed."""

    def tell(word: str, answer: str) -> None:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        cluster.stdin.write(f"{word}\n")
        cluster.stdin.flush()
        assert cluster.stdout.readline() == f"{answer}\n"

    assert cluster.stdout is not None
    address = cluster.stdout.readline().strip()
    assert re.fullmatch(r"127\.0\.0\.2:\d+", address), (tmp_path / "cluster.err").read_text()
    output = tmp_path / "output"
    arguments = ["sweep", *SMALL, "execution=cluster", f"execution.address={address}"]
    arguments += ["tracking=off", f"output={output}"]
    with commands.running(commands.started(arguments, tmp_path)) as driver:
        refused = driver.wait()
    assert refused.code == 2, refused
    assert f"'{address}, a cluster without token authentication'" in refused.errors
    (faults / "die_once").touch()
    (faults / "hang").touch()
    arguments.append("execution.allow_unauthenticated=true")
    with commands.running(commands.started(arguments, tmp_path, faults)) as driver:
        driver.wait_for_lines(output, 2)
        tell("kill", "killed")
        tell("join", "joined")
        tell("kill", "killed")
        assert commands.journal_lines(output) < 24, "the last node joined too late to matter"
        (faults / "hang").unlink()
        ended = driver.wait()
    assert ended.code == 0, ended
    assert not ended.errors.replace("planning: 1 cell so far\n", "")  # on a machine that is very busy
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
        # Ray ends a process without a word that is reading or storing an object when its node dies: here the
        # driver has nothing to do but wait.
        driver.wait_until(lambda: len(list(faults.glob("hanging-*"))) == 2)
        time.sleep(1)
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
