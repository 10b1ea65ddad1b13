"""Whether a cluster can run our tasks: a node that is large enough, this package on its workers, a token."""

import contextlib
from importlib.metadata import PackageNotFoundError, version

import ray
import ray.exceptions

from stackel_bench import __version__
from stackel_bench.errors import InputError
from stackel_bench.execution.ray.messages import last_line
from stackel_bench.execution.ray.token import asks_for_token
from stackel_bench.outside.code import versions_used

_PROBE_SECONDS = 30.0  # that a cluster has for its first small task


def require_room(cpus: float, memory: int | None) -> None:
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


def require_package(address: str, allow_unauthenticated: bool) -> None:
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
        raise InputError("execution.address", address, f"{allowed}; {last_line(error)}") from error
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
