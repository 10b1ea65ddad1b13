"""Plans: fast, in a fixed order, with ids that depend on what determines the results and on nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stackel_bench.cli import main
from stackel_bench.config.groups import options
from stackel_bench.errors import InputError
from stackel_bench.sweeps.plan import make_plan
from tests.sweeps import commands
from tests.sweeps.conftest import SMALL

# Ids are part of what people keep on disk: a change of them makes every finished cell run again.
KNOWN_IDS = """
import json, sys
from stackel_bench.sweeps.plan import make_plan
plan = make_plan(json.loads(sys.argv[1]))
print(json.dumps([plan.sweep_id, *(cell.cell_id for cell in plan.cells)]))
"""


def identity(overrides: list[str]) -> list[str]:
    plan = make_plan(overrides)
    return [plan.sweep_id, *(cell.cell_id for cell in plan.cells)]


def test_ids_are_the_same_in_another_process() -> None:
    program = [sys.executable, "-c", KNOWN_IDS, json.dumps(SMALL)]
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    found = subprocess.run(program, env=environment, capture_output=True, check=True, text=True)
    assert json.loads(found.stdout) == identity(SMALL)


@pytest.mark.parametrize(
    "override",
    [
        "execution=serial",
        "execution.num_cpus=7",
        "execution.batch_seconds=9",
        "tracking=off",
        "output=/elsewhere",
        "shuffle=true",
        "limit=3",
        "fail_fast=true",
        "quiet=false",
    ],
)
def test_ids_do_not_depend_on_where_and_how(override: str) -> None:
    base = [word for word in SMALL if word.partition("=")[0] != override.partition("=")[0]]
    assert identity([*base, override]) == identity(SMALL)


def test_cells_of_one_game_share_it() -> None:
    """Whatever their seeds, learners and budgets: a large game is in memory once."""
    words = ["game=bandit_rl/random", "seed=0,1", "algorithm=paper,plug_in", "budget.epsilon=0.1,0.2"]
    cells = make_plan(words).cells
    assert len(cells) == 8
    assert len({id(cell.trial.game) for cell in cells}) == 1


def test_ids_do_depend_on_what_determines_results() -> None:
    base = identity(SMALL)
    for override in ("seed=1", "algorithm=plug_in", "budget.delta=0.1", "game.noise=gaussian"):
        changed = identity([*SMALL, override])
        assert not set(changed) & set(base), override


def test_order_is_that_of_the_overrides_and_duplicates_are_one() -> None:
    plan = make_plan([*SMALL, "seed=0,1,0"])
    assert len(plan.cells) == 48
    keys = [(c.config["game"]["instance_seed"], c.config["budget"]["epsilon"]) for c in plan.cells]
    assert [key for position, key in enumerate(keys) if position % 4 == 0] == [
        (instance, epsilon) for instance in (0, 1, 2) for epsilon in (0.1, 0.15, 0.2, 0.25)
    ]
    assert make_plan([*SMALL, "seed=0,1,0"]).sweep_id == plan.sweep_id


def test_thousands_of_cells() -> None:
    plan = make_plan(["study=stress"])
    assert len(plan.cells) == len({cell.cell_id for cell in plan.cells}) == 5000
    assert len({cell.trial_id for cell in plan.cells}) == 2500


@pytest.mark.parametrize("study", [name for name in options("study") if name != "stress"])
def test_every_study_can_be_planned(study: str) -> None:
    plan = make_plan([f"study={study}"])
    assert plan.cells
    assert plan.study == study
    assert study == "custom" or plan.question


@pytest.mark.parametrize("override", ["limit=1,2", "execution.num_cpus=1,2", "output=a,b"])
def test_settings_cannot_be_swept(override: str) -> None:
    with pytest.raises(InputError, match="one value for the whole sweep"):
        make_plan([override])


def test_too_many_cells() -> None:
    with pytest.raises(InputError, match="at most 1000000"):
        make_plan(["seed=range(0,1000000000)"])
    with pytest.raises(InputError, match="at most 1000000"):
        make_plan(["seed=range(0,10000)", "replicates=range(1,10000)"])


def test_dry_run_writes_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["sweep", *SMALL, f"output={tmp_path / 'output'}", "dry_run=true"]
    assert main(arguments) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 25
    assert all(line.startswith("to run ") for line in lines[:-1])
    assert "custom: 24 cells, 24 to run, 1.20e5 samples, roughly " in lines[-1]
    assert not list(tmp_path.iterdir())
    assert main([*arguments, "limit=5"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["to"] * 5 + ["later"] * 19


def test_limit_and_shuffle(undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """A shuffled order is the same every time, and makes no difference to the results."""
    output = tmp_path / "output"
    arguments = ["sweep", *SMALL, "execution=serial", "tracking=off", f"output={output}", "shuffle=true"]
    ended = commands.run([*arguments, "limit=6"], tmp_path)
    assert ended.code == 0
    assert "18 of 24 cells are not finished" in ended.output
    assert commands.journal_lines(output) == 6
    in_plan_order = [cell.cell_id for cell in make_plan(SMALL).cells][:6]
    assert {entry.cell_id for entry in commands.journal_entries(output)} != set(in_plan_order)
    assert commands.run(arguments, tmp_path).code == 0
    commands.assert_complete(output, undisturbed, None)
