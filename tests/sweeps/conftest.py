"""What the tests of sweeps share: a small sweep, its undisturbed results, and an empty MLflow database."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path

import pytest

from tests.sweeps import commands

# 24 cells, two of each trial; one trial per task, so that cells finish one after the other.
SMALL = [
    "game=bandit/random",
    "game.instance_seed=0,1,2",
    "budget=fixed",
    "budget.samples=1000",
    "budget.epsilon=0.1,0.15,0.2,0.25",
    "tie_breaking=pessimistic,optimistic",
    "replicates=10",
    "execution.batch_seconds=0.001",
    "quiet=true",
]
SERIAL = [*SMALL, "execution=serial"]


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all test processes of this session; made by whoever comes first."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "popen" in base.name else base) / "sweeps-shared"
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "ready").exists():
            _fill(shared)
            (shared / "ready").touch()
    return shared


def _fill(shared: Path) -> None:
    undisturbed = shared / "undisturbed"
    undisturbed.mkdir()
    ended = commands.run(["sweep", *SERIAL, "tracking=off", f"output={undisturbed}"], shared)
    assert ended.code == 0, ended
    template = shared / "template"
    template.mkdir()
    arguments = ["game=bandit/random", "budget=fixed", "replicates=1", "quiet=true", "execution=serial"]
    ended = commands.run(["run", *arguments, "study.name=template", f"output={template}"], shared)
    assert ended.code == 0, ended


@pytest.fixture(scope="session")
def undisturbed(shared_folder: Path) -> dict[str, bytes]:
    """results.csv and records of the small sweep."""
    return commands.results(shared_folder / "undisturbed")


@pytest.fixture
def output(shared_folder: Path, tmp_path: Path) -> Path:
    """An output folder with a database that MLflow need not create (which takes it many seconds)."""
    folder = tmp_path / "output"
    folder.mkdir()
    shutil.copy(shared_folder / "template" / "mlflow.db", folder / "mlflow.db")
    return folder


@pytest.fixture
def faults(tmp_path: Path) -> Path:
    """Where the faults of tests.sweeps.faulty are switched on."""
    folder = tmp_path / "faults"
    folder.mkdir()
    return folder
