"""Every number of the report again, from the records, by code that shares nothing with the package."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest

from stackel_bench.reporting.find_sweep import find_sweep
from stackel_bench.reporting.pages.report import write_report
from stackel_bench.reporting.sweep_results import read_sweep
from tests.reporting.fixture_sweeps import real_sweep, troubled_sweep


@pytest.fixture(params=["real", "made up"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A finished sweep with its report written."""
    if request.param == "real":
        return find_sweep("real", real_sweep())
    results = troubled_sweep(tmp_path)
    write_report(results)
    return results.folder


def shown_rows(folder: Path) -> list[list[str]]:
    """The cells of the report's result tables, as text, with the game of the heading row in front."""
    page = (folder / "report.html").read_text("utf-8")
    rows, game = [], ""
    for section in re.findall(r'<section id="results-.*?</section>', page, flags=re.DOTALL):
        for row in re.findall(r"<tr.*?</tr>", section.split("<tbody>")[1], flags=re.DOTALL):
            texts = [
                unescape(re.sub(r"<[^>]+>", "", cell)).strip()
                for cell in re.findall(r"<t[hd].*?</t[hd]>", row)
            ]
            if len(texts) == 1:
                game = texts[0]
            else:
                rows.append([game, *texts])
    return rows


def recomputed(folder: Path, cell_id: str, delta: float) -> dict[str, float | str]:
    """Numbers of one cell, straight from the files of records."""
    table = pq.read_table(folder / "records", filters=[("cell_id", "==", cell_id)]).to_pydict()
    rungs = np.array(table["rung"])
    failed = ~np.array(table["guarantee_held"], dtype=bool)
    losses = np.array(table["value_suboptimality"], dtype=float)
    samples = np.array(table["samples"], dtype=float)
    top = rungs == rungs.max()
    count, trials = int(failed[top].sum()), int(top.sum())
    exact = binomtest(count, trials).proportion_ci(method="exact")
    rates = {samples[rungs == r].mean(): failed[rungs == r].mean() for r in np.unique(rungs)}
    good = [n for n in rates if all(rate <= delta for later, rate in rates.items() if later >= n)]
    proven = binomtest(count, trials, delta, alternative="less").pvalue <= 0.05
    refuted = binomtest(count, trials, delta, alternative="greater").pvalue <= 0.05
    return {
        "failed": f"{count} / {trials}",
        "low": exact.low,
        "high": exact.high,
        "loss": losses[top].mean(),
        "q95": float(np.quantile(losses[top], 0.95)),
        "needed": good[0] if good else np.inf,
        "verdict": "holds" if proven else "fails" if refuted else "open",
    }


def test_headline_table(folder: Path) -> None:
    results = read_sweep(folder)
    rows = shown_rows(folder)
    assert len(rows) == len(results.finished) > 0
    for entry in results.finished:
        cell = entry.description
        truth = recomputed(folder, entry.cell_id, cell["delta"])
        names = (cell["algorithm"], cell["tie_breaking"], f"{cell['epsilon']:g}")
        (row,) = [row for row in rows if row[0] == cell["game"] and tuple(row[1:4]) == names]
        text = " ".join(row)
        assert str(truth["failed"]) in row
        low, high = (_three_decimals(float(truth[name])) for name in ("low", "high"))
        assert f"[{low}, {high}]" in row
        assert any(field.endswith(str(truth["verdict"])) for field in row), text
        assert _three_decimals(float(truth["loss"])) in row
        assert _three_decimals(float(truth["q95"])) in row
        needs, within = row[-2:]
        ends = [entry.metrics.get(name) for name in ("samples_needed_low", "samples_needed_high")]
        assert within.startswith("[") != all(end is None for end in ends)
        assert (">" in needs) == np.isinf(float(truth["needed"]))
        if np.isfinite(float(truth["needed"])):
            # it may lie between two budgets, never above the first that stays good
            assert 0 < float(needs.lstrip("≤")) <= float(truth["needed"]) * 1.01


def test_paired_table(folder: Path) -> None:
    """Differences replicate by replicate, at the full budget, from both files of each pair."""
    table = pd.read_csv(folder / "tables" / "paired.csv")
    results = read_sweep(folder)
    ids = {
        (e.description["game"], e.description["algorithm"], e.description["tie_breaking"]): e.cell_id
        for e in results.finished
    }
    records = pd.read_parquet(folder / "records")
    full = table[table["budget"] == "full"]
    assert len(full) == len(results.finished) // 2
    for row in full.itertuples():
        pessimistic, optimistic = (
            records[records["cell_id"] == ids[row.game, row.learner, tie]]
            for tie in ("pessimistic", "optimistic")
        )
        last = pessimistic["rung"].max()
        a = pessimistic[pessimistic["rung"] == last].sort_values("replicate").reset_index()
        b = optimistic[optimistic["rung"] == last].sort_values("replicate").reset_index()
        difference = (b["value_suboptimality"] - a["value_suboptimality"]).mean()
        assert row.loss_difference == pytest.approx(difference, abs=1e-12)
        assert row.only_pessimistic_failed == (~a["guarantee_held"] & b["guarantee_held"]).sum()
        assert row.only_optimistic_failed == (a["guarantee_held"] & ~b["guarantee_held"]).sum()
        assert row.failure_difference == pytest.approx(
            a["guarantee_held"].mean() - b["guarantee_held"].mean()
        )


def _three_decimals(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:.3f}" if abs(value) >= 0.0005 else f"{value:.0e}".replace("e-0", "e-")
