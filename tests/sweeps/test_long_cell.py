"""One long cell: it is kept in pieces, and a kill costs no more than what was in flight."""

from __future__ import annotations

import json
import random
import re
import signal
import time
from pathlib import Path

import pytest

from tests.sweeps import commands

CELL = [
    "game=bandit_rl/random",
    "game.num_states=5",
    "game.horizon=4",
    "budget=ladder",
    "budget.samples=400000",
    "budget.rungs=3",
    "budget.epsilon=0.5",
    "execution.batch_seconds=0.05",
    "tracking=off",
]
SERIAL_CELL = ["run", *CELL, "execution=serial", "replicates=24"]
RAY_CELL = ["run", *CELL, "execution=local", "execution.num_cpus=2", "replicates=24"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the cell leaves behind if nobody disturbs it."""
    folder = tmp_path_factory.mktemp("whole")
    assert commands.run([*SERIAL_CELL, f"output={folder / 'output'}"], folder).code == 0
    assert not pieces(folder / "output")
    return commands.results(folder / "output")


def pieces(output: Path) -> dict[str, int]:
    """Kept pieces by name, with the time of their last change."""
    found = output.glob("sweeps/*/pieces/*/*.piece")
    return {path.name: path.stat().st_mtime_ns for path in found}


def invocation(output: Path) -> dict[str, int]:
    text = (commands.sweep_folder(output) / "summary.json").read_text("utf-8")
    return json.loads(text)["invocation"]


def assert_explored_once(names: list[str]) -> None:
    """No leader action and replicate stands in two pieces."""
    explored = [
        (match[1], block)
        for match in (re.fullmatch(r"unit-(\d+)\.(\d+)-(\d+)\.piece", name) for name in names)
        if match is not None
        for block in range(int(match[2]), int(match[3]))
    ]
    assert len(explored) == len(set(explored)) > 0


def test_a_driver_killed_again_and_again_repeats_no_kept_piece(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    """Two of the random moments; benchmarks/kills.py has a hundred, with Ray and its workers."""
    output, moments = tmp_path / "output", random.Random(13)
    arguments = [*SERIAL_CELL, f"output={output}"]
    kept: dict[str, int] = {}
    for _ in range(2):
        with commands.running(commands.forked(arguments, tmp_path)) as driver:
            wanted = len(kept) + moments.randint(3, 12)
            commands.wait_until(lambda wanted=wanted: len(pieces(output)) >= wanted)
            driver.send(signal.SIGKILL)
            assert driver.wait().code == -signal.SIGKILL
        now = pieces(output)
        assert kept.items() <= now.items(), "a piece was written a second time"
        kept = now
        assert_explored_once(list(kept))
    assert commands.run(arguments, tmp_path).code == 0
    assert invocation(output)["pieces_restored"] == len(kept)
    assert not pieces(output), "pieces of a finished cell are removed"
    assert commands.results(output) == whole


def test_control_c_keeps_what_had_come_back_and_says_so(whole: dict[str, bytes], tmp_path: Path) -> None:
    output = tmp_path / "output"
    arguments = [*SERIAL_CELL, f"output={output}"]
    with commands.running(commands.forked(arguments, tmp_path)) as driver:
        commands.wait_until(lambda: len(pieces(output)) >= 4)
        driver.send(signal.SIGINT)
        ended = driver.wait()
    kept = len(pieces(output))
    assert ended.code == 130
    assert (
        f"0 of 1 cells are finished and kept, and {kept} finished pieces of unfinished cells." in ended.output
    )
    assert commands.run(arguments, tmp_path).code == 0
    assert invocation(output)["pieces_restored"] == kept
    assert commands.results(output) == whole


def test_with_ray_lost_workers_and_a_lost_driver_cost_what_was_in_flight(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    """A worker is killed (Ray repeats its task), then the driver; the same command again ends well."""
    output = tmp_path / "output"
    arguments = [*RAY_CELL, f"output={output}"]
    with commands.running(commands.started(arguments, tmp_path)) as driver:
        commands.wait_until(lambda: len(pieces(output)) >= 3)
        kill_a_worker(driver.pid)
        commands.wait_until(lambda: len(pieces(output)) >= 9)
        driver.send(signal.SIGKILL)
        driver.wait()
    kept = pieces(output)
    assert_explored_once(list(kept))
    with commands.running(commands.started(arguments, tmp_path)) as driver:
        assert driver.wait().code == 0
    assert invocation(output)["pieces_restored"] == len(kept)
    assert commands.results(output) == whole


def kill_a_worker(session: int) -> None:
    """The first of Ray's workers that is exploring."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for pid in commands.session_members(session):
            if commands.program(pid).startswith("ray::explore bandit_rl/random a="):
                commands.kill(pid)
                return
        time.sleep(0.001)
    raise AssertionError("no worker was seen exploring a leader action")


def test_a_damaged_piece_is_done_again(whole: dict[str, bytes], tmp_path: Path) -> None:
    output = tmp_path / "output"
    arguments = [*SERIAL_CELL, f"output={output}"]
    with commands.running(commands.forked(arguments, tmp_path)) as driver:
        commands.wait_until(lambda: len(pieces(output)) >= 5)
        driver.send(signal.SIGKILL)
        driver.wait()
    kept = sorted(output.glob("sweeps/*/pieces/*/*.piece"))
    kept[0].write_bytes(kept[0].read_bytes()[:-3])
    kept[1].write_bytes(b"")
    ended = commands.run(arguments, tmp_path)
    assert ended.code == 0
    assert invocation(output)["pieces_restored"] == len(kept) - 2
    assert commands.results(output) == whole
