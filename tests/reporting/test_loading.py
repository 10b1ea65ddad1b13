"""Results in Python: by study, by path, at three levels, or a clear error."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.errors import InputError
from stackel_bench.reporting.find_sweep import find_sweep
from stackel_bench.reporting.loading import load_results
from tests.reporting.fixture_sweeps import real_sweep, troubled_sweep


def test_levels_agree() -> None:
    output = real_sweep()
    cells, rungs, replicates = (
        load_results("real", level=level, output=output) for level in ("cell", "rung", "replicate")
    )
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
    by_path = load_results(find_sweep("real", output))
    pd.testing.assert_frame_equal(by_path, load_results("real", output=output))
    csv = pd.read_csv(find_sweep("real", output) / "results.csv")
    assert set(csv["cell_id"]) == set(by_path["cell_id"])


def test_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none yet"):
        load_results("real", output=tmp_path)
    with pytest.raises(InputError, match="one of cell, rung, replicate, action"):
        load_results("real", level="cells", output=real_sweep())  # type: ignore[arg-type]
    troubled_sweep(tmp_path)
    with pytest.raises(InputError, match="troubled-0123456789ab"):
        load_results("other", output=tmp_path)
