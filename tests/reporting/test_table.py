"""The table at the end of a run: fits 100 columns, names trouble, says where to go on."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from stackel_bench.reporting.console.table import print_table
from stackel_bench.reporting.sweep_results import SweepResults
from tests.reporting.fixture_sweeps import troubled_sweep


def printed(results: SweepResults, **options: object) -> str:
    target = io.StringIO()
    print_table(Console(file=target, highlight=False, soft_wrap=True, **options), results)  # type: ignore[arg-type]
    return target.getvalue()


@pytest.mark.parametrize("width", [100, 80])
def test_fits(tmp_path: Path, width: int) -> None:
    text = printed(troubled_sweep(tmp_path), force_terminal=True, width=width, color_system=None)
    shell = ("results ", "report ", "next ", "failed ")  # paths and messages are not cut, terminals wrap them
    lines = [line for line in text.splitlines() if not line.startswith(shell)]
    assert max(map(len, lines)) <= width


def test_says_everything(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    text = printed(results)
    assert "4 cells, failure probability at most delta: 2 holds, 1 fails, 1 open" in text
    assert "45/60" in text
    assert ">1600" in text
    assert "failed bandit/trap · paper · pessimistic · eps 0.2: ArithmeticError: made to fail" in text
    assert "2 of 7 cells are not finished" in text
    assert f"results {results.folder}" in text
    assert "stackel-bench ui" not in text  # nothing was logged, so its pages would be empty
    (results.folder.parent.parent / "mlflow.db").touch()
    assert "stackel-bench ui output=" in printed(results)
    samples = 2 * 60 * 1600  # two pairs of cells, each pair on the same samples
    assert f"cost    {samples / 1e5:.2f}e5 samples" in text
