"""FILE:NAME in the place of a game, a learner, an explorer: run, resumed, verified, shipped, identified."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.errors import InputError
from stackel_bench.outside.sources import sources_of
from stackel_bench.sweeps.plan import make_plan
from tests.outside.conftest import CHEAP, Command
from tests.sweeps import commands
from tests.sweeps.two_workers import cluster  # noqa: F401

FANNED = ["execution.fan_out=leader_action", "execution.batch_seconds=0.001", "tracking=off", "quiet=true"]
SWEEP = [
    "game=my_file:make_game",
    "game.rate=0.25,0.5",
    "algorithm=paper,my_file:Maximin",
    "budget.epsilon=0.3",
    "replicates=70",
]


def table(output: Path) -> pd.DataFrame:
    return pd.read_csv(commands.sweep_folder(output) / "results.csv")


def test_a_sweep_of_a_game_and_a_learner(folder: Path, command: Command) -> None:
    code, _, errors = command("sweep", *SWEEP, *CHEAP)
    assert code == 0, errors
    cells = table(folder)
    assert set(cells["game"]) == {"my_file:make_game"}
    assert set(cells["algorithm"]) == {"paper", "my_file:Maximin"}
    assert sorted(cells["game.rate"]) == [0.25, 0.25, 0.5, 0.5]
    again = command("sweep", *SWEEP, *CHEAP)
    assert "4 cells, 0 to run" in again[1]
    assert command("report", *SWEEP, *CHEAP)[0] == 0
    code, out, _ = command("verify", str(commands.sweep_folder(folder)), "recompute=1")
    assert (code, out) == (0, "4 cells checked, 4 recomputed, 0 findings\n")


def test_configurations_hold_the_defaults_of_signatures_and_fields(folder: Path) -> None:
    (cell,) = make_plan(["game=my_file:make_game", "algorithm=my_file:Maximin", "game.rate=0.25"]).cells
    assert cell.config["game"] == {"name": "my_file:make_game", "rate": 0.25, "size": 3}
    assert cell.config["algorithm"] == {"name": "my_file:Maximin", "pulls": 1000}
    spelled = ["game.size=3", "algorithm.pulls=1000"]
    (same,) = make_plan(
        ["game=my_file:make_game", "algorithm=my_file:Maximin", "game.rate=0.25", *spelled]
    ).cells
    assert same.cell_id == cell.cell_id


@pytest.mark.parametrize("changed", ["my_file.py", "neighbour.py"])
def test_changed_code_is_another_cell(changed: str, folder: Path) -> None:
    own, shipped = ["algorithm=my_file:Maximin"], ["algorithm=paper"]
    before = [make_plan(words).cells[0].cell_id for words in (own, shipped)]
    with (folder / changed).open("a") as file:
        file.write("\nX = 1\n")
    after = [make_plan(words).cells[0].cell_id for words in (own, shipped)]
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_the_folder_is_no_part_of_the_identity(folder: Path) -> None:
    spellings = ["my_file:Maximin", "./my_file.py:Maximin", f"{folder}/my_file.py:Maximin"]
    assert len({make_plan([f"algorithm={text}"]).cells[0].cell_id for text in spellings}) == 1


def test_an_explorer_and_a_study_of_ones_own(folder: Path, command: Command) -> None:
    grid = "study.grids=[{game: bandit_rl/random, algorithm.explorer: ['my_file:MyRule', uniform]}]"
    few = ["budget=fixed", "budget.samples=2000", "replicates=2"]
    code, _, errors = command("sweep", grid, *CHEAP, *few)
    assert code == 0, errors
    cells = table(folder)
    assert list(cells["explorer"]) == ["my_file:MyRule", "uniform"]
    numbers = cells.drop(columns=["cell_id", "explorer"])
    assert numbers.iloc[0].equals(numbers.iloc[1])


def test_workers_get_the_file_and_its_neighbour(folder: Path, command: Command) -> None:
    """A private cluster whose tasks explore one leader action each, so that findings of ours are encoded."""
    assert command("sweep", *SWEEP, *CHEAP, "replicates=70", f"output={folder}/serial")[0] == 0
    local = ["execution=local", "execution.num_cpus=2", *FANNED, "output=ray"]
    with commands.running(commands.started(["sweep", *SWEEP, *local], folder)) as driver:
        ended = driver.wait()
    assert ended.code == 0, ended
    assert commands.results(folder / "ray") == commands.results(folder / "serial")


def test_a_cluster_by_address(
    cluster: subprocess.Popen[str],  # noqa: F811
    folder: Path,
    command: Command,
) -> None:
    """Its nodes were started elsewhere, and cannot see the file."""
    assert cluster.stdout is not None
    address = cluster.stdout.readline().strip()
    assert command("sweep", *SWEEP, *CHEAP, "replicates=70", f"output={folder}/serial")[0] == 0
    where = ["execution=cluster", f"execution.address={address}", *FANNED, "output=ray"]
    driver = commands.started(["sweep", *SWEEP, *where], folder)
    with commands.running(driver):
        driver.wait_for_lines(folder / "ray", 1)
        for name in ("my_file.py", "neighbour.py"):
            (folder / name).rename(folder / f"{name}.away")
        ended = driver.wait()
    assert ended.code == 0, ended
    assert commands.results(folder / "ray") == commands.results(folder / "serial")


MISTAKES = {
    "x = (": "SyntaxError",
    "1 / 0": "ZeroDivisionError: division by zero",
    "import nothing_of_that_name": "ModuleNotFoundError",
    "raise SystemExit(3)": "SystemExit: 3",
    "class Learner: pass": "has no name, no schedule, no explore or explore_block, no decide or decide_block",
    "class Learner:\n    name, explore, decide = 'x', 1, 1\n    def schedule(self, *_): return 3": (
        "broken:Learner: schedule must return a Schedule with one count per rung, not int"
    ),
    "Learner = 3": "a class of learners; it is int",
    "learner = 3": "broken.py has no Learner (did you mean learner?)",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_in_one_sentence(text: str, folder: Path, command: Command) -> None:
    (folder / "broken.py").write_text(text)
    code, out, errors = command("run", "algorithm=broken:Learner", *CHEAP)
    assert (code, out) == (2, "")
    assert errors.startswith("error: algorithm")
    assert "broken:Learner" in errors
    assert MISTAKES[text] in errors
    assert errors.count("\n") == 1
    assert not (folder / "sweeps").exists()


WRONG = """
from dataclasses import replace
from my_file import Maximin
from stackel_bench.models import TieBreaking

class Decides(Maximin):
    def decide(self, *given):
        return [replace(each, **self.changed) for each in super().decide(*given)]

class Last(Decides): changed = {"leader_action": -1}
class Free(Decides): changed = {"samples": 0}
class Both(Decides): changed = {"leader_strategy": [1.0]}
class Other(Decides): changed = {"tie_breaking": TieBreaking.OPTIMISTIC}
class Leaves(Maximin):
    def explore(self, *given): raise SystemExit(0)
"""
FAILURES = {
    "Last": "decision.leader_action[0,0]: found -1.0, allowed: integers >= 0 and <= 4",
    "Free": "decision.samples[0,0]: found 0.0, allowed: integers >= 1",
    "Both": "allowed: either leader_action or leader_strategy",
    "Other": "the tie-breaking asked for, one decision per rung",
    "Leaves": "SystemExit: 0",
}


def test_what_cannot_be_decided_fails_its_own_cells_only(folder: Path, command: Command) -> None:
    (folder / "wrong.py").write_text(WRONG)
    names = ",".join(f"wrong:{name}" for name in FAILURES)
    code, out, _ = command("sweep", f"algorithm={names},paper", "budget.epsilon=0.3", *CHEAP)
    assert code == 1
    assert "5 cells failed" in out
    for name, message in FAILURES.items():
        (line,) = (line for line in out.splitlines() if line.startswith(f"failed wrong:{name} on "))
        assert message in line
    assert list(table(folder)["algorithm"]) == ["paper"]


def test_files_are_read_as_python_reads_them(folder: Path, command: Command) -> None:
    """As editors on Windows write them, with a mark in front; explained like what comes with the package."""
    (folder / "marked.py").write_bytes(b"\xef\xbb\xbf" + (folder / "my_file.py").read_bytes())
    code, out, errors = command("list", "algorithm=marked:Maximin", "game=marked:make_game")
    assert code == 0, errors
    assert "The leader's security level." in out
    assert "pulls of each pair at the theorem's budget" in out
    assert "game.size=3" in out
    assert "algorithm.explorer_options.unvisited_reward=0.5" in command("list", "explorer=marked:MyRule")[1]


RULES = {
    "from stackel_bench.families.bandit_rl.exploration.single_run import SingleRun\n"
    "class Rule(SingleRun): name = 'rule'": "rules:Rule: it raises TypeError: Can't instantiate abstract",
    "class Rule: name = 'rule'": "Rule has no nested, no proved",
}


@pytest.mark.parametrize("text", RULES)
def test_explorers_that_are_none(text: str, folder: Path, command: Command) -> None:
    (folder / "rules.py").write_text(text)
    code, _, errors = command("run", "game=bandit_rl/random", "algorithm.explorer=rules:Rule", *CHEAP)
    assert code == 2
    assert RULES[text] in errors


GAMES = {
    "def make(): return 3": (["game=wrong:make"], "int has no family, name, identity, sampler, sizes"),
    "def make(rate): return 3": (["game=wrong:make"], "game.rate needs a value: it has no default"),
    "def make(rate=1): raise ValueError('odd')": (["game=wrong:make"], "it raises ValueError: odd"),
    "def make(rate=1): pass": (["game=wrong:make", "game.rat=2"], "did you mean game.rate?"),
    "class make: family, name, identity, sampler, sizes = 'chess', 'x', 'x', 1, {}": (
        ["game=wrong:make"],
        "unknown family 'chess'; choose one of bandit",
    ),
}


@pytest.mark.parametrize("text", GAMES)
def test_games_that_are_none(text: str, folder: Path, command: Command) -> None:
    (folder / "wrong.py").write_text(text)
    words, message = GAMES[text]
    code, out, errors = command("run", *words, *CHEAP)
    assert (code, out) == (2, "")
    assert message in errors


FILES = {
    "nowhere:Learner": "has no nowhere.py, and no module nowhere is installed",
    "no/where.py:Learner": "cannot read no/where.py: there is no such file",
    "numpy:nothing": "algorithm=numpy:nothing: numpy has no nothing",
}


@pytest.mark.parametrize("word", FILES)
def test_files_that_are_not_there(word: str, folder: Path, command: Command) -> None:
    code, _, errors = command("run", f"algorithm={word}", *CHEAP)
    assert code == 2
    assert FILES[word] in errors


@pytest.mark.parametrize("name", ["random", "stackel_bench"])
def test_names_that_python_has_already_are_refused(name: str, folder: Path, command: Command) -> None:
    (folder / f"{name}.py").write_text("class Learner: pass")
    code, _, errors = command("run", f"algorithm={name}:Learner", *CHEAP)
    assert code == 2
    assert f"rename {name}.py" in errors


def test_two_files_of_one_name_in_a_command(folder: Path) -> None:
    for name in ("old", "new"):
        (folder / name).mkdir()
        text = (folder / "my_file.py").read_text() + f"\nVERSION = '{name}'\n"
        (folder / name / "mine.py").write_text(text)
        (folder / name / "neighbour.py").write_text((folder / "neighbour.py").read_text())
    with pytest.raises(InputError, match=r"two modules .* in one command"):
        make_plan(["algorithm=old/mine.py:Maximin,new/mine.py:Maximin"])


def test_neighbours_are_found_wherever_they_are_imported(tmp_path: Path) -> None:
    package = tmp_path / "pack" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "pack" / "__init__.py").write_text("from . import one")
    (tmp_path / "pack" / "one.py").write_text("from .inner.two import x")
    (package / "two.py").write_text("def x():\n    import lone\n    import json, numpy")
    (tmp_path / "lone.py").write_text("import entry_file")
    (tmp_path / "entry_file.py").write_text("def f():\n    from pack import one")
    (tmp_path / "unused.py").write_text("")
    names = {"entry_file", "pack", "pack.one", "pack.inner", "pack.inner.two", "lone"}
    assert set(sources_of(tmp_path, "entry_file")) == names
