"""What the learning curves show: every rung of a ladder, and the samples used by learners that stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stackel_bench.reporting.figures.canvas import Drawing
from stackel_bench.reporting.figures.curves import USED, draw_curves
from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.results.colours import SHADES
from stackel_bench.results.journal import Journal
from tests.reporting.fixture_sweeps import RUNGS, make_entry, make_records, write_cell

SAMPLES_USED = np.geomspace(50, 3000, 60)


def draw(folder: Path, budget: str) -> Drawing:
    """A learner on a ladder, and one that stopped by itself, with 3 failures among 60."""
    journal = Journal(folder)
    write_cell(journal, make_entry("ladder"), make_records((30, 6, 0), 60))
    entry = make_entry("stops", algorithm="successive_elimination", budget=budget)
    write_cell(journal, entry, make_records((3,), 60, samples=SAMPLES_USED[:, None]))
    (drawing,) = draw_curves(read_sweep(folder))
    return drawing


@pytest.mark.parametrize("budget", ["theory", "ladder"])
def test_samples_used_are_a_bar_on_the_axis_of_the_curves(tmp_path: Path, budget: str) -> None:
    drawing = draw(tmp_path, budget)
    losses, failures = drawing.figure.axes
    curve = next(line for line in failures.lines if len(line.get_xdata()) == len(RUNGS))
    assert curve.get_xydata().tolist() == [[100, 0.5], [400, 0.1], [1600, 0.0]]
    median, most = np.quantile(SAMPLES_USED, [0.5, 0.9])
    for axes, height in ((failures, 0.05), (losses, None)):
        (bar,) = [line for line in axes.lines if line.get_linewidth() == 5]
        assert bar.get_xdata().tolist() == pytest.approx([median, most])
        assert height is None or bar.get_ydata().tolist() == pytest.approx([height, height])
        assert len({bar.get_color(), curve.get_color()} & set(SHADES["pessimistic"])) == 2
        low, high = axes.get_xlim()
        assert low < median < most < high
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert labels[:2] == ["paper, pessimistic", "successive_elimination, pessimistic"]
    assert labels[-1] == USED
    assert "learners that stop by themselves" in drawing.caption


def test_a_cap_is_no_stop(tmp_path: Path) -> None:
    """With budget=fixed the samples used say nothing about what is needed: no bar, no words about one."""
    drawing = draw(tmp_path, "fixed")
    assert all(line.get_linewidth() != 5 for axes in drawing.figure.axes for line in axes.lines)
    assert "stop by themselves" not in drawing.caption
