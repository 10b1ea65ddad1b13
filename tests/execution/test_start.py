"""The executor that a configuration asks for, and configurations that cannot be meant."""

from __future__ import annotations

import copy
import dataclasses
import socket
import threading
from typing import Any

import pytest

from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.errors import InputError
from stackel_bench.execution.executor import SerialExecutor
from stackel_bench.execution.start import (
    require_reachable,
    require_shippable,
    start_executor,
    validate_execution,
)
from stackel_bench.outside.code import Code
from tests.execution.small_trials import bandit_trials


def config(**values: Any) -> Any:
    return ExecutionSettings(**values)


def test_a_private_ray_without_authentication_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with pytest.raises(InputError, match="RAY_AUTH_MODE: found 'disabled'"):
        validate_execution(config(kind="local"))
    with pytest.raises(InputError, match="RAY_AUTH_MODE: found 'disabled'"):
        validate_execution(config(kind="cluster", address="auto"))
    validate_execution(config(kind="cluster", address="auto", allow_unauthenticated=True))
    validate_execution(config(kind="serial"))


def test_serial_needs_no_ray() -> None:
    settings = config(kind="serial")
    validate_execution(settings)
    require_reachable(settings)
    assert isinstance(start_executor(settings), SerialExecutor)


def test_what_cannot_be_sent_to_workers_is_told_before_they_get_anything() -> None:
    """A simulator may hold a lock, a socket or a database; in this process that does no harm."""
    trial = bandit_trials()[0]
    require_shippable([trial])
    locked = copy.copy(trial.game)
    object.__setattr__(locked, "lock", threading.Lock())
    mine = dataclasses.replace(trial, game=locked, code=Code(prompt=("typed",)))
    with pytest.raises(InputError, match=r"cannot send bandit/random .* cannot pickle .*serial"):
        require_shippable([trial, mine])


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"kind": "remote"}, "execution"),
        ({"batch_seconds": 0.0}, "execution.batch_seconds"),
        ({"batch_seconds": float("nan")}, "execution.batch_seconds"),
        ({"cpus_per_task": -1.0}, "execution.cpus_per_task"),
        ({"num_cpus": 0}, "execution.num_cpus"),
        ({"memory_per_task": 0}, "execution.memory_per_task"),
        ({"kind": "serial", "num_cpus": 2}, "execution.num_cpus"),
        ({"kind": "serial", "cpus_per_task": 2.0}, "execution.cpus_per_task"),
        ({"allow_unauthenticated": True}, "execution.allow_unauthenticated"),
        ({"kind": "cluster"}, "execution.address"),
        ({"kind": "local", "address": "host:6379"}, "execution.address"),
        ({"kind": "cluster", "address": "host"}, "execution.address"),
        ({"kind": "cluster", "address": "host:port"}, "execution.address"),
        ({"kind": "cluster", "address": ":6379"}, "execution.address"),
        ({"kind": "cluster", "address": "host:99999"}, "execution.address"),
    ],
)
def test_settings_that_cannot_be_meant(values: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        validate_execution(config(**values))
    assert caught.value.field == field


def test_an_address_where_nobody_listens_is_refused_at_once() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, not listening
        address = f"127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(InputError, match="cannot reach a Ray cluster at"):
            require_reachable(config(kind="cluster", address=address))


def test_an_address_where_somebody_listens_passes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        require_reachable(config(kind="cluster", address=address))
        with pytest.raises(InputError, match="from outside, `ray job submit`"):
            validate_execution(config(kind="cluster", address=f"ray://{address}"))
    require_reachable(config(kind="cluster", address="auto"))  # Ray itself finds out
