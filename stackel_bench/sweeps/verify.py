"""Whether the results of a sweep can be relied on: its folder checked, its numbers made again."""

import dataclasses
import hashlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from stackel_bench.errors import InputError
from stackel_bench.evaluation.summary import summarise
from stackel_bench.results import files
from stackel_bench.results.entry import FINISHED, Entry
from stackel_bench.results.frames import saved_summary
from stackel_bench.results.journal import Journal
from stackel_bench.results.provenance import machine, recorded_machines
from stackel_bench.results.verify import (
    metrics_difference,
    table_difference,
    verify_derived,
    verify_lines,
    verify_owners,
    verify_shape,
    verify_tables,
)
from stackel_bench.sweeps.cell import Cell, CellBuilder, is_made_of_names
from stackel_bench.tolerances import RECOMPUTED
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Outcome

_LIBRARIES = ("numpy", "numba")


class Verification:
    """Checks of one sweep, of which a fraction of the finished cells is computed again.

    How much was checked is known once the findings have been read.
    """

    def __init__(self, folder: Path, fraction: float) -> None:
        self.folder, self.fraction = folder, fraction
        self.checked = self.recomputed = 0
        self._journal, self._others = Journal(folder), _other_versions(folder)
        self._tolerance = RECOMPUTED if self._others else 0.0

    @property
    def note(self) -> str:
        """What has to be known about the comparison, if anything."""
        if not self._others:
            return ""
        return f"computed with {self._others}: numbers are compared up to {RECOMPUTED:g}, not bit by bit"

    def findings(self) -> Iterator[str]:
        """A sentence for everything that is not as it should be; below it what follows from it, indented."""
        journal = self._journal
        causes = list(verify_lines(journal))
        ended = (self.folder / files.SUMMARY).exists()
        owners, derived = list(verify_owners(journal)), list(verify_derived(journal, ended))
        if journal.damaged or journal.lines.is_torn or journal.lost:  # cells that others still know are gone
            command = saved_summary(self.folder).get("command") or "the sweep's command"
            repair = f"to repair it, run again: {command}"
            causes[-1] = "\n  ".join([causes[-1], *(f"so {other}" for other in owners + derived), repair])
            owners, derived = [], []
        yield from causes
        yield from verify_tables(journal)
        yield from owners
        finished = [cell_id for cell_id in journal.entries if journal.state(cell_id) == FINISHED]
        for cell_id in finished:
            self.checked += 1
            yield from self._check(journal.entries[cell_id])
        report = f"stackel-bench report sweep={self.folder.name.rpartition('-')[2]}"
        yield from (f"{finding}; `{report}` writes it again" for finding in derived)
        builder = CellBuilder()
        named = [cell_id for cell_id in finished if is_made_of_names(journal.entries[cell_id].config)]
        for cell_id in chosen(named, self.folder.name, self.fraction):
            self.recomputed += 1
            yield from self._check_again(journal.entries[cell_id], builder)

    def _check(self, entry: Entry) -> Iterator[str]:
        try:
            records = self._journal.read_records(entry.cell_id)
            self._journal.read_actions(entry.cell_id)
        except InputError as error:
            yield f"cell {entry.cell_id}: {error}"
            return
        wrong = list(verify_shape(entry, records))
        yield from wrong
        if wrong:
            return
        metrics, rungs = summarise(records, entry.config["budget"]["delta"])
        yield from self._compare(entry, metrics, "its records say")
        for position, (kept, found) in enumerate(zip(entry.rungs, rungs, strict=False)):
            if metrics_difference(kept, found, self._tolerance):
                yield f"cell {entry.cell_id}: rung {position} does not follow from its records"

    def _check_again(self, entry: Entry, builder: CellBuilder) -> Iterator[str]:
        try:
            cell = builder.build(entry.config)
        except InputError as error:
            yield f"cell {entry.cell_id}: cannot be computed again ({error})"
            return
        if cell.cell_id != entry.cell_id:
            yield f"cell {entry.cell_id}: this version calls its configuration {cell.cell_id}"
            return
        try:
            records = self._journal.read_records(entry.cell_id)
            actions = self._journal.read_actions(entry.cell_id)
        except InputError:  # has been said
            return
        again = recompute(cell)
        if difference := table_difference(records, again.records, self._tolerance):
            yield f"cell {entry.cell_id}: computed again, its records differ: {difference}"
        if actions is None:
            yield f"cell {entry.cell_id}: its table of actions is missing"
        elif difference := table_difference(actions, again.actions, self._tolerance):
            yield f"cell {entry.cell_id}: computed again, its table of actions differs: {difference}"
        yield from self._compare(entry, again.metrics, "computed again it is")

    def _compare(self, entry: Entry, metrics: Mapping[str, float], words: str) -> Iterator[str]:
        for name, (kept, found) in metrics_difference(entry.metrics, metrics, self._tolerance).items():
            yield f"cell {entry.cell_id}: {name} is {kept}, {words} {found}"


def recompute(cell: Cell) -> Outcome:
    """Records, table of actions and metrics of a cell, computed in this process."""
    trial = dataclasses.replace(cell.trial, tie_breakings=(cell.tie_breaking,))
    return whole_trial(trial.assignment, trial.game)[cell.tie_breaking]


def chosen(cell_ids: list[str], sweep: str, fraction: float) -> list[str]:
    """A fraction of the cells, one at least, in an order that looks random and is always the same."""
    count = math.ceil(fraction * len(cell_ids))
    return sorted(cell_ids, key=lambda i: hashlib.sha256(f"{sweep}\n{i}".encode()).digest())[:count]


def _other_versions(folder: Path) -> str:
    """Versions that cells were computed with and that are not those of this process."""
    now = machine()
    others = {
        f"{name} {facts.get(name, 'unknown')} (here {now[name]})": None
        for facts in recorded_machines(folder)
        for name in _LIBRARIES
        if facts.get(name) != now[name]
    }
    return ", ".join(others)
