"""Drivers and workers killed at random times, in sweeps of three families with MLflow on.

Usage: python -m benchmarks.kills [KILLS], default 100. Every sweep is begun again until it is complete, and
when it is, another one begins, until there were so many kills. After every kill: no line of the journal is
lost, no cell stands in it twice. Of every complete sweep: its bytes are those of an undisturbed one, and
MLflow has each cell once. An assertion ends the script where that is not so.
"""

from __future__ import annotations

import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from stackel_bench.results.entry import Entry
from tests.sweeps import commands

SHARED = ["tie_breaking=pessimistic,optimistic", "quiet=true", "execution.batch_seconds=0.1"]
FAMILIES = {
    "bandit": ["game=bandit/random", "game.instance_seed=range(0,10)", "budget=ladder", "replicates=100"],
    "bandit_rl": [
        *("game=bandit_rl/taxation,bandit_rl/random", "budget=fixed", "budget.samples=100000"),
        *("budget.epsilon=0.2,0.4", "replicates=6"),
    ],
    "simultaneous": [
        *("game=simultaneous/random", "game.instance_seed=range(0,5)", "algorithm=paper,plug_in"),
        *("budget=ladder", "replicates=50"),
    ],
}
WAYS = {"driver": ["execution=serial"], "worker": ["execution=local", "execution.num_cpus=2"]}


@dataclass
class Found:
    """What happened to the sweeps of one family."""

    kills: Counter[str] = field(default_factory=Counter)
    begun: int = 0
    complete: int = 0
    interrupted: int = 0  # kills at which cells were finished and others were not


def main(kills: int) -> None:
    """Print the table of benchmarks/README.md."""
    chance, start = random.Random(kills), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected, usual, found = {}, {}, {}
        for family, cells in FAMILIES.items():
            output, found[family], began = folder / family, Found(), time.monotonic()
            ended = commands.run(["sweep", *cells, *SHARED, *WAYS["driver"], f"output={output}"], folder)
            assert ended.code == 0, ended
            expected[family], usual[family] = commands.results(output), time.monotonic() - began
            shutil.move(output, folder / f"{family}-whole")
            _complete(family, folder / f"{family}-whole", expected[family])
        while (done := sum(each.kills.total() for each in found.values())) < kills:
            family = list(FAMILIES)[done % len(FAMILIES)]
            victim = "worker" if done % 10 in (0, 4, 8) else "driver"
            _disturb(family, victim, folder, usual, chance, expected[family], found[family])
            print(f"{done + 1} kills, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        for family in FAMILIES:
            _finish(family, folder, expected[family], found[family])
    print(
        "| family | drivers killed | workers killed | in mid-sweep | sweeps begun, complete | lost | twice |"
    )
    print("|---|---|---|---|---|---|---|")
    for family, each in found.items():
        killed = f"{each.kills['driver']} | {each.kills['worker']} | {each.interrupted}"
        print(f"| {family} | {killed} | {each.begun}, {each.complete} | 0 | 0 |")


def _disturb(
    family: str,
    victim: str,
    folder: Path,
    usual: dict[str, float],
    chance: random.Random,
    expected: dict[str, bytes],
    found: Found,
) -> None:
    """Start or resume the family's sweep, and kill at a random time; a sweep that ends before is checked."""
    output, began = folder / family, time.monotonic()
    found.begun += not output.exists()
    before = _lines(output)
    arguments = ["sweep", *FAMILIES[family], *SHARED, *WAYS[victim], f"output={output}"]
    with commands.running(commands.forked(arguments, folder)) as driver:
        if victim == "worker":
            if (worker := _busy_worker(driver, chance.uniform(0, 1.5))) is not None:
                commands.kill(worker)
                found.kills["worker"] += 1
        elif driver.wait_for_code(chance.uniform(0, usual[family])) is None:
            driver.send(signal.SIGKILL)
            found.kills["driver"] += 1
        ended = driver.wait()
    assert ended.code == 0 or (victim == "driver" and ended.code == -signal.SIGKILL), ended
    lines = _lines(output)
    assert lines[: len(before)] == before, "a line is lost"
    cells = Counter(Entry.from_line(line).cell_id for line in lines)
    assert not cells or max(cells.values()) == 1, "a cell twice"
    found.interrupted += 0 < len(lines) < len(expected) - 1
    if ended.code == 0:
        if victim == "driver":  # it ended before its kill: the machine is less busy than it was
            usual[family] = time.monotonic() - began
        _complete(family, output, expected)
        found.complete += 1
        shutil.rmtree(output)


def _finish(family: str, folder: Path, expected: dict[str, bytes], found: Found) -> None:
    """The last sweep, if there is one, to its end."""
    output = folder / family
    if output.exists():
        words = ["sweep", *FAMILIES[family], *SHARED, *WAYS["driver"], f"output={output}"]
        ended = commands.run(words, folder)
        assert ended.code == 0, ended
        _complete(family, output, expected)
        found.complete += 1


def _complete(family: str, output: Path, expected: dict[str, bytes]) -> None:
    commands.assert_complete(output, expected, output / "mlflow.db")
    assert not list(output.glob("sweeps/*/pieces/*/*")), f"{family}: pieces are left"


def _lines(output: Path) -> list[bytes]:
    """The complete lines of the journal."""
    texts = [path.read_bytes() for path in output.glob("sweeps/*/journal.jsonl")]
    return texts[0][: texts[0].rfind(b"\n") + 1].splitlines() if texts else []


def _busy_worker(driver: commands.Command, pause: float) -> int | None:
    """A worker that computes, some time after there was one; None if all is over before."""
    while driver.wait_for_code(0.02) is None:
        members = [pid for pid in commands.session_members(driver.pid) if _computes(pid)]
        if members and pause <= 0:
            return random.choice(members)
        pause -= 0.02 if members else 0
    return None


def _computes(pid: int) -> bool:
    return commands.program(pid).startswith(("ray::run", "ray::explore", "ray::decide"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
