"""The MLflow store that a configuration asks for: checked before work starts, made, opened, waited for."""

from __future__ import annotations

import fcntl
import http.client
import os
import shutil
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stackel_bench import checks
from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError, NoEffectError, expanded

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

ADDRESS = "http(s)://HOST:PORT of a running MLflow server"
CONNECT_SECONDS = 10.0


def validate_tracking(config: TrackingSettings) -> None:
    """Raise an InputError if the settings are inconsistent; no network access."""
    checks.choice("tracking", config.kind, ("local", "server", "off"))
    checks.real("tracking.patience", config.patience, least=0)
    checks.real("tracking.open_seconds", config.open_seconds, least=1)
    if config.kind != "server":
        if config.uri:
            raise NoEffectError("tracking.uri", "only tracking=server uses it")
        return
    try:
        parts = urllib.parse.urlsplit(config.uri or "")
    except ValueError as error:
        raise InputError("tracking.uri", config.uri, f"{ADDRESS} ({error})") from error
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InputError("tracking.uri", config.uri, ADDRESS)


def require_answer(config: TrackingSettings, output: Path) -> None:
    """Raise an InputError where no tracking server answers, or the local database cannot be used."""
    if config.kind == "local":
        require_usable(output)
    if config.kind != "server":
        return
    try:
        wait_for(in_background(_ask, f"{(config.uri or '').rstrip('/')}/health"), CONNECT_SECONDS)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputError("tracking.uri", config.uri, f"{ADDRESS} ({error})") from error


def _ask(address: str) -> None:
    with urllib.request.urlopen(address, timeout=CONNECT_SECONDS) as answer:
        answer.read(1)


def store_uri(config: TrackingSettings, output: Path) -> str:
    """Where MLflow keeps its data: the server's address, or mlflow.db in the output folder."""
    return (config.uri or "") if config.kind == "server" else database_uri(output)


def open_store(config: TrackingSettings, output: Path, experiment: str) -> MlflowStore:
    """The store, created where it does not exist yet."""
    from stackel_bench.tracking.mlflow_database import create_database  # takes seconds
    from stackel_bench.tracking.mlflow_store import MlflowStore

    if config.kind == "local":
        ensure_database(output, create_database)
    artifacts = output / "mlartifacts" if config.kind == "local" else None
    return MlflowStore(store_uri(config, output), experiment, artifacts)


DATABASE = "mlflow.db"


def database_uri(output: Path) -> str:
    """The address of the database in this folder, for MLflow."""
    return f"sqlite:///{expanded('output', output).resolve() / DATABASE}"


def require_usable(output: Path) -> None:
    """Raise an InputError where a database cannot be or cannot be used; MLflow would try for minutes."""
    path = expanded("output", output).resolve() / DATABASE
    if any(letter in str(path) for letter in "?%#"):
        raise InputError("output", str(output), "a path without ? % #, which mean something else in MLflow")
    if path.exists() and not (path.is_file() and os.access(path, os.R_OK | os.W_OK)):
        raise InputError("output", str(path), "a database that can be read and written, or none")


def ensure_database(output: Path, create: Callable[[Path], None]) -> None:
    """Make the database if there is none: under another name, then renamed; one driver at a time.

    MLflow's own migrations, cut off or run twice at once, leave a file that can never be opened again.
    """
    path = expanded("output", output).resolve() / DATABASE
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f".{DATABASE}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return
        for remains in path.parent.glob(f".{DATABASE}.*/"):  # of a driver that was killed right here
            shutil.rmtree(remains, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{DATABASE}.") as folder:
            new = Path(folder) / DATABASE
            create(new)
            os.replace(new, path)


Value = TypeVar("Value")
_TELL_SECONDS = 10.0


def in_background(function: Callable[..., Value], *arguments: object) -> Future[Value]:
    """The Future of a call in a daemon thread, so that Ctrl-C need not wait for it."""
    future: Future[Value] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # raised again where the result is asked for
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future


def wait_for(
    future: Future[Value], seconds: float, tell: Callable[[float], None] = lambda waited: None
) -> Value:
    """The result; a TimeoutError after so many seconds in all, however busy the other side seems.

    Says now and then for how long it has been waiting. Timeouts of sockets count from byte to byte.
    """
    start = time.monotonic()
    while not future.done():
        waited = time.monotonic() - start
        if waited >= seconds:
            raise TimeoutError(f"no answer within {seconds:g} seconds")
        if waited >= _TELL_SECONDS:
            tell(waited)
        wait([future], min(_TELL_SECONDS, seconds - waited))
    return future.result()
