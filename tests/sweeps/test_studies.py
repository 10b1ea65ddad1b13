"""Studies that others start from: cells that can fail, and sweeps that run to the end, cheaply."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stackel_bench.cli import main
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.learners.decision import Decisions
from stackel_bench.learners.guarantee import guarantee_of
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.plan import make_plan
from stackel_bench.trials.pieces import cached_oracle
from tests.sweeps import commands

CHEAP = ["replicates=2", "budget.rungs=2", "execution=serial", "tracking=off", "quiet=true"]
STUDIES = {
    "quickstart": [],
    "linear": [],
    "commitment": [],
    "taxation": ["budget.samples=60000"],
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_runs_to_its_end(study: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    overrides = [f"study={study}", *CHEAP, *STUDIES[study], f"output={tmp_path}"]
    assert main(["sweep", *overrides]) == 0
    (folder,) = (tmp_path / "sweeps").iterdir()
    cells = pd.read_csv(folder / "results.csv")
    assert list(cells["cell_id"]) == [cell.cell_id for cell in make_plan(overrides).cells]
    measured = cells[["failure_probability", "value_suboptimality", "gap", "sample_complexity"]]
    assert np.isfinite(measured.to_numpy()).all()
    assert (cells["value_suboptimality"] >= -1e-9).all()
    assert set(cells["tie_breaking"]) == {"pessimistic", "optimistic"}
    assert (folder / "report.html").stat().st_size > 10_000
    assert study in capfd.readouterr().out


SHIPPED = sorted(path.stem for path in (Path(__file__).parents[2] / "conf" / "study").glob("*.yaml"))


def is_vacuous(cell: Cell) -> bool:
    """Whether no output can break the leader's lines; asked by judging one output, whichever it is."""
    game, learner = cell.trial.game, cell.trial.learner
    sizes = game.sizes
    mixed = game.family == "simultaneous"
    policy = "horizon" in sizes
    shape = [sizes[name] for name in ("horizon", "num_states", "num_follower_actions")] if policy else []
    output = Decisions(
        tie_breaking=cell.tie_breaking,
        leader_action=None if mixed else np.zeros((1, 1), dtype=int),
        leader_strategy=np.eye(sizes["num_leader_actions"])[:1, None] if mixed else None,
        follower_response=np.full((1, 1, *shape), 1 / shape[-1]) if policy else np.zeros((1, 1), dtype=int),
        estimated_value=np.zeros((1, 1)),
        samples=np.ones((1, 1), dtype=int),
        guarantee=guarantee_of(learner),
    )
    return judge_all(cached_oracle(game), output, cell.trial.schedule.budget.epsilon).vacuous


@pytest.mark.parametrize("study", SHIPPED)
def test_every_cell_of_a_shipped_study_can_fail_or_the_study_says_why_not(study: str) -> None:
    plan = make_plan([f"study={study}"])
    declared = dict(plan.settings.study.vacuous)
    assert all(sentence in plan.question for sentence in declared.values())  # in report and MLflow
    known: dict[object, bool] = {}
    for cell in plan.cells[:200]:  # of thousands in study=stress, all of one game
        if cached_oracle(cell.trial.game) is None:
            continue  # a program: nobody can judge its cells
        lines = guarantee_of(cell.trial.learner).lines
        key = (cell.trial.game.identity, cell.trial.schedule.budget.epsilon, cell.tie_breaking, lines)
        if key not in known:
            known[key] = is_vacuous(cell)
        assert not known[key] or cell.trial.game.name in declared, cell.label
    names = {cell.trial.game.name for cell in plan.cells}
    assert set(declared) <= names
    assert any(known.values()) == bool(declared)  # a declaration that nothing needs is a wrong one


def test_a_sweep_shows_what_is_vacuous(tmp_path: Path) -> None:
    """On simultaneous/commitment the optimistic theorem allows everything; the pessimistic one does not."""
    words = ["game=simultaneous/commitment", "budget=fixed", "budget.samples=4000", "replicates=60"]
    both = "tie_breaking=pessimistic,optimistic"
    ended = commands.run(["sweep", *words, both, "execution=serial", f"output={tmp_path}"], tmp_path)
    assert ended.code == 0, ended.output + ended.errors
    folder = commands.sweep_folder(tmp_path)
    cells = pd.read_csv(folder / "results.csv").set_index("tie_breaking")
    assert cells["verdict"].to_dict() == {"pessimistic": "holds", "optimistic": "vacuous"}
    assert cells["loss_vacuous"].to_dict() == {"pessimistic": 0, "optimistic": 1}
    assert cells["robustness_vacuous"].isna().to_dict() == {"pessimistic": False, "optimistic": True}
    assert "1 holds, 0 fails, 0 open, 1 vacuous" in ended.output
    assert "holds in 1 of 1 cell" in ended.output
    report = (folder / "report.html").read_text("utf-8")
    assert "1 of 2 cells are vacuous" in report
    assert 'class="vacuous"' in report
    with contextlib.closing(sqlite3.connect(tmp_path / "mlflow.db")) as database:
        tags = database.execute("select value from tags where key = 'verdict'").fetchall()
    assert sorted(tags) == [("holds",), ("vacuous",)]
