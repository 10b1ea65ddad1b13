"""Results in Python: by study, by path, at three levels, or a clear error."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.errors import InputError
from stackel_bench.notebook.results import load_results
from stackel_bench.reporting.find_sweep import find_sweep
from tests.reporting.fixture_sweeps import make_entry, real_sweep, troubled_sweep


def test_levels_agree() -> None:
    output = real_sweep()
    results = load_results("real", output=output)
    cells, rungs, replicates = results.cells, results.rungs, results.records
    assert len(cells) == 8
    assert cells["cell_id"].is_unique
    assert len(rungs) == rungs[["cell_id", "rung"]].drop_duplicates().shape[0]
    assert len(replicates) == replicates[["cell_id", "rung", "replicate"]].drop_duplicates().shape[0]
    means = replicates.groupby(["cell_id", "rung"])["value_suboptimality"].mean()
    expected = rungs.set_index(["cell_id", "rung"])["value_suboptimality"]
    pd.testing.assert_series_equal(means.sort_index(), expected.sort_index(), check_exact=False)
    shares = 1 - replicates.groupby(["cell_id", "rung"])["guarantee_held"].mean()
    assert (shares - rungs.set_index(["cell_id", "rung"])["failure_probability"]).abs().max() < 1e-12


def test_path_and_study_give_the_same() -> None:
    output = real_sweep()
    by_path = load_results(find_sweep("real", output)).cells
    for same in (
        load_results("real", output=output),
        load_results(output),
        load_results(["real"], output=output),
    ):
        pd.testing.assert_frame_equal(by_path, same.cells)
    csv = pd.read_csv(find_sweep("real", output) / "results.csv")
    assert set(csv["cell_id"]) == set(by_path["cell_id"])


def test_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none yet"):
        load_results("real", output=tmp_path)
    with pytest.raises(InputError, match="the list of sweeps is empty"):
        load_results([])
    troubled_sweep(tmp_path)
    with pytest.raises(InputError, match="troubled-0123456789ab"):
        load_results("other", output=tmp_path)


def test_samples_drawn_are_the_same_in_any_order(tmp_path: Path) -> None:
    """Floats that add up to different sums: (0.1 + 0.2) + 0.3 is not 0.1 + (0.2 + 0.3)."""
    results = troubled_sweep(tmp_path)
    entries = [make_entry(name, epsilon=drawn) for name, drawn in zip("abc", (0.1, 0.2, 0.3), strict=True)]
    entries = [
        dataclasses.replace(one, metrics={"samples_drawn": one.description["epsilon"]}) for one in entries
    ]
    found = {
        dataclasses.replace(results, entries=order).samples_drawn for order in itertools.permutations(entries)
    }
    assert found == {0.6}
