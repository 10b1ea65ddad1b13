"""Pieces of unfinished trials on disk: a killed driver costs what was in flight, not what had come back."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from stackel_bench.results.files import write_atomically

_SUFFIX = ".piece"
_DIGEST_BYTES = 16


class KeptPieces:
    """One folder per trial, one file per piece: a digest of the content, then the content."""

    def __init__(self, folder: Path, trial_ids: Sequence[str]) -> None:
        self._folder, self._trial_ids = folder, trial_ids
        self.damaged = 0  # files that were there and could not be trusted

    def keep(self, trial: int, piece: str, content: bytes) -> None:
        """Write the piece; it is complete or absent."""
        write_atomically(self._path(trial) / f"{piece}{_SUFFIX}", _digest(content) + content)

    def kept(self, trial: int) -> dict[str, bytes]:
        """The pieces of a trial that are whole, by name."""
        pieces = {}
        for path in sorted(self._path(trial).glob(f"*{_SUFFIX}")):
            stored = path.read_bytes()
            content = stored[_DIGEST_BYTES:]
            if stored[:_DIGEST_BYTES] == _digest(content):
                pieces[path.name.removesuffix(_SUFFIX)] = content
            else:
                self.damaged += 1
        return pieces

    def drop(self, trial: int) -> None:
        """Remove the pieces of a trial whose results are in the journal."""
        shutil.rmtree(self._path(trial), ignore_errors=True)

    def _path(self, trial: int) -> Path:
        return self._folder / self._trial_ids[trial]


def count_pieces(folder: Path) -> int:
    """How many pieces of unfinished trials are kept in a sweep's folder of pieces."""
    return sum(1 for _ in folder.glob(f"*/*{_SUFFIX}"))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()
