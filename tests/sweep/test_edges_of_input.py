"""Mistakes and edges that a user found: one sentence and exit code 2, or a complete report."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from stackel_bench.cli import main

CHEAP = ["execution=serial", "tracking=off", "replicates=2", "quiet=true"]


def test_a_ladder_of_one_rung_has_a_report(tmp_path: Path) -> None:
    assert main(["run", *CHEAP, "budget=ladder", "budget.rungs=1", f"output={tmp_path}"]) == 0
    (folder,) = (tmp_path / "sweeps").iterdir()
    assert (folder / "report.html").exists()


def test_mistakes_are_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "junk.npz", "w") as archive:
        archive.writestr("leader_means.npy", "junk")
        archive.writestr("follower_means.npy", "junk")
    mistakes = {
        "seed: found": [f"seed={10**23}"],
        "too large": [
            "game=bandit/random",
            "game.num_leader_actions=10000000",
            "game.num_follower_actions=10000000",
        ],
        "path: found": ["game=bandit/from_file", f"game.path={'x' * 300}.npz"],
        "junk.npz[leader_means]: found": ["game=bandit/from_file", f"game.path={tmp_path / 'junk.npz'}"],
    }
    for message, overrides in mistakes.items():
        assert main(["run", *CHEAP, *overrides, f"output={tmp_path / 'output'}"]) == 2
        errors = capfd.readouterr().err
        assert message in errors
        assert errors.count("\n") == 1
    assert not (tmp_path / "output").exists()


def test_tables_as_spreadsheets_save_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0.1,0.2\n0.3,0.4\n", "utf-8-sig")
    paths = [f"game.path={tmp_path / 'a.csv'}", f"game.follower_path={tmp_path / 'a.csv'}"]
    assert main(["run", "game=bandit/from_file", *paths, *CHEAP, f"output={tmp_path}"]) == 0
