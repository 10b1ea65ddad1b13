"""Ray against the serial twin: bit for bit the same numbers on 1, 2 and 4 workers; lost workers are isolated.

Workers of the session's private cluster of two CPUs are counted by the CPUs that a task takes.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray

import stackel_bench as sb
from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.errors import InputError
from stackel_bench.execution.events import Result
from stackel_bench.execution.executor import Executor, SerialExecutor
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.execution.start import start_executor
from stackel_bench.trials.trial import Failure
from tests.execution.small_trials import LostGame, bandit_trials, faulty_trial, numbers, small_trials


def with_workers(executor: Executor, workers: int, **options: Any) -> Executor:
    """The same cluster, seen as one with so many workers."""
    twin: Any = copy.copy(executor)
    twin._cpus_per_task = 2 / workers
    twin._options = {**twin._options, "num_cpus": 2 / workers, **options}
    twin._cpus = 2
    assert twin.workers == workers
    return twin


def results(trials: list[Any], executor: Executor, batch_seconds: float, fan_out: str | None) -> list[Any]:
    events = Scheduler(executor, batch_seconds, fan_out).run(trials)
    found = {event.trial: event.outcomes for some in events for event in some if isinstance(event, Result)}
    return [found[index] for index in range(len(trials))]


def run(trials: list[Any], executor: Executor, batch_seconds: float, fan_out: str | None = None) -> list[Any]:
    return [numbers(outcomes) for outcomes in results(trials, executor, batch_seconds, fan_out)]


@pytest.mark.parametrize(
    ("workers", "batch_seconds", "fan_out"),
    [(1, 1e-3, None), (2, 1e-6, "leader_action"), (4, 100, "auto")],
)
def test_the_same_numbers_on_any_number_of_workers(
    ray_executor: Executor, workers: int, batch_seconds: float, fan_out: str | None
) -> None:
    """One small cell of each family, cut into units, replicates or bundles, in shuffled order."""
    trials = small_trials()
    order = np.random.default_rng(workers).permutation(len(trials))
    found = run([trials[i] for i in order], with_workers(ray_executor, workers), batch_seconds, fan_out)
    expected = run(trials, SerialExecutor(), 1.0)
    assert [found[position] for position in np.argsort(order)] == expected


CUTS = pytest.mark.parametrize(("batch_seconds", "fan_out"), [(1e-6, "leader_action"), (100, "auto")])


@CUTS
def test_a_trial_that_raises_is_reported_and_the_others_go_on(
    ray_executor: Executor, batch_seconds: float, fan_out: str
) -> None:
    trials = bandit_trials()
    expected = run(trials, SerialExecutor(), 1.0)
    trials.insert(2, faulty_trial("raise"))
    outcomes = results(trials, ray_executor, batch_seconds, fan_out)
    failure = outcomes.pop(2)
    assert isinstance(failure, Failure)
    assert failure.message == "RuntimeError: unit 1 exploded"
    assert "in explore" in failure.traceback
    assert [numbers(outcome) for outcome in outcomes] == expected


@CUTS
def test_a_trial_that_kills_its_worker_is_isolated(
    ray_executor: Executor, batch_seconds: float, fan_out: str
) -> None:
    """In a bundle its companions are run again, alone; cut up, only its own blocks are lost."""
    trials = bandit_trials()
    expected = run(trials, SerialExecutor(), 1.0)
    trials.insert(1, faulty_trial("exit", replicates=1))
    executor = with_workers(ray_executor, 2, max_retries=0)
    found = run(trials, executor, batch_seconds, fan_out)
    assert "WorkerCrashedError" in found.pop(1)
    assert found == expected


@CUTS
def test_a_game_that_does_not_arrive_fails_alone(
    ray_executor: Executor, batch_seconds: float, fan_out: str
) -> None:
    """Of twenty that cost alike, so that the later ones are bundled once the first have ended."""
    trials = 10 * bandit_trials()[:2]
    expected = 10 * run(trials[:2], SerialExecutor(), 1.0)
    lost = LostGame(sb.load_game("bandit/trap").table, name="bandit/lost")
    trials.insert(15, dataclasses.replace(trials[0], game=lost))
    found = run(trials, ray_executor, batch_seconds, fan_out)
    assert "bandit/lost did not arrive" in found.pop(15)
    assert found == expected


@pytest.mark.parametrize("size", [5, 50_000])
def test_a_stored_value_reaches_every_task_and_tasks_run_elsewhere(ray_executor: Executor, size: int) -> None:
    """A small one goes along with each task: Ray is slow to hand out tasks that differ in stored objects."""
    stored = ray_executor.put(np.arange(float(size)))
    assert isinstance(stored, ray.ObjectRef) == (size > 5)
    tasks = [ray_executor.submit(f"shift {shift}", _shifted, stored, shift) for shift in range(3)]
    last = ray_executor.submit("shift again", _shifted, tasks[2], 10)  # a task's result as an argument
    tasks.append(last)
    values = {}
    waiting = list(tasks)
    while waiting:
        for finished in ray_executor.next_finished(waiting):
            assert finished.failure is None
            waiting.remove(finished.task)
            values[tasks.index(finished.task)] = ray_executor.value(finished.task)
    assert [values[position][0].tolist()[0] for position in range(4)] == [0.0, 1.0, 2.0, 12.0]
    assert all(process != os.getpid() for _, process in values.values())


def _shifted(value: Any, shift: int) -> tuple[np.ndarray, int]:
    array = value[0] if isinstance(value, tuple) else value
    return array + shift, os.getpid()


def test_ray_knows_every_task_by_its_name(ray_executor: Executor) -> None:
    """What `ray list tasks` and the timeline show: asked for in the worker itself."""
    name = "explore bandit_rl/taxation a=3 r=0-63"
    task = ray_executor.submit(name, _own_name)
    ray_executor.next_finished([task])
    assert ray_executor.value(task) == name


def _own_name() -> str | None:
    import ray

    return ray.get_runtime_context().get_task_name()


def test_workers_use_one_thread_each(ray_executor: Executor) -> None:
    """Ray sets OMP_NUM_THREADS to the CPUs of a task."""
    task = ray_executor.submit("threads", os.environ.get, "OMP_NUM_THREADS")
    ray_executor.next_finished([task])
    assert ray_executor.value(task) == "1"


def test_an_address_where_no_cluster_is(ray_executor: Executor) -> None:
    """Whatever Ray says about it comes back as one sentence; the running session is left alone."""
    settings = ExecutionSettings(kind="cluster", address="127.0.0.1:1")
    with pytest.raises(InputError, match=r"^cannot reach a Ray cluster at 127\.0\.0\.1:1"):
        start_executor(settings)
    assert ray_executor.workers == 2


@pytest.mark.parametrize(
    ("cpus", "memory", "sentence"),
    [
        (3.0, None, r"cpus_per_task: found 3\.0, allowed: at most 2, .*wait_for_nodes"),
        (1.0, 2**60, r"memory_per_task: found \d+, allowed: at most \d+, what a node with 1 CPUs has"),
    ],
)
def test_a_task_that_fits_on_no_node_is_refused(
    ray_executor: Executor, cpus: float, memory: int | None, sentence: str
) -> None:
    """On a cluster of two CPUs, asked as clusters by address are; Ray itself would wait for ever."""
    from stackel_bench.execution.ray.requirements import require_room

    with pytest.raises(InputError, match=sentence):
        require_room(cpus, memory)
    require_room(2.0, 1)


IMPORTED_BEFORE = """
import ray
from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.execution.start import start_executor
import os
from pathlib import Path
from stackel_bench.execution.ray.token import asks_for_token
executor = start_executor(ExecutionSettings(kind="local", num_cpus=1))
task = executor.submit("abs", abs, -3)
assert executor.next_finished([task])[0].failure is None
print(executor.value(task), asks_for_token(), len(os.environ["RAY_AUTH_TOKEN"]))
executor.shutdown()
print(os.environ["RAY_AUTH_TOKEN"], list(Path.home().rglob("*token*")))
"""


def test_private_clusters_have_fresh_tokens_and_no_token_file(tmp_path: Path) -> None:
    """Also where somebody has imported ray before: the mode is read at import, and must hold for all."""
    environment = {key: value for key, value in os.environ.items() if key != "RAY_AUTH_MODE"}
    environment |= {"HOME": str(tmp_path), "RAY_AUTH_TOKEN": "of another cluster, for later"}
    program = [sys.executable, "-c", IMPORTED_BEFORE]
    ended = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120)
    assert ended.stdout == "3 True 64\nof another cluster, for later []\n", ended.stderr


def test_ray_is_not_shut_down_under_a_call_into_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that counts CPUs is inside Ray when the executor ends: that call comes back first."""
    from stackel_bench.execution.ray import executor

    inside, release, order = threading.Event(), threading.Event(), []

    def cluster_resources() -> dict[str, float]:
        inside.set()
        release.wait(30)
        order.append("counted")
        return {"CPU": 3.0}

    monkeypatch.setattr(executor, "_COUNT_SECONDS", 0.01)
    monkeypatch.setattr(executor.ray, "cluster_resources", cluster_resources)
    monkeypatch.setattr(executor.ray, "shutdown", lambda: order.append("shut down"))
    ending: Any = object.__new__(executor.RayExecutor)
    ending._ended, ending._token = threading.Event(), None
    ending._counting = threading.Thread(target=ending._count, daemon=True)
    ending._counting.start()
    assert inside.wait(30)
    threading.Timer(0.2, release.set).start()
    ending.shutdown()
    assert set(order[:-1]) == {"counted"}, "on a busy machine it may count twice before the end is asked for"
    assert order[-1] == "shut down"
