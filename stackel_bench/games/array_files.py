"""Arrays read from .npz and .csv files, without pickle; a fault names the file and the key or line."""

import zipfile
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from stackel_bench.errors import InputError, UnavailableError
from stackel_bench.text import number_of

MOST_BYTES = 2**31  # of the arrays of one archive; larger ones are read from .npy files, which are mapped


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
        raise UnavailableError(str(file), f"read {file}", f"it is not {allowed}")
    try:
        _require_size(file, {*required, *optional})
        with np.load(file, allow_pickle=False) as archive:
            found = {key: archive[key] for key in (*required, *optional) if key in archive.files}
            keys = sorted(archive.files)
    except InputError:
        raise
    # An encrypted member is a RuntimeError, a compression that Python lacks a NotImplementedError.
    except (ValueError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise UnavailableError(str(file), f"read {file} as {allowed}", error) from error
    for key in required:
        if key not in found:
            raise InputError(f"{file}[{key}]", f"only {keys}", "arrays " + ", ".join(required))
    for key, array in found.items():
        kind = getattr(array, "dtype", None)  # a member that is no array comes as bytes
        if kind is None or kind.kind not in "biuf":
            raise InputError(f"{file}[{key}]", str(kind), "an array of real numbers")
    return found


def _require_size(file: Path, keys: Collection[str]) -> None:
    """Raise an InputError where the arrays would fill the memory; their sizes are read, they are not."""
    with zipfile.ZipFile(file) as archive:
        sizes = {info.filename.removesuffix(".npy"): info.file_size for info in archive.infolist()}
    total = sum(size for key, size in sizes.items() if key in keys)
    if total > MOST_BYTES:
        raise InputError(
            str(file), f"{total} bytes of arrays", f"at most {MOST_BYTES} bytes in one .npz file"
        )


def matrix_of_csv(file: Path) -> np.ndarray:
    """The numbers of a CSV file, one row per line; empty lines and lines that start with # do not count."""
    rows: list[list[float]] = []
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(str(file), f"read {file} as CSV in UTF-8", error) from error
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
        return number_of(cell)
    except ValueError as error:
        raise InputError(where, cell.strip(), "a finite number") from error
