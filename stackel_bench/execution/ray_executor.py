"""Tasks on Ray: a private local cluster by default, any cluster by address. Nothing else imports ray."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

# Read when ray is imported: token authentication stays on, usage reports stay off. Where somebody has
# imported ray before, it keeps the mode that it has: this process and the ones it starts must agree.
if "ray" not in sys.modules:
    os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
# By default a task that runs out of memory is retried for ever, and a node whose network is cut off is
# waited for during seven minutes.
os.environ.setdefault("RAY_task_oom_retries", "3")
os.environ.setdefault("RAY_grpc_client_keepalive_time_ms", "5000")
os.environ.setdefault("RAY_grpc_client_keepalive_timeout_ms", "5000")
# Ray ends this process without a word when the head has been away for so long; we end it earlier.
os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "180")

import ray
import ray.cloudpickle
import ray.exceptions

from stackel_bench import __version__
from stackel_bench.errors import InputError, UnavailableError
from stackel_bench.execution.cluster_watch import WATCH_SECONDS, Address, ClusterWatch
from stackel_bench.execution.executor import ClusterLostError, Finished, Task
from stackel_bench.execution.ray_token import FreshToken, asks_for_token
from stackel_bench.outside import patience
from stackel_bench.outside.code import versions_used
from stackel_bench.outside.sources import Sources, install, installed_sources
from stackel_bench.text import printable
from stackel_bench.trials.trial import Failure

_LOST = (
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.ObjectLostError,
)
_COUNT_SECONDS = 2.0  # between two counts of the cluster's CPUs
_LOST_SECONDS = 60.0  # without an answer from the head, after which the cluster is gone ...
_PRIVATE_LOST_SECONDS = 10.0  # ... and a private one, whose head nobody starts again
_MOST_AT_ONCE = 64  # tasks whose results are asked for, and then kept, together
_PROBE_SECONDS = 30.0  # that a cluster has for its first small task
_LESS_MEMORY = (
    "lower execution.num_cpus (fewer tasks at once), set execution.memory_per_task, or choose a smaller game"
)


@dataclass(frozen=True)
class _RayTask:
    """The two results of a task as separate objects, so that large values are never fetched in vain."""

    name: str
    seconds: ray.ObjectRef[Any]
    value: ray.ObjectRef[Any]


class _Shipped:
    """An argument that brings along the sources of the modules that unpickling and using it imports."""

    def __init__(self, value: Any, sources: Sources) -> None:
        self._value, self._sources = value, sources

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Sources, bytes]]:
        return _unpack, (dict(self._sources), ray.cloudpickle.dumps(self._value))


def _unpack(sources: Sources, content: bytes) -> Any:
    install(sources)
    return ray.cloudpickle.loads(content)


def _shipped(value: Any) -> Any:
    """The value, ready for a worker that lacks the files that this process has loaded."""
    sources = installed_sources()
    return _Shipped(value, sources) if sources else value


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    patience.expendable = True
    start = time.perf_counter()
    value = function(*arguments)
    return time.perf_counter() - start, value


def _import_package() -> None:
    """Import what tasks need."""
    import stackel_bench.families.registry
    import stackel_bench.trials.pieces  # noqa: F401


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
            what, why = f"reach a Ray cluster at {address}", _first_line(error)
            raise UnavailableError("execution.address", what, why) from error
        options: dict[str, Any] = {"num_cpus": cpus_per_task, "num_returns": 2}
        if memory_per_task is not None:
            options["memory"] = memory_per_task
        self._timed, self._options = ray.remote(_timed), options
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
                _require_room(cpus_per_task, memory_per_task)
            _require_package(address, allow_unauthenticated)
        else:  # nobody waits for these: workers import while this process prepares the work
            importing = ray.remote(num_cpus=cpus_per_task)(_import_package).options(name="import")
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
        return ray.put(_shipped(value))

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Start a Ray task; its name is what Ray's dashboard, `ray list tasks` and the timeline show."""
        self._watch.look_at_node()
        resolved = [
            a.value if isinstance(a, _RayTask) else a if isinstance(a, ray.ObjectRef) else _shipped(a)
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
            return Finished(task, 0.0, Failure(_first_line(error.cause), _plain(error)))
        except ray.exceptions.LocalRayletDiedError as error:
            raise ClusterLostError(f"the Ray node of this machine died, {self.place}") from error
        except ray.exceptions.RayError as error:
            return Finished(
                task, 0.0, Failure(_advice(error, task.name), _plain(error)), isinstance(error, _LOST)
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


def _require_room(cpus: float, memory: int | None) -> None:
    """Raise an InputError where no node of the cluster could ever run a task; Ray would wait for ever."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    wait = "or set execution.wait_for_nodes=true if larger nodes will join"
    with_cpus = [node for node in nodes if node.get("CPU", 0) >= cpus]
    if not with_cpus:
        most = max((node.get("CPU", 0) for node in nodes), default=0)
        allowed = f"at most {most:g}, the CPUs of the cluster's largest node, {wait}"
        raise InputError("execution.cpus_per_task", cpus, allowed)
    most = max(node.get("memory", 0) for node in with_cpus)
    if memory is not None and memory > most:
        allowed = f"at most {most:.0f}, what a node with {cpus:g} CPUs has, {wait}"
        raise InputError("execution.memory_per_task", memory, allowed)


def _worker_facts(names: tuple[str, ...]) -> tuple[dict[str, str], bool]:
    """The versions of this package and of plug-ins where this runs, and whether Ray asks for a token."""
    found = {"stackel_bench": __version__}  # shipped by runtime_env, the package may have no metadata
    for name in names:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found, asks_for_token()


def _require_package(address: str, allow_unauthenticated: bool) -> None:
    """Raise an InputError where workers lack this package or a plug-in, or have another version of it.

    And where anybody who reaches the cluster may run code on it, unless that is allowed.
    """
    here = {"stackel_bench": __version__, **versions_used()}
    wanted = ", ".join(f"{name} {number}" for name, number in here.items())
    allowed = f"a cluster whose workers can import {wanted} (installed, or by execution.runtime_env)"
    probe = ray.remote(num_cpus=0)(_worker_facts).remote(tuple(versions_used()))
    try:
        there, has_token = ray.get(probe, timeout=_PROBE_SECONDS)
    except ray.exceptions.GetTimeoutError:
        return  # no worker yet; an autoscaler may be starting one
    except ray.exceptions.RayError as error:
        raise InputError("execution.address", address, f"{allowed}; {_last_line(error)}") from error
    if not has_token and not allow_unauthenticated:
        found = f"{address}, a cluster without token authentication"
        allowed = (
            "a cluster that was started with RAY_AUTH_MODE=token; on this one anybody who reaches it can run "
            "code, also on what you send there (execution.allow_unauthenticated=true joins it all the same)"
        )
        raise InputError("execution.address", found, allowed)
    if there != here:
        found = ", ".join(f"{name} {there.get(name, 'missing')}" for name in here)
        raise InputError("execution.address", address, f"{allowed}; found {found}")


def _advice(error: BaseException, task: str) -> str:
    """What happened to a task that Ray gave up after its retries, and what to do about it."""
    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return f"OutOfMemoryError: a worker ran out of memory; {_LESS_MEMORY}"
    if isinstance(error, ray.exceptions.WorkerCrashedError):
        return (
            f"WorkerCrashedError: every worker that ran '{task}' was killed or crashed, or hung in compiled "
            f"code; if the system did that for want of memory, {_LESS_MEMORY}"
        )
    return _first_line(error)


def _plain(error: BaseException) -> str:
    """The message without terminal colours."""
    return printable(re.sub("\x1b\\[[0-9;]*m", "", str(error)).strip())


def _last_line(error: BaseException) -> str:
    return (_plain(error).splitlines() or [""])[-1].strip()


def _first_line(error: BaseException) -> str:
    lines = _plain(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"
