"""Your first hour, run as a notebook: every cell works and prints what is stored with it."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.docs.code_blocks import HOOKS, NOTEBOOKS


@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_prints_what_is_stored(notebook: Path, tmp_path: Path) -> None:
    stored = nbformat.read(notebook, as_version=4)
    run = nbformat.from_dict(json.loads(json.dumps(stored)))
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(run, timeout=300, kernel_name="python3", resources=where).execute()
    for before, after in zip(stored.cells, run.cells, strict=True):
        if before.cell_type == "code":
            texts = [[t for t in map(HOOKS["printed_text"], each.outputs) if t] for each in (before, after)]
            assert texts[0] == texts[1], before.source
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert (tmp_path / "report.html").stat().st_size > 0
    kept = next(cell for cell in run.cells if 'output="first_hour"' in cell.source)
    shown = [output for output in kept.outputs if output.output_type == "display_data"]
    assert 1 <= len(shown) <= 3, "progress alone: a silent ending stays silent in a notebook"
