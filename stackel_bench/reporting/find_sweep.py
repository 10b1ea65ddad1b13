"""The folder of a sweep, found by its study's name or its id among those that exist."""

import time
from pathlib import Path

from stackel_bench.errors import InputError, expanded
from stackel_bench.results import files


def existing_sweeps(output: Path) -> list[Path]:
    """Folders below output/sweeps that have a journal, the latest one first."""
    journals = (expanded("output", output) / files.SWEEPS).glob(f"*/{files.JOURNAL}")
    return [path.parent for path in sorted(journals, key=lambda path: path.stat().st_mtime, reverse=True)]


def find_sweep(name: str, output: Path, field: str = "study") -> Path:
    """The folder of the sweep with this study name, sweep id or path; an InputError lists what exists.

    A path is found wherever it is, names below output. A study that was run with several sets of overrides
    has several sweeps: then only an id or a path will do.
    """
    path = expanded("sweep", name)
    if (path / files.JOURNAL).exists():
        return path.resolve()
    sweeps = existing_sweeps(output)
    matching = [folder for folder in sweeps if name in (*folder.name.rsplit("-", 1), folder.name)]
    if len(matching) == 1:
        return matching[0].resolve()
    if matching:
        sentence = f"there are several sweeps {name!r}; choose one by its id: {describe(matching)}"
        raise InputError(field, name, "a sweep id", sentence)
    place = output.resolve() / files.SWEEPS
    sentence = f"no results of {field} {name!r} in {place}; there are: {describe(sweeps)}"
    raise InputError(field, name, "a sweep with results", sentence)


def describe(sweeps: list[Path]) -> str:
    """The sweeps with the time of their last change, or that there are none."""
    if not sweeps:
        return "none yet; make some with `stackel-bench sweep study=NAME`"
    times = (time.localtime((folder / files.JOURNAL).stat().st_mtime) for folder in sweeps)
    stamped = zip(sweeps, times, strict=True)
    return ", ".join(f"{folder.name} ({time.strftime('%Y-%m-%d %H:%M', when)})" for folder, when in stamped)
