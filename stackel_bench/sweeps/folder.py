"""The folder of a sweep, locked against a second driver, and the pieces of unfinished trials in it."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

from stackel_bench.errors import UnavailableError, expanded
from stackel_bench.results import files
from stackel_bench.results.files import write_atomically
from stackel_bench.sweeps.plan import Plan


def sweep_folder(plan: Plan) -> Path:
    """Where the sweep's journal and results are: below the output folder, named by study and sweep id."""
    name = re.sub(r"[^\w.-]+", "_", plan.study)
    return expanded("output", plan.settings.output).resolve() / files.SWEEPS / f"{name}-{plan.sweep_id}"


def require_writable(folder: Path) -> None:
    """Create the folder, or raise an InputError that says why that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / files.PROBE
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        raise UnavailableError("output", f"write to {folder}", error.strerror) from error


def require_idle(folder: Path) -> None:
    """Raise an InputError where a driver holds the folder's lock; changes nothing."""
    if (folder / files.LOCK).exists():
        with (folder / files.LOCK).open("rb") as lock:
            _lock(lock.fileno(), fcntl.LOCK_SH, "check", folder)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the operating system releases it when the process dies, however it dies."""
    descriptor = os.open(folder / files.LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(descriptor, fcntl.LOCK_EX, "run in", folder)
        os.ftruncate(descriptor, 0)
        with contextlib.suppress(OSError):  # a full disk; the lock holds without the note
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, kind: int, what: str, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 200, 0).decode(errors="replace").strip() or "another process"
        raise UnavailableError("sweep", f"{what} {folder}", f"{holder} is running this sweep") from error
    except OSError as error:
        why = f"its disk has no locks ({error.strerror}), and two drivers would mix"
        raise UnavailableError("output", f"{what} {folder}", why, "Choose another output") from error


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
