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
    (folder / "report.html").unlink()
    assert main(["report", str(folder), "tracking=off"]) == 0
    assert (folder / "report.html").exists()


def test_mistakes_are_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "junk.npz", "w") as archive:
        archive.writestr("leader_means.npy", "junk")
        archive.writestr("follower_means.npy", "junk")
    mistakes = {
        "seed: found": [f"seed={10**23}"],
        "game.num_follower_actions: found 10000000, allowed: an integer >= 1 and <= 10": [
            "game=bandit/random",
            "game.num_leader_actions=10000000",
            "game.num_follower_actions=10000000",
        ],
        "does not fit into memory": [
            "game=bandit/taxation",
            "game.num_leader_actions=10000000",
            "game.num_follower_actions=10000000",
        ],
        "cannot build bandit/trap: it does not fit into memory (Maximum": ["game.num_risky=" + "9" * 20],
        "cannot build bandit/trap: it does not fit into memory (array is": ["game.num_risky=" + "9" * 18],
        "game.path: found": ["game=bandit/from_file", f"game.path={'x' * 300}.npz"],
        "junk.npz[leader_means]: found": ["game=bandit/from_file", f"game.path={tmp_path / 'junk.npz'}"],
    }
    (tmp_path / "text.npz").write_text("1,2")
    (tmp_path / "one.csv").write_text("0.1,0.2")
    (tmp_path / "two.csv").write_text("0.1")
    csv = [f"game.path={tmp_path / 'one.csv'}", f"game.follower_path={tmp_path / 'two.csv'}"]
    simultaneous = ["game=simultaneous/commitment", "algorithm.printed_lp=true"]
    mistakes |= {
        "text.npz: it is not an .npz file": ["game=bandit/from_file", f"game.path={tmp_path / 'text.npz'}"],
        "two.csv[follower_means.shape]: found": ["game=bandit/from_file", *csv],
        "allowed: at least 2 pairs": [
            "game=linear/random",
            "game.num_leader_actions=1",
            "game.num_follower_actions=1",
        ],
        "budget.samples has no effect: only budget=fixed and budget=ladder use it": ["budget.samples=5"],
        "budget.scale has no effect: only budget=scaled and budget=ladder use it": [
            "budget=fixed",
            "budget.scale=0.5",
        ],
        "budget.rungs has no effect: only budget=ladder uses it": ["budget.rungs=3"],
        "algorithm.printed_lp has no effect: the printed LP is the optimistic one": simultaneous,
        "one of anytime, certified, half_tolerance, nash, paper, plug_in, successive_elim": [
            "algorithm=margin"
        ],
        "budget.epsilon: found 'abc', allowed: a number": ["budget.epsilon=abc"],
        "limit: found 'x', allowed: an integer or null": ["limit=x"],
        "study.name: found '', allowed: a name": ["study.name="],
    }
    for message, overrides in mistakes.items():
        assert main(["run", *CHEAP, *overrides, f"output={tmp_path / 'output'}"]) == 2
        errors = capfd.readouterr().err
        assert message in errors
        assert errors.count("\n") == 1
    assert not (tmp_path / "output").exists()


def test_a_key_that_one_cell_reads_is_accepted(tmp_path: Path) -> None:
    both = [
        "game=simultaneous/commitment",
        "algorithm.printed_lp=true",
        "tie_breaking=pessimistic,optimistic",
    ]
    assert main(["sweep", *CHEAP, *both, "dry_run=true", f"output={tmp_path}"]) == 0
    assert main(["run", *CHEAP, "budget.samples=null", "dry_run=true", f"output={tmp_path}"]) == 0


def test_a_journal_that_is_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["run", *CHEAP, f"output={tmp_path}"]
    assert main(command) == 0
    (journal,) = tmp_path.glob("sweeps/*/journal.jsonl")
    journal.unlink()
    journal.mkdir()
    capfd.readouterr()
    assert main(command) == 2
    assert "journal" in capfd.readouterr().err


def test_what_never_ran_cannot_be_synced_or_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for verb in ("sync", "report"):
        assert main([verb, "game=bandit/gap", f"output={tmp_path}"]) == 2
        assert "this sweep has not been run: there is no " in capfd.readouterr().err
        assert main([verb, "sweep=nope", f"output={tmp_path}"]) == 2
        assert capfd.readouterr().err.startswith("error: no results of sweep 'nope' in")
        assert main([verb, "sweeps/nope", f"output={tmp_path}"]) == 2
        assert capfd.readouterr().err.startswith("error: no results of sweep 'sweeps/nope' in")
        assert main([verb, "sweep=nope", "seed=1", f"output={tmp_path}"]) == 2
        assert capfd.readouterr().err.startswith("error: seed has no effect: sweep=ID names the cells")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["report", "ui", "list"])
def test_help_of_verbs_that_do_not_compute(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    assert "replicates" not in capfd.readouterr().out


def test_tables_as_spreadsheets_save_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0.1,0.2\n0.3,0.4\n", "utf-8-sig")
    paths = [f"game.path={tmp_path / 'a.csv'}", f"game.follower_path={tmp_path / 'a.csv'}"]
    assert main(["run", "game=bandit/from_file", *paths, *CHEAP, f"output={tmp_path}"]) == 0


EPISODES = ["game=bandit_rl/random"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["algorithm.family=x"], "unknown key algorithm.family"),
        (["algorithm.algorithm=x"], "unknown key algorithm.algorithm"),
        (["algorithm.name=[1]"], "unknown algorithm [1]; choose one of anytime"),
        (
            ["game=bandit_rl/random", "algorithm.explorer_options.name=x"],
            "unknown key algorithm.explorer_options.name",
        ),
        (
            ["game=bandit_rl/random", "algorithm.explorer_options={1: a, b: c}"],
            "a mapping whose keys are words",
        ),
    ],
)
def test_keys_that_look_like_parts_of_the_code(
    overrides: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *overrides, "dry_run=true"]) == 2
    assert message in capfd.readouterr().err


def test_the_kind_of_a_budget_can_be_typed(tmp_path: Path) -> None:
    assert (
        main(["run", *CHEAP, "budget.kind=ladder", "budget.rungs=2", "dry_run=true", f"output={tmp_path}"])
        == 0
    )
