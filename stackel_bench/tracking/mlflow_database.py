"""An empty database with MLflow's tables: a copy of one that is kept, since MLflow's migrations take seconds.

It is kept where numba keeps machine code: in NUMBA_CACHE_DIR, or beside this module's bytecode.
"""

import contextlib
import importlib.util
import logging
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import mlflow


def create_database(path: Path) -> None:
    """An empty database in a new file; where it was migrated, a copy is kept for the next one."""
    kept = kept_database()
    with contextlib.suppress(OSError, sqlite3.Error):  # not there, damaged: made again
        shutil.copyfile(kept, path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            sound = db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            if sound and db.execute("SELECT version_num FROM alembic_version").fetchone():
                return
    path.unlink(missing_ok=True)
    _migrate(path)
    with contextlib.suppress(OSError):  # an installation that is only read
        _keep(path, kept)


def kept_database() -> Path:
    """The empty database of this release of MLflow, once there is one."""
    folder = os.environ.get("NUMBA_CACHE_DIR") or Path(importlib.util.cache_from_source(__file__)).parent
    return Path(folder) / f"mlflow-{mlflow.__version__}.db"


def _migrate(path: Path) -> None:
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.ERROR)
    mlflow.MlflowClient(tracking_uri=f"sqlite:///{path}").search_experiments(max_results=1)


def _keep(path: Path, kept: Path) -> None:
    """Without the default experiment, which has a folder and a time: MLflow adds it when it opens a copy."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=f".{kept.name}.") as folder:
        new = Path(folder) / kept.name
        shutil.copyfile(path, new)
        with contextlib.closing(sqlite3.connect(new)) as db, db:
            db.execute("DELETE FROM experiments")
        os.replace(new, kept)  # complete or absent, whoever dies meanwhile


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        create_database(Path(scratch) / "mlflow.db")
