"""The executor that a configuration asks for."""

import dataclasses
import os
import socket
from collections.abc import Iterable
from importlib.util import find_spec

from stackel_bench import checks
from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.errors import InputError, NoEffectError, UnavailableError
from stackel_bench.execution.executor import Executor, SerialExecutor
from stackel_bench.trials.trial import Trial

CONNECT_SECONDS = 10.0
SMALL_SECONDS = 10.0  # of one worker; starting Ray and its workers takes about as long
FAN_OUTS = ("leader_action", "auto")


def validate_execution(config: ExecutionSettings) -> None:
    """Raise an InputError if the settings are inconsistent; no network access."""
    checks.choice("execution", config.kind, ("auto", "local", "cluster", "serial"))
    if config.fan_out is not None:
        checks.choice("execution.fan_out", config.fan_out, FAN_OUTS)
    if config.dashboard and config.kind not in ("auto", "local"):
        raise NoEffectError("execution.dashboard", "only execution=local starts one; a cluster has its own")
    if config.dashboard and find_spec("aiohttp_cors") is None:  # comes with ray[default] only
        why = "it is not installed"
        remedy = "Type pip install 'stackel_bench[cluster]'"
        raise UnavailableError("execution.dashboard", "start Ray's dashboard", why, remedy)
    for name in ("wait_for_nodes", "allow_unauthenticated", "runtime_env", "address"):
        if getattr(config, name) and config.kind != "cluster":
            raise NoEffectError(f"execution.{name}", "only execution=cluster uses it")
    for name, usual in (("num_cpus", None), ("cpus_per_task", 1), ("memory_per_task", None)):
        if config.kind == "serial" and getattr(config, name) != usual:
            reason = "execution=serial computes in this process; type execution=local for workers of Ray"
            raise NoEffectError(f"execution.{name}", reason)
    mode = os.environ.get("RAY_AUTH_MODE", "token")
    if config.kind != "serial" and mode.lower() != "token" and not config.allow_unauthenticated:
        allowed = "unset or token: on a Ray without authentication anybody who reaches it runs code"
        raise InputError("RAY_AUTH_MODE", mode, f"{allowed} (a cluster: execution.allow_unauthenticated)")
    for name in ("batch_seconds", "piece_seconds", "cpus_per_task"):
        checks.real(f"execution.{name}", getattr(config, name), least=0, open_least=True)
    for name in ("num_cpus", "memory_per_task"):
        if getattr(config, name) is not None:
            checks.integer(f"execution.{name}", getattr(config, name), least=1)
    here = config.num_cpus or os.cpu_count() or 1
    if config.kind in ("auto", "local") and config.cpus_per_task > here:
        raise InputError("execution.cpus_per_task", config.cpus_per_task, f"at most {here}, the CPUs here")
    if config.kind == "cluster" and config.address != "auto":
        _host_and_port(config.address or "")


def require_reachable(config: ExecutionSettings) -> None:
    """Raise an InputError at once where nothing listens; Ray itself would wait for a long time."""
    if config.kind != "cluster" or config.address == "auto":
        return
    try:
        socket.create_connection(_host_and_port(config.address or ""), timeout=CONNECT_SECONDS).close()
    except (OSError, UnicodeError) as error:
        what = f"reach a Ray cluster at {config.address}"
        raise UnavailableError("execution.address", what, error) from error


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if "://" in address:  # Ray's client loses its work with its connection
        allowed = "HOST:PORT on a machine of the cluster, or auto; from outside, `ray job submit`"
        raise InputError("execution.address", address, allowed)
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError("execution.address", address or None, "HOST:PORT of a Ray cluster, or auto")
    return host, int(port)


def chosen_execution(config: ExecutionSettings, seconds: float) -> ExecutionSettings:
    """auto decided for work of so many seconds; options that only Ray has are a wish for Ray."""
    if config.kind != "auto":
        return config
    plain = ExecutionSettings(batch_seconds=config.batch_seconds, runtime_env=config.runtime_env)
    return dataclasses.replace(
        config, kind="serial" if seconds <= SMALL_SECONDS and config == plain else "local"
    )


def require_shippable(trials: Iterable[Trial]) -> None:
    """Raise an InputError where a game or a learner from outside cannot be sent to Ray's workers."""
    from stackel_bench.execution.ray.shipping import pickled  # importing ray takes a second

    seen: set[int] = set()
    for trial in trials:
        for key, thing in (("game", trial.game), ("algorithm", trial.learner)):
            if trial.code.identity and id(thing) not in seen:
                seen.add(id(thing))
                try:
                    pickled(thing)
                except Exception as error:  # whatever its code says
                    what = f"send {thing.name} to Ray's workers"
                    raise UnavailableError(
                        key, what, error, "Type execution=serial to compute here"
                    ) from error


def start_executor(config: ExecutionSettings) -> Executor:
    """Serial, a private local Ray, or a Ray cluster by address."""
    if config.kind == "serial":
        return SerialExecutor()
    if config.allow_unauthenticated:  # read when ray is imported; workers without a token must reach us too
        os.environ["RAY_AUTH_MODE"] = "disabled"
    from stackel_bench.execution.ray.executor import RayExecutor  # importing ray takes a second

    return RayExecutor(config)
