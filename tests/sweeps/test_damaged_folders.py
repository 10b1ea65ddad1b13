"""Damaged files of a sweep, odd names, closed streams: mended, escaped or refused."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stackel_bench.cli import main
from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL

RUN = ["run", "budget=fixed", "replicates=2", "execution=serial", "quiet=true"]


def test_damaged_records_and_summaries_are_made_again(tmp_path: Path) -> None:
    command = [*RUN, "tracking=off", f"output={tmp_path}"]
    assert main(command) == 0
    folder = commands.sweep_folder(tmp_path)
    expected = commands.results(tmp_path)
    for cut in (-5, 0):
        (records,) = (folder / "records").iterdir()
        records.write_bytes(records.read_bytes()[:cut])
        assert main(command) == 0
        assert commands.results(tmp_path) == expected
    for damage in (b'{"a', b"[]", b"\xff"):
        (folder / "summary.json").write_bytes(damage)
        assert main(command) == 0
        assert main(["report", f"sweep={folder.name}", f"output={tmp_path}"]) == 0
        assert (folder / "summary.json").read_bytes().startswith(b"{\n")


def _truncate_journal(folder: Path) -> None:
    os.truncate(folder / "journal.jsonl", 2000)


def _remove_records(folder: Path) -> None:
    shutil.rmtree(folder / "records")


def _remove_folder(folder: Path) -> None:
    shutil.rmtree(folder)


@pytest.mark.parametrize("change", [_truncate_journal, _remove_records, _remove_folder])
def test_a_folder_that_others_change_while_a_sweep_runs(
    change: Callable[[Path], None], undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    """One sentence, exit code 2, no byte of anybody else's; and the same command goes on."""
    output = tmp_path / "output"
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}"]
    with commands.running(commands.forked(arguments, tmp_path)) as driver:
        driver.wait_for_lines(output, 3)
        driver.send(signal.SIGSTOP)
        assert commands.journal_lines(output) < 24
        change(commands.sweep_folder(output))
        driver.send(signal.SIGCONT)
        ended = driver.wait()
    assert ended.code == 2, ended
    assert ended.errors.count("\n") == 1
    assert "Traceback" not in ended.errors + ended.output
    assert ended.errors.startswith("error: ")
    if change is _remove_folder:
        assert not list((output / "sweeps").iterdir())
    else:
        assert b"\0" not in (commands.sweep_folder(output) / "journal.jsonl").read_bytes()
    again = commands.run(arguments, tmp_path)
    assert again.code == 0
    assert ("such cells run again" in again.output) == (change is not _remove_folder)
    assert commands.results(output) == undisturbed


def test_folders_of_other_formats_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = [*RUN, "tracking=off", f"output={tmp_path}"]
    assert main(command) == 0
    folder = commands.sweep_folder(tmp_path)
    (line,) = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    for other, sentence in (
        (line.replace(b'"format":2', b'"format":3'), "use the version of stackel_bench that wrote it"),
        (b"{" + line.split(b",", 2)[2], "format 1 was never released"),
    ):
        (folder / "journal.jsonl").write_bytes(other)
        for words in (command, ["report", f"sweep={folder.name}", f"output={tmp_path}"]):
            capfd.readouterr()
            assert main(words) == 2
            message = capfd.readouterr().err
            assert message.startswith("error: journal: found 'format ")
            assert sentence in message
            assert message.count("\n") == 1
        assert (folder / "journal.jsonl").read_bytes() == other


def test_lost_artifacts_and_a_damaged_ledger_are_mended_by_the_same_command(
    output: Path, tmp_path: Path
) -> None:
    command = [*RUN, f"output={output}"]
    assert commands.run(command, tmp_path).code == 0
    (lost,) = output.glob("mlartifacts/**/records.parquet")
    content = lost.read_bytes()
    lost.unlink()
    assert commands.run(command, tmp_path).code == 0
    assert lost.read_bytes() == content
    (ledger,) = commands.sweep_folder(output).glob("mirrored-*.txt")
    ledger.write_bytes(b"\xff\xfe\n")
    ended = commands.run(command, tmp_path)
    assert ended.code == 0, ended
    assert set(map(tuple, commands.runs(output / "mlflow.db").values())) == {("FINISHED",)}


def test_names_that_look_like_markup(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "run[a][/b]"
    assert main([*RUN, 'study.name="[/]"', "tracking=off", f"output='{output}'"]) == 0
    assert f"results {output}" in capfd.readouterr().out


def test_a_lock_that_cannot_be_opened(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = [*RUN, "tracking=off", f"output={tmp_path}"]
    assert main(command) == 0
    lock = commands.sweep_folder(tmp_path) / ".lock"
    lock.unlink()
    lock.mkdir()
    capfd.readouterr()
    assert main(command) == 2
    assert f"error: cannot write to {lock}:" in (told := capfd.readouterr().err)
    assert "Is a directory" in told


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path: Path, closed: str) -> None:
    program = Path(sys.executable).with_name("stackel-bench")
    words = " ".join([str(program), *RUN, "tracking=off", f"output={tmp_path}", closed])
    assert subprocess.run(["sh", "-c", words], capture_output=True).returncode == 0
    assert len(commands.journal_entries(tmp_path)) == 1


def test_terminals_that_know_ascii_alone(tmp_path: Path) -> None:
    program = [str(Path(sys.executable).with_name("stackel-bench")), *RUN, "dry_run=true"]
    ended = subprocess.run(program, env={"PYTHONIOENCODING": "ascii"}, cwd=tmp_path, capture_output=True)
    assert ended.returncode == 0, ended.stderr


def test_two_sweeps_start_in_one_new_folder(tmp_path: Path) -> None:
    output = tmp_path / "output"
    both = [commands.forked([*RUN, f"seed={seed}", f"output={output}"], tmp_path) for seed in (1, 2)]
    for command in both:
        with commands.running(command):
            assert command.wait().code == 0
    assert len(commands.runs(output / "mlflow.db")) == 2


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "execution.cpus_per_task=1e9",
            "error: execution.cpus_per_task: found 1000000000.0, allowed: at most",
        ),
        (
            "execution.runtime_env={foo: bar}",
            "error: execution.runtime_env has no effect: only execution=cluster uses it",
        ),
    ],
)
def test_what_a_private_cluster_cannot_do(
    override: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", override, "tracking=off", f"output={tmp_path}"]) == 2
    assert capfd.readouterr().err.startswith(message)


def test_a_task_that_wants_more_memory_than_there_is(tmp_path: Path) -> None:
    command = [*RUN[:-2], f"execution.memory_per_task={2**60}", "tracking=off", f"output={tmp_path}"]
    with commands.running(commands.started(command, tmp_path)) as driver:
        ended = driver.wait()
    assert ended.code == 2, ended
    assert ended.errors.startswith(f"error: execution.memory_per_task: found {2**60}, allowed: at most ")
