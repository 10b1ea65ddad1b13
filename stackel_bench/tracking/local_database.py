"""MLflow's sqlite file in an output folder: complete or absent, whoever creates it and dies meanwhile."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from stackel_bench.errors import InputError, expanded

NAME = "mlflow.db"


def database_uri(output: Path) -> str:
    """The address of the database in this folder, for MLflow."""
    return f"sqlite:///{expanded('output', output).resolve() / NAME}"


def require_usable(output: Path) -> None:
    """Raise an InputError where a database cannot be or cannot be used; MLflow would try for minutes."""
    path = expanded("output", output).resolve() / NAME
    if any(letter in str(path) for letter in "?%#"):
        raise InputError("output", str(output), "a path without ? % #, which mean something else in MLflow")
    if path.exists() and not (path.is_file() and os.access(path, os.R_OK | os.W_OK)):
        raise InputError("output", str(path), "a database that can be read and written, or none")


def ensure_database(output: Path, create: Callable[[Path], None]) -> None:
    """Make the database if there is none: under another name, then renamed; one driver at a time.

    MLflow's own migrations, cut off or run twice at once, leave a file that can never be opened again.
    """
    path = expanded("output", output).resolve() / NAME
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f".{NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return
        for remains in path.parent.glob(f".{NAME}.*/"):  # of a driver that was killed right here
            shutil.rmtree(remains, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{NAME}.") as folder:
            new = Path(folder) / NAME
            create(new)
            os.replace(new, path)
