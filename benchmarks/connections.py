"""Runs of cells written to an MLflow server over several connections at the same time.

Usage: python -m benchmarks.connections DATABASE [RUNS], an empty database such as
postgresql+psycopg2://user:password@127.0.0.1/mlflow or sqlite:////tmp/mlflow.db. Starts a server on it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from mlflow import MlflowClient

from stackel_bench.tracking.mlflow_client import ClientRuns
from stackel_bench.tracking.run_record import Point, RunRecord

CONNECTIONS = (1, 2, 4, 8, 16)


def record(number: int) -> RunRecord:
    """A run as large as a cell with a ladder of eight budgets."""
    points = [Point(f"metric_{k % 12}", k + number / 7, k // 12) for k in range(96)]
    texts = {f"text_{k}": f"value {k}" for k in range(30)}
    files = dict.fromkeys(("cell.json", "config.yaml", "records.parquet"), bytes(3000))
    return RunRecord("cell", f"{number:016x}", f"run {number}", texts, texts, points, files, True, 1, 2)


@contextlib.contextmanager
def server(database: str) -> Iterator[str]:
    """The address of a server with one worker process, as docker/entrypoint.sh starts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        command = [*(sys.executable, "-m", "mlflow", "server", "--workers", "1", "--host", "127.0.0.1")]
        command += ["--port", str(port), "--artifacts-destination", folder]
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                env=environment | {"MLFLOW_BACKEND_STORE_URI": database},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            until = time.monotonic() + 300
            while not _answers(address):
                assert process.poll() is None, (Path(folder) / "log").read_text()
                assert time.monotonic() < until
                time.sleep(0.5)
            yield address
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def main(database: str, runs: int) -> None:
    """Print the table of benchmarks/README.md, every row twice in turns."""
    with server(database) as address:
        client = MlflowClient(tracking_uri=address)
        experiment, number = client.create_experiment(f"connections {time.time():.0f}"), 0
        found: dict[int, list[float]] = {connections: [] for connections in CONNECTIONS}
        for _ in range(2):
            for connections in CONNECTIONS:
                writer = ClientRuns(client, experiment, connections)
                records = [record(number + k) for k in range(runs)]
                number, start = number + runs, time.perf_counter()
                assert writer.write(records) == {}
                found[connections].append(runs / (time.perf_counter() - start))
        whole = ClientRuns(client, experiment).find("cell")
        assert len(whole) == number
        assert all(len(some) == 1 and some[0].finished for some in whole.values())
    print("| connections | runs/s, first and second time | times as many |\n|---|---|---|")
    for connections, (first, second) in found.items():
        ratio = (first + second) / sum(found[1])
        print(f"| {connections} | {first:.1f}, {second:.1f} | {ratio:.1f} |")


if __name__ == "__main__":
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60)
