"""Results read from disk: of a study, a sweep, a folder, or several of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from stackel_bench.errors import InputError
from stackel_bench.notebook.results import Results, merged
from stackel_bench.reporting.find_sweep import existing_sweeps, find_sweep
from stackel_bench.reporting.sweep_results import read_sweep

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
