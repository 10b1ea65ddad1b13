"""A command stops where it has spent what it may, keeps what is finished, and goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.cli import main
from stackel_bench.config.settings import CapSettings
from stackel_bench.execution.runs import Piece
from stackel_bench.families.games import load_game
from stackel_bench.families.learners import make_learner
from stackel_bench.sweeps.spending import Spending
from tests.execution.small_trials import trial_of
from tests.sweeps import commands

TABLES = [
    "sweep",
    *("game=bandit/trap", "budget=fixed", "budget.samples=1000", "seed=0,1,2,3", "replicates=10"),
    *("execution=serial", "execution.batch_seconds=0.001", "tracking=off", "quiet=true"),
]
PROGRAMS = [
    "run",
    *("game=bandit_rl/economy", "game.num_leader_actions=2", "game.evaluation_episodes=5", "replicates=1"),
    *("budget=fixed", "budget.samples=4000", "algorithm.explorer=uniform", "execution.piece_seconds=0.05"),
    *("execution=serial", "tracking=off", "quiet=true"),
]


def records(output: Path) -> pd.DataFrame:
    """All records of the sweep in this folder."""
    from stackel_bench.notebook.results import load_results

    return load_results(commands.sweep_folder(output)).records


@pytest.mark.parametrize(
    ("command", "cap", "told"),
    [
        (TABLES, "cap.samples=9000", "cap.samples=9000 is reached:"),
        (TABLES, "cap.cpu_hours=1e-9", "cap.cpu_hours=1e-09 is reached:"),
        (PROGRAMS, "cap.episodes=500", "cap.episodes=500 is reached:"),
    ],
)
def test_a_capped_command_goes_on_where_it_stopped(
    command: list[str], cap: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, f"output={tmp_path / 'whole'}"]) == 0
    capfd.readouterr()
    for _ in range(2):  # the second time there is a report already, and perhaps no finished cell yet
        assert main([*command, cap, f"output={tmp_path / 'capped'}"]) == 1
        out = capfd.readouterr().out
        assert told in out
        assert "are finished and kept" in out
        assert "Resume with:" in out
    kept = (tmp_path / "capped" / "sweeps").exists() and commands.journal_lines(tmp_path / "capped")
    assert kept < (4 if command is TABLES else 1)
    assert main([*command, f"output={tmp_path / 'capped'}"]) == 0
    capfd.readouterr()
    pd.testing.assert_frame_equal(records(tmp_path / "whole"), records(tmp_path / "capped"))


def test_the_same_capped_command_again_finishes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A cap is for one command: what earlier ones played is not spent again."""
    codes = [main([*PROGRAMS, "cap.episodes=1000", f"output={tmp_path}"]) for _ in range(4)]
    assert codes[0] == 1
    assert codes[-1] == 0, capfd.readouterr().out


def test_pieces_that_an_earlier_command_finished_are_not_spent_again() -> None:
    """One replicate is decided, one leader action of the other explored: this command draws the rest."""
    trial = trial_of(load_game("bandit_rl/random"), make_learner("bandit_rl", "paper"), replicates=2)
    units, planned = trial.schedule.units, trial.schedule.planned_per_unit
    assert planned is not None
    drawn = (units - 1) * planned
    for cap, told in ((drawn, True), (drawn + 1, False)):
        spending = Spending(CapSettings(samples=cap), [trial])
        for piece in (Piece(0, range(1)), Piece(2, range(1, 2)), Piece(None, range(1, 2))):
            spending.kept(0, piece)
        assert not spending.reached(0.0)
        spending.finished(0, 2 * units * planned)
        assert bool(spending.reached(0.0)) == told


def test_a_cap_that_is_not_reached_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    caps = ["cap.samples=40001", "cap.episodes=1", "cap.cpu_hours=10"]
    assert main([*TABLES, *caps, f"output={tmp_path}"]) == 0  # pulls are no episodes
    assert "Stopped" not in capfd.readouterr().out


@pytest.mark.parametrize(
    "word", ["cap.samples=0", "cap.episodes=1.5", "cap.cpu_hours=0", "cap.cpu_hours=nan"]
)
def test_caps_that_cannot_be_meant(word: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*TABLES, word, f"output={tmp_path}"]) == 2
    assert capfd.readouterr().err.startswith(f"error: {word.partition('=')[0]}")
    assert not list(tmp_path.iterdir())
