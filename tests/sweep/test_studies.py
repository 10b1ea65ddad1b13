"""Studies that others start from run to the end, cheaply: every cell has a finite row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stackel_bench.cli import main
from stackel_bench.sweep.plan import make_plan

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
