"""Which code, on which machine, made a result."""

import contextlib
import functools
import json
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from stackel_bench.results import files

Machine = dict[str, str]

_LIBRARIES = ("stackel_bench", "numpy", "numba", "scipy")


@functools.cache
def package_version() -> str:
    """The installed version."""
    return version("stackel_bench")


@functools.cache
def git_commit() -> str:
    """The commit of the source tree that is running, with a + if it has changes; empty outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


@functools.cache
def _machine() -> Machine:
    facts = {"processor": _processor(), "platform": platform.platform(), "python": platform.python_version()}
    for name in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            facts[name] = version(name)
    return facts | _blas()


def machine() -> Machine:
    """Processor, platform, and the libraries that the last bits of a number may depend on."""
    return dict(_machine())


def record_machine(folder: Path) -> None:
    """Write down that cells of this sweep are computed here; before they are, so that no crash forgets it."""
    known = recorded_machines(folder)
    if machine() not in known:
        text = json.dumps([*known, machine()], indent=1)
        files.write_atomically(folder / files.PROVENANCE, (text + "\n").encode())


def recorded_machines(folder: Path) -> list[Machine]:
    """Where drivers of this sweep have computed, each machine once, the latest new one at the end."""
    try:
        saved = json.loads((folder / files.PROVENANCE).read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [facts for facts in saved if isinstance(facts, dict)] if isinstance(saved, list) else []


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _blas() -> Machine:
    """Name and version of numpy's BLAS, and the kind of core that it chose, as far as one can know."""
    import numpy as np

    config: Any = np.show_config(mode="dicts")
    built = config.get("Build Dependencies", {}).get("blas", {})
    facts = {"blas": f"{built.get('name', 'unknown')} {built.get('version', '')}".strip()}
    with contextlib.suppress(ImportError):
        from threadpoolctl import threadpool_info

        loaded = [info for info in threadpool_info() if info.get("user_api") == "blas"]
        own = [info for info in loaded if "numpy" in info.get("filepath", "")]  # scipy may bring a second one
        facts["blas_core"] = (own or loaded or [{}])[0].get("architecture", "")
    return facts
