"""What all tests share: one thread per process, and one private Ray per test process, started when needed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from stackel_bench.execution.executor import Executor

# pytest's plugins load numpy before this file, so its thread pools are limited directly; the variables are
# for the processes that tests start.
_LIMITS = threadpool_limits(1)
os.environ["RAY_AUTH_MODE"] = "token"  # read once, by whichever test imports ray first
os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # of clusters that tests start and join
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

# The same examples in every run, however busy the machine is.
settings.register_profile("reproducible", derandomize=True, deadline=None, database=None)
settings.load_profile("reproducible")


# Kills, clusters, servers, installations, other processors, simulated coverage: `make test-slow`, and CI.
SLOW = (
    "claims/test_reproduce.py",
    "docs/test_questions.py",
    "execution/ray/test_executor.py",
    "notebook/test_sweep.py",
    "outside/test_files.py",
    "packaging/test_distributions.py",
    "packaging/test_runners.py",
    "reporting/test_loading.py",
    "reporting/test_report.py",
    "reporting/test_ui.py",
    "results/test_columns.py",
    "simulation/test_episodes.py",
    "statistics/test_exponents.py",
    "sweeps/test_cluster.py",
    "sweeps/test_damaged_folders.py",
    "sweeps/test_failing_cells.py",
    "sweeps/test_folder.py",
    "sweeps/test_interrupted.py",
    "sweeps/test_killed_driver.py",
    "sweeps/test_long_cell.py",
    "sweeps/test_studies.py",
    "sweeps/test_tracking_server.py",
    "sweeps/test_varying_keys.py",
    "sweeps/test_verify.py",
    "test_processors.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of the shared Ray run in one process, so that it is started once; some tests are slow."""
    here = Path(__file__).parent
    assert not (gone := [name for name in SLOW if not (here / name).exists()]), f"no such tests: {gone}"
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        if "ray_executor" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("ray"))


@pytest.fixture(scope="session")
def ray_executor() -> Iterator[Executor]:
    """A private Ray with two CPUs."""
    from stackel_bench.config.settings import ExecutionSettings
    from stackel_bench.execution.start import start_executor

    executor = start_executor(ExecutionSettings(kind="local", num_cpus=2))
    yield executor
    executor.shutdown()
