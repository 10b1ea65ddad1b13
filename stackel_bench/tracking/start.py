"""The MLflow store that a configuration asks for, checked before any work starts."""

from __future__ import annotations

import http.client
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from stackel_bench import checks
from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError, NoEffectError
from stackel_bench.tracking.deadline import in_background, wait_for
from stackel_bench.tracking.local_database import database_uri, ensure_database, require_usable

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


def open_store(config: TrackingSettings, output: Path, experiment: str) -> MlflowStore | None:
    """The store, created where it does not exist yet; None where tracking is off."""
    if config.kind == "off":
        return None
    from stackel_bench.tracking.mlflow_database import create_database  # takes seconds
    from stackel_bench.tracking.mlflow_store import MlflowStore

    if config.kind == "local":
        ensure_database(output, create_database)
    artifacts = output / "mlartifacts" if config.kind == "local" else None
    return MlflowStore(store_uri(config, output), experiment, artifacts)
