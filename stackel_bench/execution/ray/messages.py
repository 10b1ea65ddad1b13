"""What Ray's errors say to people, without colours, and what to do about them."""

import re

import ray.exceptions

from stackel_bench.text import printable

LOST = (
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.ObjectLostError,
)
_LESS_MEMORY = (
    "lower execution.num_cpus (fewer tasks at once), set execution.memory_per_task, or choose a smaller game"
)


def advice(error: BaseException, task: str) -> str:
    """What happened to a task that Ray gave up after its retries, and what to do about it."""
    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return f"OutOfMemoryError: a worker ran out of memory; {_LESS_MEMORY}"
    if isinstance(error, ray.exceptions.WorkerCrashedError):
        return (
            f"WorkerCrashedError: every worker that ran '{task}' was killed or crashed, or hung in compiled "
            f"code; if the system did that for want of memory, {_LESS_MEMORY}"
        )
    return first_line(error)


def plain(error: BaseException) -> str:
    """The whole message."""
    return printable(re.sub("\x1b\\[[0-9;]*m", "", str(error)).strip())


def first_line(error: BaseException) -> str:
    """Its type and how it begins."""
    return f"{type(error).__name__}: {(plain(error).splitlines() or [''])[0]}"


def last_line(error: BaseException) -> str:
    """How it ends, which is what a worker raised."""
    return (plain(error).splitlines() or [""])[-1].strip()
