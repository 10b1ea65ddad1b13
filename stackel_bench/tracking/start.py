"""The MLflow store that a configuration asks for, checked before any work starts."""

from __future__ import annotations

import http.client
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from stackel_bench import checks
from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError
from stackel_bench.tracking.local_database import database_uri, ensure_database, require_usable

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

ADDRESS = "http(s)://HOST:PORT of a running MLflow server"
CONNECT_SECONDS = 10.0


def validate_tracking(config: TrackingSettings) -> None:
    """Raise an InputError where the group tracking/ cannot be meant; asks nobody."""
    checks.choice("tracking", config.kind, ("local", "server", "off"))
    checks.real("tracking.patience", config.patience, least=0)
    if config.kind != "server":
        if config.uri:
            raise InputError("tracking.uri", config.uri, "null unless tracking=server")
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
        with urllib.request.urlopen(f"{(config.uri or '').rstrip('/')}/health", timeout=CONNECT_SECONDS):
            pass
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputError("tracking.uri", config.uri, f"{ADDRESS} ({error})") from error


def store_uri(config: TrackingSettings, output: Path) -> str:
    """Where MLflow keeps its data: the server's address, or mlflow.db in the output folder."""
    return (config.uri or "") if config.kind == "server" else database_uri(output)


def open_store(config: TrackingSettings, output: Path, experiment: str) -> MlflowStore | None:
    """The store, created where it does not exist yet; None where tracking is off."""
    if config.kind == "off":
        return None
    from stackel_bench.tracking.mlflow_store import MlflowStore, create_database  # takes seconds

    if config.kind == "local":
        ensure_database(output, create_database)
    artifacts = output / "mlartifacts" if config.kind == "local" else None
    return MlflowStore(store_uri(config, output), experiment, artifacts)
