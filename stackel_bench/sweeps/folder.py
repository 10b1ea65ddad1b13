"""The folder of a sweep, locked against a second driver."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from stackel_bench.errors import InputError
from stackel_bench.results import files
from stackel_bench.sweeps.plan import Plan


def sweep_folder(plan: Plan) -> Path:
    """Where the sweep's journal and results are: below the output folder, named by study and sweep id."""
    name = re.sub(r"[^\w.-]+", "_", plan.study)
    return Path(plan.settings.output).expanduser().resolve() / files.SWEEPS / f"{name}-{plan.sweep_id}"


def require_writable(folder: Path) -> None:
    """Create the folder, or raise an InputError that says why that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / files.PROBE
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        raise InputError("output", str(folder), f"a folder that can be written ({error.strerror})") from error


def require_idle(folder: Path) -> None:
    """Raise an InputError where a driver holds the folder's lock; changes nothing."""
    if not (folder / files.LOCK).exists():
        return
    with (folder / files.LOCK).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = lock.read(200).decode(errors="replace").strip() or "another process"
            allowed = f"a sweep that nobody is running now ({holder} is)"
            raise InputError("sweep folder", str(folder), allowed) from error


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the operating system releases it when the process dies, however it dies."""
    descriptor = os.open(folder / files.LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
            allowed = f"a sweep that nobody else is running ({holder} holds it)"
            raise InputError("sweep folder", str(folder), allowed) from error
        os.ftruncate(descriptor, 0)
        with contextlib.suppress(OSError):  # a full disk; the lock holds without the note
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)
