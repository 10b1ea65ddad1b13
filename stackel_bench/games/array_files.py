"""Arrays read from .npz and .csv files, without pickle; a fault names the file and the key or line."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stackel_bench.errors import InputError


def existing_file(field: str, path: object, suffixes: Sequence[str]) -> Path:
    """The path of a file that exists and has one of the suffixes."""
    allowed = "the path of an existing file that ends in " + " or ".join(suffixes)
    if not isinstance(path, str | Path) or not str(path):
        raise InputError(field, path, allowed)
    file = Path(path)
    try:
        exists = file.is_file()
    except OSError:  # a name that no file can have
        exists = False
    if file.suffix.lower() not in suffixes or not exists:
        raise InputError(field, str(path), allowed)
    return file


def arrays_of_npz(file: Path, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """The required arrays of an .npz file and those optional ones that it has."""
    allowed = "an .npz file of numeric arrays, without pickle"
    if not zipfile.is_zipfile(file):  # numpy's own words would advise to unpickle it
        raise InputError(str(file), "no archive of arrays", allowed)
    try:
        with np.load(file, allow_pickle=False) as archive:
            found = {key: archive[key] for key in (*required, *optional) if key in archive.files}
            keys = sorted(archive.files)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(str(file), str(error), allowed) from error
    for key in required:
        if key not in found:
            raise InputError(f"{file}[{key}]", f"only {keys}", "arrays " + ", ".join(required))
    for key, array in found.items():
        kind = getattr(array, "dtype", None)  # a member that is no array comes as bytes
        if kind is None or kind.kind not in "biuf":
            raise InputError(f"{file}[{key}]", str(kind), "an array of real numbers")
    return found


def matrix_of_csv(file: Path) -> np.ndarray:
    """The numbers of a CSV file, one row per line; empty lines and lines that start with # do not count."""
    rows: list[list[float]] = []
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(file), str(error), "a readable CSV file in UTF-8") from error
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        row = [
            _finite(cell, f"{file}, line {number}, column {i}") for i, cell in enumerate(text.split(","), 1)
        ]
        if rows and len(row) != len(rows[0]):
            raise InputError(f"{file}, line {number}", f"{len(row)} numbers", f"{len(rows[0])} as above")
        rows.append(row)
    if not rows:
        raise InputError(str(file), "no numbers", "at least one line of comma-separated numbers")
    return np.array(rows)


def _finite(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError as error:
        raise InputError(where, cell.strip(), "a finite number") from error
    if not np.isfinite(value):
        raise InputError(where, value, "a finite number")
    return value
