"""Real commands in processes of their own: started, watched, killed by pid, and what they left behind."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal

ROOT = Path(__file__).parents[2]
SECONDS = 240.0  # that anything may take on a busy machine

# Processes forked from one that has imported everything start at once; the rest is the command itself.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "stackel_bench.cli",
        "stackel_bench.verbs.sweep",
        "stackel_bench.verbs.sync",
        "stackel_bench.reporting.pages.report",
        "stackel_bench.reporting.mlflow.study_pages",
        "stackel_bench.tracking.mlflow_store",
        "tests.sweeps.faulty",
    ]
)


@dataclass
class Ended:
    """A command that has ended."""

    code: int
    output: str  # stdout
    errors: str  # stderr


@dataclass
class Command:
    """A command that runs: leader of a session of its own, so that nothing it starts can hide."""

    pid: int
    log: Path
    wait_for_code: Callable[[float], int | None]
    ended: Ended | None = field(default=None, init=False)

    def send(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self, seconds: float = SECONDS) -> Ended:
        code = self.wait_for_code(seconds)
        assert code is not None, f"still running after {seconds} s: {self.output()}"
        self.ended = Ended(code, self.output(), self.log.with_suffix(".err").read_text("utf-8"))
        return self.ended

    def wait_for_lines(self, output: Path, least: int) -> None:
        """Until the journal in the output folder has so many lines."""
        self.wait_until(lambda: journal_lines(output) >= least)

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """Until this is so; an error if the command ends before."""
        until = time.monotonic() + SECONDS
        while not happened():
            assert time.monotonic() < until, "waited in vain"
            if self.wait_for_code(0.002) is not None and not happened():
                raise AssertionError(f"ended too early: {self.wait()}")

    def output(self) -> str:
        return self.log.read_text("utf-8")

    def end(self) -> None:
        """Kill it and everything that it started, by pid."""
        until = time.monotonic() + 10
        while pids := session_members(self.pid):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.wait_for_code(0.2)
            assert time.monotonic() < until
        self.wait_for_code(5)


def forked(arguments: list[str], folder: Path, faults: Path | None = None, file_limit: int = 0) -> Command:
    """A command in a forked process: cheap."""
    log = _new_log(folder)
    process = _CONTEXT.Process(target=_run_forked, args=(arguments, str(log), faults, file_limit))
    process.start()
    assert process.pid is not None

    def wait(seconds: float) -> int | None:
        process.join(seconds)
        return process.exitcode

    return Command(process.pid, log, wait)


def _run_forked(arguments: list[str], log: str, faults: Path | None, file_limit: int) -> None:
    os.setsid()
    for descriptor, name in ((1, log), (2, str(Path(log).with_suffix(".err")))):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests run under nohup
    sys.argv = ["stackel-bench", *arguments]
    if file_limit:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    if faults is not None:
        from tests.sweeps.faulty import install

        install(faults)
    from stackel_bench.cli import main

    sys.exit(main(arguments))


def started(arguments: list[str], folder: Path, faults: Path | None = None) -> Command:
    """The installed command (or, with faults, its twin with a learner that misbehaves)."""
    log = _new_log(folder)
    program = [str(Path(sys.executable).with_name("stackel-bench"))]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    if faults is not None:
        program = [sys.executable, "-m", "tests.sweeps.faulty", str(faults)]
        environment["PYTHONPATH"] = str(ROOT)
    with log.open("ab") as output, log.with_suffix(".err").open("ab") as errors:
        process = subprocess.Popen(
            [*program, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )

    def wait(seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        return None

    return Command(process.pid, log, wait)


@contextlib.contextmanager
def running(command: Command) -> Iterator[Command]:
    """The command, ended with all that it started when the block ends."""
    try:
        yield command
    finally:
        command.end()


def run(arguments: list[str], folder: Path, faults: Path | None = None, file_limit: int = 0) -> Ended:
    """A forked command, run to its end."""
    with running(forked(arguments, folder, faults, file_limit)) as command:
        return command.wait()


def _new_log(folder: Path) -> Path:
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{len(list(logs.iterdir())):03d}.out"
    log.touch()
    log.with_suffix(".err").touch()
    return log


def session_members(session: int) -> list[int]:
    """Processes of a session that are alive."""
    members = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                members.append(int(folder.name))
    return members


def program(pid: int) -> str:
    """The command line of a process; empty if it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    return ""


def kill(pid: int) -> None:
    """Kill a process that one of our commands started."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_until(condition: Callable[[], bool], seconds: float = SECONDS) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.002)


def sweep_folder(output: Path) -> Path:
    (folder,) = (output / "sweeps").iterdir()
    return folder


def journal_lines(output: Path) -> int:
    """Complete lines of the only sweep's journal so far."""
    return sum(path.read_bytes().count(b"\n") for path in output.glob("sweeps/*/journal.jsonl"))


def journal_entries(output: Path) -> list[Entry]:
    text = (sweep_folder(output) / "journal.jsonl").read_bytes()
    assert text.endswith(b"\n")
    return [Entry.from_line(line) for line in text.splitlines()]


def results(output: Path) -> dict[str, bytes]:
    """results.csv and the records of every cell, by name."""
    folder = sweep_folder(output)
    journal = Journal(folder)
    cells = {f"{cell_id}.parquet": journal.records_bytes(cell_id) for cell_id in sorted(finished(journal))}
    return {"results.csv": (folder / "results.csv").read_bytes(), **cells}


def finished(journal: Journal) -> list[str]:
    return [cell_id for cell_id in journal.entries if journal.state(cell_id) == "finished"]


def runs(database: Path) -> dict[str, list[str]]:
    """States of the MLflow runs of each cell; exactly one of them if all is well."""
    query = (
        "select tags.value, runs.status from runs join tags on tags.run_uuid = runs.run_uuid "
        "join experiments on experiments.experiment_id = runs.experiment_id "
        "where tags.key = 'stackel.cell_id' and runs.lifecycle_stage = 'active' "
        "and experiments.name != 'template'"  # what the tests' empty database was made with
    )
    found: dict[str, list[str]] = {}
    with contextlib.closing(sqlite3.connect(database)) as connection:
        for cell_id, status in connection.execute(query):
            found.setdefault(cell_id, []).append(status)
    return found


def assert_complete(output: Path, expected: dict[str, bytes], database: Path | None) -> None:
    """Every cell exactly once in journal and MLflow, and the results of an undisturbed run."""
    assert results(output) == expected
    cells = {name.removesuffix(".parquet") for name in expected} - {"results.csv"}
    assert Counter(entry.cell_id for entry in journal_entries(output)) == Counter(cells)
    records = pd.read_parquet(sweep_folder(output) / "records")
    assert not records.duplicated(["cell_id", "replicate", "rung"]).any()
    assert set(records["cell_id"]) == cells
    if database is not None:
        assert runs(database) == {cell_id: ["FINISHED"] for cell_id in cells}
