"""The executor whose tasks are Ray's: on a private local cluster by default, on any cluster by address."""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import ray
import ray.exceptions

from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.errors import InputError, UnavailableError
from stackel_bench.execution.executor import ClusterLostError, Finished, Task
from stackel_bench.execution.ray.messages import LOST, advice, first_line, plain
from stackel_bench.execution.ray.requirements import require_package, require_room
from stackel_bench.execution.ray.shipping import Inline, import_package, pickled, shipped, timed
from stackel_bench.execution.ray.token import FreshToken
from stackel_bench.execution.ray.watch import WATCH_SECONDS, Address, ClusterWatch
from stackel_bench.trials.trial import Failure

_COUNT_SECONDS = 2.0  # between two counts of the cluster's CPUs
_LAST_COUNT_SECONDS = 5.0  # for a count to come back before the connection is closed
_LOST_SECONDS = 60.0  # without an answer from the head, after which the cluster is gone ...
_PRIVATE_LOST_SECONDS = 10.0  # ... and a private one, whose head nobody starts again
_READY_SECONDS = 30.0  # for workers to start before they get work anyway
_SMALL_BYTES = 50_000  # of a value that is not worth a place in the object store
_MOST_AT_ONCE = 64  # tasks whose results are asked for, and then kept, together


@dataclass(frozen=True)
class _RayTask:
    """The two results of a task as separate objects, so that large values are never fetched in vain."""

    name: str
    seconds: ray.ObjectRef[Any]
    value: ray.ObjectRef[Any]


class RayExecutor:
    """Ray tasks of one CPU each; Ray itself retries after the loss of a worker or a node."""

    def __init__(self, settings: ExecutionSettings) -> None:
        """Start a private cluster for execution=local, or join the one at the address."""
        is_private, memory = settings.kind == "local", settings.memory_per_task
        self._cpus_per_task = settings.cpus_per_task
        self._token = FreshToken() if is_private else None
        self._importing: list[ray.ObjectRef[Any]] = []
        dashboard = self._connect(settings)
        self._timed = ray.remote(timed)
        self._options: dict[str, Any] = {"num_cpus": self._cpus_per_task, "num_returns": 2}
        if memory is not None:
            self._options["memory"] = memory
        resources = ray.cluster_resources()
        self._cpus = resources.get("CPU", 1)
        head, node = _addresses()
        if is_private:
            if memory is not None and memory > resources["memory"]:  # it would wait for ever
                allowed = f"at most {resources['memory']:.0f}, the memory here that Ray gives to tasks"
                raise InputError("execution.memory_per_task", memory, allowed)
            self.place = f"on a private Ray cluster of this machine{dashboard}"
            patience = _PRIVATE_LOST_SECONDS
            # Workers import while this process prepares the work.
            self._importing = [self._start("import", import_package).seconds for _ in range(self.workers)]
        else:
            self.place, patience = f"on the Ray cluster at {head[0]}:{head[1]}", _LOST_SECONDS
            if not settings.wait_for_nodes:
                require_room(self._cpus_per_task, memory)
            require_package(settings.address or "auto", settings.allow_unauthenticated)
        self._watch = ClusterWatch(head, node, self.place, patience)
        self._ended = threading.Event()
        self._counting = threading.Thread(target=self._count, name="ray-cpus", daemon=True)
        self._counting.start()

    def _connect(self, settings: ExecutionSettings) -> str:
        """How to ask the dashboard, if there is one."""
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        address = settings.address or "auto"
        if self._token is not None:
            address = "local"
            options |= {"num_cpus": settings.num_cpus, "include_dashboard": settings.dashboard}
            options["dashboard_host"] = "127.0.0.1"
        try:
            with _own_signal_handlers():
                context = ray.init(address=address, runtime_env=dict(settings.runtime_env), **options)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            if self._token is not None:
                self._token.forget()
                raise
            what, why = f"reach a Ray cluster at {address}", first_line(error)
            raise UnavailableError("execution.address", what, why) from error
        if self._token is None or not settings.dashboard or not context.dashboard_url:
            return ""
        url, words = f"http://{context.dashboard_url}", "RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="
        return f" (dashboard {url}; {words}{self._token.file()} ray list tasks --address {url})"

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

    def wait_until_ready(self) -> None:
        """Until the workers of a private cluster have imported what they need; others come and go."""
        if self._importing:
            ray.wait(self._importing, num_returns=len(self._importing), timeout=_READY_SECONDS)

    def put(self, value: Any) -> Task:
        """Store a value in the object store once; a small one goes along with its tasks.

        Ray gives a worker its next task without asking anybody only if both take the same stored objects.
        """
        self._watch.look_at_node()
        content = pickled(value)
        return Inline(content) if len(content) <= _SMALL_BYTES else ray.put(shipped(value))

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Start a Ray task; its name is what Ray's dashboard, `ray list tasks` and the timeline show."""
        self._watch.look_at_node()
        resolved = [
            a.value if isinstance(a, _RayTask) else a if isinstance(a, ray.ObjectRef | Inline) else shipped(a)
            for a in arguments
        ]
        return self._start(name, function, *resolved)

    def _start(self, name: str, function: Callable[..., Any], *arguments: Any) -> _RayTask:
        return _RayTask(name, *self._timed.options(name=name, **self._options).remote(function, *arguments))

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
        self._counting.join(_LAST_COUNT_SECONDS)  # a call into Ray during its shutdown can crash the process
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
