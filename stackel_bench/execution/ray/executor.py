"""The executor whose tasks are Ray's: on a private local cluster by default, on any cluster by address."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ray
import ray.exceptions

from stackel_bench.errors import InputError, UnavailableError
from stackel_bench.execution.executor import ClusterLostError, Finished, Task
from stackel_bench.execution.ray.messages import LOST, advice, first_line, plain
from stackel_bench.execution.ray.requirements import require_package, require_room
from stackel_bench.execution.ray.shipping import import_package, shipped, timed
from stackel_bench.execution.ray.token import FreshToken
from stackel_bench.execution.ray.watch import WATCH_SECONDS, Address, ClusterWatch
from stackel_bench.trials.trial import Failure

_COUNT_SECONDS = 2.0  # between two counts of the cluster's CPUs
_LOST_SECONDS = 60.0  # without an answer from the head, after which the cluster is gone ...
_PRIVATE_LOST_SECONDS = 10.0  # ... and a private one, whose head nobody starts again
_MOST_AT_ONCE = 64  # tasks whose results are asked for, and then kept, together


@dataclass(frozen=True)
class _RayTask:
    """The two results of a task as separate objects, so that large values are never fetched in vain."""

    name: str
    seconds: ray.ObjectRef[Any]
    value: ray.ObjectRef[Any]


class RayExecutor:
    """Ray tasks of one CPU each; Ray itself retries after the loss of a worker or a node."""

    def __init__(
        self,
        address: str = "local",
        num_cpus: int | None = None,
        cpus_per_task: float = 1.0,
        memory_per_task: int | None = None,
        runtime_env: Mapping[str, Any] | None = None,
        dashboard: bool = False,
        wait_for_nodes: bool = False,
        allow_unauthenticated: bool = False,
    ) -> None:
        local: dict[str, Any] = {}
        self._token: FreshToken | None = None
        if address == "local":
            self._token = FreshToken()
            local = {"num_cpus": num_cpus, "include_dashboard": dashboard, "dashboard_host": "127.0.0.1"}
        try:
            with _own_signal_handlers():
                context = ray.init(
                    address=address,
                    log_to_driver=False,
                    logging_level=logging.CRITICAL,
                    runtime_env=dict(runtime_env or {}),
                    **local,
                )
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            if self._token is not None:
                self._token.forget()
                raise
            what, why = f"reach a Ray cluster at {address}", first_line(error)
            raise UnavailableError("execution.address", what, why) from error
        options: dict[str, Any] = {"num_cpus": cpus_per_task, "num_returns": 2}
        if memory_per_task is not None:
            options["memory"] = memory_per_task
        self._timed, self._options = ray.remote(timed), options
        self._cpus_per_task = cpus_per_task
        resources = ray.cluster_resources()
        self._cpus = resources.get("CPU", 1)
        if address == "local" and memory_per_task is not None and memory_per_task > resources["memory"]:
            allowed = f"at most {resources['memory']:.0f}, the memory here that Ray gives to tasks"
            raise InputError("execution.memory_per_task", memory_per_task, allowed)  # it would wait for ever
        head, node = _addresses()
        self.place = "on a private Ray cluster of this machine"
        if self._token is not None and dashboard and context.dashboard_url:
            url, words = f"http://{context.dashboard_url}", "RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="
            self.place += f" (dashboard {url}; {words}{self._token.file()} ray list tasks --address {url})"
        patience = _PRIVATE_LOST_SECONDS
        if address != "local":
            self.place, patience = f"on the Ray cluster at {head[0]}:{head[1]}", _LOST_SECONDS
            if not wait_for_nodes:
                require_room(cpus_per_task, memory_per_task)
            require_package(address, allow_unauthenticated)
        else:  # nobody waits for these: workers import while this process prepares the work
            importing = ray.remote(num_cpus=cpus_per_task)(import_package).options(name="import")
            self._importing = [importing.remote() for _ in range(self.workers)]
        self._watch = ClusterWatch(head, node, self.place, patience)
        self._ended = threading.Event()
        threading.Thread(target=self._count, name="ray-cpus", daemon=True).start()

    @property
    def workers(self) -> int:
        """How many tasks fit on the cluster as it is now."""
        return max(1, int(self._cpus / self._cpus_per_task))

    def _count(self) -> None:
        """Count the cluster's CPUs again and again; in a thread, since a head that is gone never answers."""
        while not self._ended.wait(_COUNT_SECONDS):
            try:
                self._cpus = ray.cluster_resources().get("CPU", 1)
            except Exception:  # whatever a cluster says that is going away
                continue

    def put(self, value: Any) -> Task:
        """Store a value in the object store once."""
        self._watch.look_at_node()
        return ray.put(shipped(value))

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Start a Ray task; its name is what Ray's dashboard, `ray list tasks` and the timeline show."""
        self._watch.look_at_node()
        resolved = [
            a.value if isinstance(a, _RayTask) else a if isinstance(a, ray.ObjectRef) else shipped(a)
            for a in arguments
        ]
        return _RayTask(name, *self._timed.options(name=name, **self._options).remote(function, *resolved))

    def clock(self) -> float:
        """This machine's."""
        return time.perf_counter()

    def next_finished(self, tasks: Collection[Task]) -> list[Finished]:
        """Wait until a task has ended; those that have, but not so many that the others wait for new work."""
        by_reference = {task.seconds: task for task in tasks}
        done = self._wait(list(by_reference))[:_MOST_AT_ONCE]
        self._watch.look_at_node()
        return [self._finished(by_reference[reference]) for reference in done]

    def _finished(self, task: _RayTask) -> Finished:
        try:
            return Finished(task, float(ray.get(task.seconds)))
        except ray.exceptions.RayTaskError as error:
            return Finished(task, 0.0, Failure(first_line(error.cause), plain(error)))
        except ray.exceptions.LocalRayletDiedError as error:
            raise ClusterLostError(f"the Ray node of this machine died, {self.place}") from error
        except ray.exceptions.RayError as error:
            return Finished(
                task, 0.0, Failure(advice(error, task.name), plain(error)), isinstance(error, LOST)
            )

    def _wait(self, references: list[ray.ObjectRef[Any]]) -> list[ray.ObjectRef[Any]]:
        """All that are there once there is one."""
        while True:
            self._watch.look()
            done, _ = ray.wait(references, num_returns=1, timeout=WATCH_SECONDS, fetch_local=False)
            if done:
                return ray.wait(references, num_returns=len(references), timeout=0, fetch_local=False)[0]

    def value(self, task: Task) -> Any:
        """Fetch a result."""
        self._watch.look_at_node()
        return ray.get(task.value)

    def shutdown(self) -> None:
        """Disconnect, and stop the private cluster if there is one."""
        self._ended.set()
        ray.shutdown()
        if self._token is not None:
            self._token.forget()


@contextlib.contextmanager
def _own_signal_handlers() -> Iterator[None]:
    """Keep our handler of SIGTERM: ray.init installs one that leaves without a word."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    except SystemExit as error:  # by Ray's handler, while it starts
        raise KeyboardInterrupt from error
    finally:
        if in_main_thread:
            signal.signal(signal.SIGTERM, handler)


def _addresses() -> tuple[Address, Address]:
    """The head of the cluster, and its node on this machine."""
    context = ray.get_runtime_context()
    host, _, port = context.gcs_address.rpartition(":")
    (own,) = (node for node in ray.nodes() if node["NodeID"] == context.get_node_id())
    return (host, int(port)), (own["NodeManagerAddress"], own["NodeManagerPort"])
