"""`python runners/VERB.py` works in a clone that nobody has installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stackel_bench.verbs import VERBS

ROOT = Path(__file__).parents[2]
SCRIPTS = {path.stem for path in (ROOT / "runners").glob("*.py")}


def test_every_verb_has_a_script() -> None:
    assert set(VERBS) == SCRIPTS


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone")
    for name in ("stackel_bench", "conf", "runners"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    "words",
    [["list", "game=bandit/trap"], ["run", "dry_run=true"], ["sweep", "study=quickstart", "--cfg", "job"]],
)
def test_a_script_of_a_clone_runs_the_clone(clone: Path, words: list[str], tmp_path: Path) -> None:
    """A game that only the clone has shows whose configuration was read."""
    shutil.copy(clone / "conf" / "game" / "bandit" / "trap.yaml", clone / "conf/game/bandit/only_here.yaml")
    verb, *rest = words
    ended = subprocess.run(
        [sys.executable, str(clone / "runners" / f"{verb}.py"), *rest],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    assert "trap" in ended.stdout
    listed = subprocess.run(
        [sys.executable, str(clone / "runners" / "list.py"), "game"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "bandit/only_here" in listed.stdout
