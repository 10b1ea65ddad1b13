"""A driver that is killed at any moment, and the same command again: nothing lost, nothing twice."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL, SMALL

KILLS = 10


def test_ten_random_moments(output: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """Two kills while starting, seven between cells or inside one, one while results are written."""
    moments = random.Random(20211)
    arguments = ["sweep", *SERIAL, f"output={output}"]
    lines = [0, 0, *sorted(moments.sample(range(1, 24), KILLS - 3)), 24]
    for least in lines:
        with commands.running(commands.forked(arguments, tmp_path)) as driver:
            if least:
                driver.wait_for_lines(output, least)
            time.sleep(moments.uniform(0, 0.05 if 0 < least < 24 else 0.5))
            driver.send(signal.SIGKILL)
            assert driver.wait().code == -signal.SIGKILL
    assert commands.run(arguments, tmp_path).code == 0
    commands.assert_complete(output, undisturbed, output / "mlflow.db")
    assert not list(output.glob("sweeps/*/**/.*.part"))


def lively_members(session: int) -> list[str]:
    """Programs of a session, except for two idle agents that Ray lets wait for a minute before they go."""
    names = (commands.program(pid) for pid in commands.session_members(session))
    return [name for name in names if name and "Agent" not in name]


def test_with_ray_nothing_survives_the_driver(
    faults: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    """Ray's processes die with a killed driver by themselves; the next driver finds a clean machine."""
    (faults / "hang").touch()  # some cells cannot end before the kill
    output = tmp_path / "output"
    arguments = ["sweep", *SMALL, "execution.num_cpus=2", "tracking=off", f"output={output}"]
    for least in (0, 2):
        with commands.running(commands.started(arguments, tmp_path, faults)) as driver:
            if least:
                driver.wait_for_lines(output, least)
            else:  # Ray is starting
                commands.wait_until(lambda pid=driver.pid: len(commands.session_members(pid)) > 4)
            driver.send(signal.SIGKILL)
            driver.wait()
            commands.wait_until(lambda pid=driver.pid: not lively_members(pid), 60)
    assert 2 <= commands.journal_lines(output) < 24
    with commands.running(commands.started(arguments, tmp_path)) as driver:
        assert driver.wait().code == 0
        assert not lively_members(driver.pid), "Ray outlives a driver that ended well"
    commands.assert_complete(output, undisturbed, None)
