"""Runs of cells that take long and are in work: curves that grow with every checkpoint."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from stackel_bench.results.entry import Entry
from stackel_bench.tracking.cell_run import KIND, identity_tags, parameters
from stackel_bench.tracking.run_record import Point, RunRecord
from stackel_bench.trials.programs import RunSoFar

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore


class GrowingRuns:
    """Shows how far programs are, each cell in the run that it will have in the end.

    Only `show`, `finished` and `stop` ask the store, all from one thread. What cannot be shown is not tried
    again, since the next checkpoint says more.
    """

    def __init__(self, store: MlflowStore, tags: Mapping[str, str]) -> None:
        self._store, self._tags = store, tags
        self._records: list[RunRecord] = []  # to be shown
        self._begun: set[str] = set()  # cells whose runs are running

    @property
    def waits(self) -> bool:
        """Whether there is something to show."""
        return bool(self._records)

    def add(self, entry: Entry, run: RunSoFar) -> None:
        """Show this soon; the entry says which cell it is, and the time."""
        self._records.append(growing_run(entry, self._tags, run))

    def forget(self, cell_id: str) -> None:
        """The cell has its result."""
        self._records = [record for record in self._records if record.key != cell_id]

    def show(self) -> None:
        """Write what waits."""
        records, self._records = self._records, []
        for record in records:
            with suppress(Exception):  # a store that does not answer now
                self._store.growing.grow(record)
                self._begun.add(record.key)

    def finished(self, cell_ids: Collection[str]) -> None:
        """The runs of these cells have been written as they stay."""
        self._begun.difference_update(cell_ids)

    def stop(self) -> None:
        """Nobody plays any more: what has no result is not running."""
        for cell_id in self._begun:
            with suppress(Exception):
                self._store.growing.stop(KIND, cell_id)


def growing_run(entry: Entry, tags: Mapping[str, str], run: RunSoFar) -> RunRecord:
    """What a checkpoint adds to the run of its cell, with the samples so far as steps."""
    now = round(entry.finished_at * 1000)
    note = {"mlflow.note.content": "in work: curves grow with every checkpoint"}
    return RunRecord(
        kind=KIND,
        key=entry.cell_id,
        name=entry.label,
        tags={**identity_tags(entry), **tags, **note},
        params=parameters(entry),
        points=list(_points(run)),
        artifacts={},
        finished=False,
        start=now,
        end=now,
    )


def _points(run: RunSoFar) -> Iterator[Point]:
    for action, samples in run.by_action.items():
        yield Point(f"progress/samples_a{action}", samples, samples)
        if action in run.certificates:
            yield Point(f"progress/certificate_a{action}", run.certificates[action], samples)
    whose = f"_a{run.unit}" if run.by_action.keys() == {run.unit} else ""
    yield Point(f"progress/samples_per_second{whose}", run.per_second, run.samples)
    if run.seconds_left is not None:
        yield Point(f"progress/seconds_left{whose}", run.seconds_left, run.samples)
