"""Results of one or several sweeps, just run or read from disk: tidy tables, figures, a report."""

import dataclasses
import functools
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from stackel_bench import checks
from stackel_bench.errors import InputError, UnavailableError, expanded
from stackel_bench.notebook.plots import Plots
from stackel_bench.reporting.find_sweep import existing_sweeps, find_sweep
from stackel_bench.reporting.headline import headline
from stackel_bench.reporting.merged_sweeps import TablesElsewhere, merged_sweeps
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.reporting.versus.contests import learner_contests, tie_contests
from stackel_bench.reporting.versus.rivals import ranks, ratios
from stackel_bench.results import files
from stackel_bench.results.entry import Entry
from stackel_bench.results.files import write_atomically
from stackel_bench.results.frames import in_order
from stackel_bench.text import plural

MOST_ROWS = 6  # of the table that a notebook shows
SHOWN = (
    "game",
    "algorithm",
    "tie_breaking",
    "epsilon",
    "failure_probability",
    "sample_complexity",
    "verdict",
)


_BETWEEN = {"learner": (learner_contests, "tie_breaking"), "tie_breaking": (tie_contests, "learner")}


class Results:
    """The finished cells of a sweep, or of several; every key that varies among them is a column.

    Columns are explained in docs/results.md. Frames are the caller's own: figures and reports do not change
    with them.
    """

    def __init__(self, sweep: SweepResults) -> None:
        self._sweep = sweep
        self.plot = Plots(sweep.judged_part)

    @functools.cached_property
    def cells(self) -> pd.DataFrame:
        """One row per cell, as in results.csv."""
        return self._sweep.cells.copy()

    @functools.cached_property
    def rungs(self) -> pd.DataFrame:
        """One row per cell and budget of its ladder."""
        return self._sweep.rungs.copy()

    @functools.cached_property
    def records(self) -> pd.DataFrame:
        """One row per cell, budget and replicate."""
        return self._below_each_other(self._sweep.tables.read_records)

    @functools.cached_property
    def actions(self) -> pd.DataFrame:
        """One row per cell and leader action; empty where no cell keeps such a table."""
        return self._below_each_other(self._sweep.tables.read_actions)

    @property
    def failed(self) -> tuple[Entry, ...]:
        """The cells that ended with an error: label, error, traceback, config."""
        return self._sweep.failed

    @property
    def study(self) -> str:
        """The name of the study."""
        return self._sweep.study

    @property
    def folder(self) -> Path | None:
        """The sweep's folder; None where nothing was written, or several sweeps were merged."""
        return None if self._sweep.folder == Path() else self._sweep.folder

    def headline(self) -> tuple[str, ...]:
        """What the cells answer, in a few sentences, as report and terminal open with them."""
        return headline(self._sweep)

    def ratios(self, between: str = "learner") -> pd.DataFrame:
        """Samples needed by the second learner (or tie-breaking) over those of the first, with intervals.

        One row per game and pair, random instances pooled; 0 and infinity are ends that stay open.
        """
        contests, shared = _BETWEEN[checks.choice("between", between, tuple(_BETWEEN))]
        return ratios(contests(self._sweep), shared)

    def ranks(self) -> pd.DataFrame:
        """The ranks that each learner may have by samples needed, over games; all hold together with 95 %."""
        return ranks(self._sweep)

    def report(self, path: str | Path) -> Path:
        """Write the HTML report, one file with all figures, to exactly this path."""
        from stackel_bench.reporting.pages.report import write_report

        target = expanded("path", path)
        with tempfile.TemporaryDirectory() as folder:
            owners = {entry.cell_id: self._sweep.tables for entry in self._sweep.finished}
            write_report(dataclasses.replace(self._sweep, tables=TablesElsewhere(owners, Path(folder))))
            page = (Path(folder) / files.REPORT).read_bytes()
        try:
            write_atomically(target, page)
        except OSError as error:
            raise UnavailableError("path", f"write to {path}", error.strerror) from error
        return target

    def __len__(self) -> int:
        return len(self._sweep.finished)

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        keys = ", ".join(self._sweep.varying[:20])
        varying = f"; varying: {keys}" if keys else ""
        return f"Results({self.study[:200]!r}: {plural(len(self), 'cell')}{failed}{varying[:1000]})"

    def _repr_html_(self) -> str:
        table = self.cells.reindex(columns=[name for name in SHOWN if name in self.cells]).head(MOST_ROWS)
        shown = table.to_html(index=False, border=0, na_rep="", float_format="{:.4g}".format)
        more = f"<p>… and {len(self) - MOST_ROWS} more cells</p>" if len(self) > MOST_ROWS else ""
        return f"<p>{escape(repr(self))}</p>{shown}{more}"

    def _below_each_other(self, read: Callable[[str], pd.DataFrame | None]) -> pd.DataFrame:
        """Tables of all cells below each other; what describes the cell is repeated on each row."""
        frames = []
        described_by_id = self._sweep.described
        for cell_id, described in described_by_id.items():
            table = read(cell_id)
            if table is not None:
                repeated = pd.DataFrame([described] * len(table), index=table.index)
                frames.append(pd.concat([repeated, table], axis=1))
        return in_order(pd.concat(frames, ignore_index=True)) if frames else pd.DataFrame()


def merged(parts: Sequence[Results]) -> Results:
    """The cells of all parts, each once; where it failed in one part and finished in another, finished."""
    return Results(merged_sweeps([part._sweep for part in parts]))


Source = str | Path | Results


def load_results(sweep: Source | Iterable[Source], *, output: str | Path = ".") -> Results:
    """The finished cells of a study (its name, or a sweep's id, below the output folder) or of a folder.

    A folder is a sweep's own or an output folder, which stands for all sweeps in it. A list is merged: a cell
    that several of them have counts once, and keys that vary among all cells are columns. A warning tells of
    damaged files.
    """
    if not isinstance(sweep, Iterable | str | Path | Results):
        raise InputError(
            "sweep", sweep, "a study's name, a sweep's id, a folder, results, or a list of these"
        )
    if not isinstance(sweep, str | Path | Results):
        parts = [load_results(part, output=output) for part in sweep]
        if not parts:
            raise InputError("sweep", [], "at least one", "the list of sweeps is empty")
        return merged(parts)
    if isinstance(sweep, Results):
        return sweep
    folders = existing_sweeps(Path(sweep))[::-1] or [find_sweep(str(sweep), Path(output), "sweep")]
    read = {folder: read_sweep(folder) for folder in folders}
    for folder, each in read.items():
        for sentence in each.journal.problems():
            warnings.warn(f"{folder}: {sentence}", stacklevel=2)
    found = [Results(each) for each in read.values() if not each.cells.empty]
    if not found:
        raise InputError("sweep", str(sweep), "finished cells", f"{folders[0]} has no finished cells yet")
    return found[0] if len(found) == 1 else merged(found)
