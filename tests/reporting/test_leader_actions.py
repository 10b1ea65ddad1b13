"""The figure of leader actions keeps what matters of large games, says what it leaves out, and is legible."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from stackel_bench.evaluation.summary import summarise
from stackel_bench.reporting.figures.canvas import Drawing, styled
from stackel_bench.reporting.figures.exploration import MOST_ACTIONS, draw_leader_actions
from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal
from tests.reporting.fixture_sweeps import make_entry, make_records

CHOSEN, LONGEST, WIDEST = 248, 199, 120


def drawn(folder: Path, actions: int) -> Drawing:
    """One pessimistic cell whose action CHOSEN is chosen, if it has so many; others are hard."""
    folder = folder / "large-1"
    folder.mkdir()
    records = make_records((0,), 60, samples=[100])
    entry = make_entry("aaaa")
    metrics, rungs = summarise(records, 0.05)
    fields = {**entry.__dict__, "metrics": {**metrics, **entry.metrics}, "rungs": tuple(rungs)}
    number = np.arange(actions)
    table = pd.DataFrame(
        {
            "rung": 0,
            "action": number,
            "chosen": (number == CHOSEN).astype(float),
            "episodes_explore": 1000.0 + 12345.0 * (number == LONGEST),
            "certificate": 0.01 + 0.005 * (number == WIDEST),
        }
    )
    Journal(folder).commit([(Entry(**fields), records, table)])
    with styled():
        (drawing,) = draw_leader_actions(read_sweep(folder))
        FigureCanvasAgg(drawing.figure).draw()
    return drawing


def test_chosen_and_hardest_actions_are_always_drawn(tmp_path: Path) -> None:
    drawing = drawn(tmp_path, 300)
    upper, middle, lower = drawing.figure.axes
    assert [len(axes.patches) for axes in (middle, lower)] == [MOST_ACTIONS, MOST_ACTIONS]
    assert max(bar.get_height() for bar in lower.patches) == 1.0
    assert max(bar.get_height() for bar in middle.patches) == 13345.0
    assert max(upper.lines[0].get_ydata()) == pytest.approx(0.015)
    assert "40 of 300 leader actions are drawn" in drawing.caption


@pytest.mark.parametrize("actions", [3, 40, 300])
def test_it_is_legible(tmp_path: Path, actions: int) -> None:
    drawing = drawn(tmp_path, actions)
    (legend,) = drawing.figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "chosen, pessimistic"
    boxes = [label.get_window_extent() for label in drawing.figure.axes[-1].get_xticklabels()]
    assert len(boxes) == min(actions, 10)
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    for axes in drawing.figure.axes:
        box = axes.yaxis.get_tightbbox()
        assert box is not None
        assert box.x0 >= 0
    assert ("are drawn" in drawing.caption) == (actions > MOST_ACTIONS)
