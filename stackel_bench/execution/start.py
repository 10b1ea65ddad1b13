"""The executor that a configuration asks for."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec

from stackel_bench import checks
from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.errors import InputError
from stackel_bench.execution.executor import Executor, SerialExecutor

CONNECT_SECONDS = 10.0
FAN_OUTS = ("leader_action", "auto")


def validate_execution(config: ExecutionSettings) -> None:
    """Raise an InputError where the group execution/ cannot be meant; asks nobody."""
    checks.choice("execution", config.kind, ("local", "cluster", "serial"))
    if config.fan_out is not None:
        checks.choice("execution.fan_out", config.fan_out, FAN_OUTS)
    if config.dashboard and config.kind != "local":
        raise InputError("execution.dashboard", True, "false unless execution=local; a cluster has its own")
    if config.dashboard and find_spec("aiohttp_cors") is None:  # comes with ray[default] only
        allowed = "false, or the extra that brings Ray's dashboard: pip install 'stackel_bench[cluster]'"
        raise InputError("execution.dashboard", True, allowed)
    if config.wait_for_nodes and config.kind != "cluster":
        raise InputError("execution.wait_for_nodes", True, "false unless execution=cluster")
    checks.real("execution.batch_seconds", config.batch_seconds, least=0, open_least=True)
    checks.real("execution.cpus_per_task", config.cpus_per_task, least=0, open_least=True)
    if config.num_cpus is not None:
        checks.integer("execution.num_cpus", config.num_cpus, least=1)
    if config.memory_per_task is not None:
        checks.integer("execution.memory_per_task", config.memory_per_task, least=1)
    if config.kind == "local":
        total = config.num_cpus or os.cpu_count() or 1
        if config.cpus_per_task > total:
            raise InputError(
                "execution.cpus_per_task", config.cpus_per_task, f"at most {total}, the CPUs here"
            )
    if config.kind != "cluster" and config.runtime_env:
        raise InputError("execution.runtime_env", dict(config.runtime_env), "{} unless execution=cluster")
    if config.kind == "cluster" and not config.address:
        raise InputError("execution.address", config.address, "HOST:PORT of a Ray cluster, or auto")
    if config.kind != "cluster" and config.address:
        allowed = "null unless execution=cluster"
        raise InputError("execution.address", config.address, allowed)
    if config.kind == "cluster" and config.address != "auto":
        _host_and_port(config.address or "")


def require_reachable(config: ExecutionSettings) -> None:
    """Raise an InputError at once where nothing listens; Ray itself would wait for a long time."""
    if config.kind != "cluster" or config.address == "auto":
        return
    try:
        socket.create_connection(_host_and_port(config.address or ""), timeout=CONNECT_SECONDS).close()
    except (OSError, UnicodeError) as error:
        allowed = f"the address of a running Ray cluster ({error})"
        raise InputError("execution.address", config.address, allowed) from error


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if "://" in address:  # Ray's client loses its work with its connection
        allowed = "HOST:PORT on a machine of the cluster, or auto; from outside, `ray job submit`"
        raise InputError("execution.address", address, allowed)
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError("execution.address", address, "HOST:PORT of a running Ray cluster, or auto")
    return host, int(port)


def start_executor(config: ExecutionSettings) -> Executor:
    """Serial, a private local Ray, or a Ray cluster by address."""
    if config.kind == "serial":
        return SerialExecutor()
    from stackel_bench.execution.ray_executor import RayExecutor  # importing ray takes a second

    return RayExecutor(
        address="local" if config.kind == "local" else config.address or "auto",
        num_cpus=config.num_cpus,
        cpus_per_task=config.cpus_per_task,
        memory_per_task=config.memory_per_task,
        runtime_env=config.runtime_env,
        dashboard=config.dashboard,
        wait_for_nodes=config.wait_for_nodes,
    )
