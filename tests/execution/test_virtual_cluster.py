"""The real driver on a virtual cluster: nothing lost, nothing twice, whoever leaves on the way."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from benchmarks.virtual_cluster import OVERRIDES, VirtualCluster, drive
from stackel_bench.execution.executor import SerialExecutor
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.plan import make_plan


def test_ten_of_thirty_workers_leave_and_the_numbers_are_the_same(tmp_path: Path) -> None:
    """Tasks take so long that the driver's own time cannot matter."""
    losses = [5.0 * k for k in range(1, 11)]
    plan = make_plan([*OVERRIDES, "replicates=2", "game.instance_seed=range(0,90)"])
    cluster = VirtualCluster(30, slower=1e5, losses=losses)
    tally = drive(cluster, plan, tmp_path)
    assert (tally.finished, tally.failed) == (180, 0)
    assert cluster.workers == 20
    assert cluster.lost_tasks
    assert tally.tasks <= 90
    assert tally.busy_seconds <= tally.capacity_seconds
    journal = Journal(tmp_path)
    assert set(journal.entries) == {cell.cell_id for cell in plan.cells}
    some, folder = dataclasses.replace(plan, cells=plan.cells[:6]), tmp_path / "alone"
    folder.mkdir()
    drive(SerialExecutor(), some, folder)
    alone = Journal(folder)
    for cell in some.cells:
        assert journal.entries[cell.cell_id].metrics == alone.entries[cell.cell_id].metrics
