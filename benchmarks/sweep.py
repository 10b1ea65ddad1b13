"""What sweeping costs beyond the work itself: scaling, overhead, memory of the driver, time to resume.

.venv/bin/python benchmarks/sweep.py [standard] [waiting] [stress] [ending]   (default: standard waiting)
"""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.execution.start import start_executor
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Learner, Schedule, StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.sweeps.plan import make_plan

STANDARD = [
    "game=bandit/random",
    "game.instance_seed=range(0,50)",
    "algorithm=paper,plug_in",
    "budget=ladder",
    "tie_breaking=pessimistic,optimistic",
]
WAIT_SECONDS = 0.05


@dataclasses.dataclass(frozen=True)
class WaitingLearner:
    """Explores as long as told without using a processor: many workers can be simulated on few cores."""

    inside: Learner

    @property
    def name(self) -> str:
        """As inside."""
        return self.inside.name

    def schedule(self, sampler: Any, budget: Budget) -> Schedule:
        """As inside."""
        return self.inside.schedule(sampler, budget)

    def explore(self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey) -> Any:
        """As inside, after a pause per replicate."""
        if unit == 0:
            time.sleep(WAIT_SECONDS)
        return self.inside.explore(sampler, schedule, unit, key)

    def decide(
        self, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
    ) -> list[Decision]:
        """As inside."""
        return self.inside.decide(sampler, schedule, findings, tie_breaking)


def command(output: Path, *overrides: str) -> tuple[dict[str, Any], float, float]:
    """(what summary.json says about the invocation, seconds in all, largest memory in MB)."""
    program = [str(Path(sys.executable).with_name("stackel-bench")), "sweep", *overrides]
    start = time.perf_counter()
    with subprocess.Popen([*program, "quiet=true", f"output={output}"], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    assert process.returncode == 0
    (folder,) = (output / "sweeps").iterdir()
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    return summary["invocation"], seconds, usage.ru_maxrss / 1024


def standard() -> None:
    print(
        "| workers, 200 cells, MLflow on | cells/s | speed-up | overhead | driver MB | all in all |\n"
        "|---|---|---|---|---|---|"
    )
    alone = None
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            done, seconds, memory = command(Path(folder), *STANDARD, f"execution.num_cpus={workers}")
        alone = alone or done["wall_seconds"]
        print(
            f"| {workers} | {200 / done['wall_seconds']:.1f} | {alone / done['wall_seconds']:.2f} "
            f"| {done['overhead']:.1%} | {memory:.0f} | {seconds:.0f} s |",
            flush=True,
        )


def waiting() -> None:
    """Tasks that wait: only the scheduler and Ray use a processor."""
    overrides = ["game=bandit/random", "game.instance_seed=range(0,64)", "budget=fixed", "replicates=10"]
    trials = [
        dataclasses.replace(cell.trial, learner=WaitingLearner(cell.trial.learner))
        for cell in make_plan(overrides).cells
    ]
    ideal = len(trials) * 10 * WAIT_SECONDS
    print(f"\n| workers, {ideal:.0f} s of waiting | seconds | speed-up | overhead |\n|---|---|---|---|")
    for workers in (1, 2, 4, 8):
        executor = start_executor(ExecutionSettings(kind="local", num_cpus=workers))
        pauses = [executor.submit("start", time.sleep, 5) for _ in range(workers)]  # so that all start,
        for pause in pauses:
            executor.next_finished([pause])
        list(Scheduler(executor, batch_seconds=0.01).run(trials[:workers]))  # and import what they need
        scheduler = Scheduler(executor)
        start = time.perf_counter()
        assert len(list(scheduler.run(trials))) == len(trials)
        seconds = time.perf_counter() - start
        executor.shutdown()
        overhead = 1 - scheduler.busy_seconds / scheduler.capacity_seconds
        print(f"| {workers} | {seconds:.1f} | {ideal / seconds:.2f} | {overhead:.1%} |", flush=True)


def stress() -> None:
    """Thousands of small cells with tracking off and on, in turns: what the whole commands cost."""
    print("\n| 5,000 cells | CPU s | CPU s again | seconds | driver MB | nothing to do: CPU s |")
    print("|---|---|---|---|---|---|")
    rows: dict[str, list[float]] = {"off": [], "local": []}
    # Nothing is removed until the end: ext4 makes new files some thirty times slower for a while after many
    # were removed, so that a command would pay for the folder of the one before it.
    with tempfile.TemporaryDirectory() as folder:
        for attempt in range(2):
            for tracking, found in rows.items():
                output = Path(folder) / f"{tracking}{attempt}"
                settings = ("study=stress", "execution=serial", f"tracking={tracking}")
                start = time.perf_counter()
                cpu, memory = cpu_of(output, *settings)
                if attempt:
                    found.append(cpu)
                    continue
                seconds = time.perf_counter() - start
                again, _ = cpu_of(output, *settings)
                found += [cpu, seconds, memory, again]
    for tracking, (cpu, seconds, memory, again, second) in rows.items():
        print(
            f"| tracking={tracking} | {cpu:.0f} | {second:.0f} | {seconds:.0f} | {memory:.0f} | {again:.1f} |"
        )
    ratios = [rows["local"][i] / rows["off"][i] for i in (0, 4)]
    print(f"| ratio | {ratios[0]:.2f} | {ratios[1]:.2f} | | | |", flush=True)


def cpu_of(output: Path, *overrides: str) -> tuple[float, float]:
    """Processor seconds of a command with all its processes, and its memory in MB."""
    before = _cpu_of_children()
    _, _, memory = command(output, *overrides)
    return _cpu_of_children() - before, memory


_TIMED = """
import sys, time
from stackel_bench.cli import main
from stackel_bench.verbs.steps import session

def timed(*arguments, run=session.run_cells):
    start = time.process_time()
    found = run(*arguments)
    print(start, time.process_time(), file=sys.stderr)
    return found

session.run_cells = timed
sys.exit(main(sys.argv[1:]))
"""


def ending() -> None:
    """What follows the last cell, tables, figures and report, as a share of computing the cells."""
    print(
        "\n| cells | computing: CPU s | ending: CPU s | share | report again: CPU s |\n|---|---|---|---|---|"
    )
    for instances in (2, 10, 40):
        seeds = f"game.instance_seed=range(0,{instances})"
        words = ["sweep", "study=stress", seeds, "execution=serial", "tracking=off", "quiet=true"]
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            before = _cpu_of_children()
            with log.open("w") as file:
                arguments = [sys.executable, "-c", _TIMED, *words, f"output={folder}"]
                subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=file)
            in_all = _cpu_of_children() - before
            start, end = map(float, log.read_text().splitlines()[-1].split())
            program = str(Path(sys.executable).with_name("stackel-bench"))
            arguments = [program, "report", f"output={folder}", "tracking=off"]
            subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
            again = _cpu_of_children() - before - in_all
        rest = in_all - end
        share = rest / (end - start)
        print(
            f"| {500 * instances} | {end - start:.1f} | {rest:.1f} | {share:.0%} | {again:.1f} |", flush=True
        )


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    parts = {"standard": standard, "waiting": waiting, "stress": stress, "ending": ending}
    for part in sys.argv[1:] or ("standard", "waiting"):
        parts[part]()
