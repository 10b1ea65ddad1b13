"""A real MLflow server that is killed and comes back, or does not; and a driver that has only the server."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackel_bench.results.entry import Entry
from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL


class Server:
    """`mlflow server` on a sqlite file, at an address that stays the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "mlflow.db"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.uri = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
        environment |= {"MLFLOW_DISABLE_TELEMETRY": "true", "PYTHONWARNINGS": "ignore"}
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "mlflow", "server", "--workers", "1"),
                    *("--host", "127.0.0.1", "--port", str(self.port)),
                    *("--backend-store-uri", f"sqlite:///{self.database}"),
                    *("--artifacts-destination", str(self.folder / "artifacts")),
                ],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        commands.wait_until(self._answers)

    def _answers(self) -> bool:
        try:
            return urllib.request.urlopen(f"{self.uri}/health", timeout=2).status == 200
        except (urllib.error.URLError, OSError):
            return False

    def kill(self) -> None:
        if self._process is not None:
            for pid in commands.session_members(self._process.pid):
                os.kill(pid, signal.SIGKILL)
            self._process.wait()
            commands.wait_until(lambda: not commands.session_members(self._process.pid))  # type: ignore[union-attr]


@pytest.fixture
def server(shared_folder: Path, tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "server"
    folder.mkdir()
    shutil.copy(shared_folder / "template" / "mlflow.db", folder / "mlflow.db")
    running = Server(folder)
    running.start()
    yield running
    running.kill()


def by_cell(output: Path) -> dict[str, Entry]:
    return {entry.cell_id: entry for entry in commands.journal_entries(output)}


def test_server_dies_and_comes_back(server: Server, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    output = tmp_path / "output"
    overrides = [*SERIAL, "tracking=server", f"tracking.uri={server.uri}"]
    overrides += ["tracking.patience=5", f"output={output}"]
    with commands.running(commands.forked(["sweep", *overrides], tmp_path)) as driver:
        driver.wait_for_lines(output, 4)
        server.kill()
        ended = driver.wait()  # the server never comes back: it finishes all the same, and says so
    assert ended.code == 0
    assert ended.errors == ""
    assert "nothing is lost" in ended.output
    assert "stackel-bench sync game=bandit/random" in ended.output
    commands.assert_complete(output, undisturbed, None)
    summary = json.loads((commands.sweep_folder(output) / "summary.json").read_text())
    assert len(summary["invocation"]["unsynced"]) >= 12

    refused = commands.run(["sync", *overrides], tmp_path)
    assert refused.code == 2, "nobody answers at that address"
    assert refused.errors.startswith("error: tracking.uri: ")
    server.start()
    synced = commands.run(["sync", *overrides], tmp_path)
    assert synced.code == 0, synced
    assert ", 0 could not be" in synced.output
    commands.assert_complete(output, undisturbed, server.database)
    again = commands.run(["sync", *overrides], tmp_path)
    assert again.output.startswith("0 cells logged")
    assert len(list(server.folder.glob("artifacts/**/report.html"))) == 1

    # Another machine: no journal, only the server. Nothing is computed again.
    elsewhere = tmp_path / "elsewhere"
    overrides[-1] = f"output={elsewhere}"
    ended = commands.run(["sweep", *overrides], tmp_path)
    assert ended.code == 0
    assert "0 to run, 24 fetched from MLflow" in ended.output
    assert by_cell(elsewhere) == by_cell(output)
    commands.assert_complete(elsewhere, undisturbed, server.database)


def test_control_c_while_logging_leaves_only_the_logging_for_later(
    server: Server, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    output = tmp_path / "output"
    where = ["tracking=server", f"tracking.uri={server.uri}"]
    overrides = [*SERIAL, *where, "tracking.patience=600", f"output={output}"]
    with commands.running(commands.forked(["sweep", *overrides], tmp_path)) as driver:
        driver.wait_for_lines(output, 4)
        server.kill()
        driver.wait_for_lines(output, 24)
        commands.wait_until(lambda: "still to be logged" in driver.output())
        driver.send(signal.SIGINT)
        ended = driver.wait()
    assert ended.code == 0
    assert "nothing is lost. Later:" in ended.output
    commands.assert_complete(output, undisturbed, None)
    folder = commands.sweep_folder(output)
    assert (folder / "report.html").exists()

    server.start()
    by_id = ["sync", f"sweep={folder.name.rpartition('-')[2]}", f"output={output}"]
    refused = commands.run(by_id, tmp_path)
    assert refused.code == 2, "not into a new database of its own"
    assert "has no mlflow.db" in refused.errors
    synced = commands.run([*by_id, *where], tmp_path)
    assert synced.code == 0, synced
    assert f"cells logged to MLflow at {server.uri}, 0 could not be" in synced.output
    commands.assert_complete(output, undisturbed, server.database)
