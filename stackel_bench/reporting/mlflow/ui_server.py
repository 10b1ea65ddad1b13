"""MLflow's own server on a results folder: loopback only, one worker, ended with all its children."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from stackel_bench.errors import InputError, expanded
from stackel_bench.reporting.mlflow.studies import Experiment

HOST = "127.0.0.1"
APP = "stackel-bench"  # the plug-in of MLflow with our index
PORTS = range(5000, 5050)  # 5060 and 5061 are blocked by browsers
START_SECONDS = 180.0


@dataclass(frozen=True, eq=False)
class UiServer:
    """A running server; link opens the index of studies, or the study that was asked for."""

    url: str
    link: str
    process: subprocess.Popen[bytes]

    def wait(self) -> int:
        """Block until the server ends; its exit code."""
        return self.process.wait()


@contextlib.contextmanager
def running_server(output: Path, *, port: int | None = None, study: str = "") -> Iterator[UiServer]:
    """A server on output/mlflow.db that answers; its whole process group ends with the context."""
    database = expanded("output", output).resolve() / "mlflow.db"
    if not database.exists():
        allowed = "a folder with mlflow.db (made by `stackel-bench run` or `sweep`, unless tracking=off)"
        raise InputError("output", str(output), allowed)
    chosen = _require_free(port) if port is not None else _first_free()
    url = f"http://{HOST}:{chosen}"
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{database}"]
    command += ["--host", HOST, "--port", str(chosen), "--workers", "1"]
    log = output / "mlflow_server.log"
    has_index = any(entry_points(group="mlflow.app", name=APP))  # not in a clone that is not installed
    process = _start([*command, *(["--app-name", APP] if has_index else [])], log)
    try:
        try:
            _wait_until_healthy(process, url, log)
        except RuntimeError:
            if not has_index:
                raise
            _end_group(process)  # MLflow has changed inside: its own pages will do
            has_index = False
            process = _start(command, log)
            _wait_until_healthy(process, url, log)
        found = _experiment(url, study)
        tags = {tag["key"]: tag["value"] for tag in found.get("tags", [])}
        start = Experiment(str(found["experiment_id"]), found["name"], tags).link
        yield UiServer(url, f"{url}/studies" if has_index and not study else f"{url}/{start}", process)
    finally:
        _end_group(process)


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    # Job execution triples memory and start-up time, and nothing here uses it.
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    with log.open("wb") as file:
        return subprocess.Popen(
            command,
            cwd=log.parent,
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _require_free(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise InputError("port", port, f"a port that is free ({error.strerror})") from error
    return port


def _first_free() -> int:
    for port in PORTS:
        with contextlib.suppress(InputError):
            return _require_free(port)
    raise InputError("port", f"{PORTS.start} to {PORTS.stop - 1}", "a free port, by port=NUMBER")


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5):
            return
        time.sleep(0.2)
    tail = log.read_text("utf-8", errors="replace")[-2000:]
    raise RuntimeError(f"MLflow's server did not start; it said:\n{tail}")


def _experiment(url: str, study: str) -> dict[str, Any]:
    """The experiment of the study, or the one that changed last."""
    query = {"max_results": 1000, "order_by": ["last_update_time DESC"]}
    found = _ask(url, "experiments/search", query).get("experiments", [])
    named = [item for item in found if item["experiment_id"] != "0"]  # 0 is MLflow's empty default
    if study:
        named = [item for item in named if item["name"] == study]
        if not named:
            raise InputError("study", study, "one of " + ", ".join(item["name"] for item in found))
    chosen: dict[str, Any] = (named or found)[0]
    return chosen


def _ask(url: str, method: str, content: dict[str, Any]) -> dict[str, Any]:
    """The answer of MLflow's REST interface."""
    request = urllib.request.Request(
        f"{url}/api/2.0/mlflow/{method}",
        data=json.dumps(content).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the server and its children, which outlive a signal to the server alone."""
    for kind, patience in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, kind)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
