"""Where work runs if nothing is typed: in the process if starting Ray would take longer."""

from __future__ import annotations

import dataclasses

import pytest

from stackel_bench.config.compose import Composer
from stackel_bench.config.settings import ExecutionSettings, Settings
from stackel_bench.execution.start import SMALL_SECONDS, chosen_execution


def asked(*words: str) -> ExecutionSettings:
    return Settings.of(Composer().compose(list(words))).execution


@pytest.mark.parametrize(
    ("words", "seconds", "kind"),
    [
        ((), SMALL_SECONDS / 2, "serial"),
        ((), SMALL_SECONDS * 2, "local"),
        (("execution=local",), 0.1, "local"),
        (("execution=serial",), 1e6, "serial"),
        (("execution.num_cpus=2",), 0.1, "local"),  # only Ray has CPUs
        (("execution.fan_out=leader_action",), 0.1, "local"),
        (("execution.batch_seconds=3",), 0.1, "serial"),
    ],
)
def test_small_work_stays_here_unless_ray_is_asked_for(
    words: tuple[str, ...], seconds: float, kind: str
) -> None:
    chosen = chosen_execution(asked(*words), seconds)
    assert chosen.kind == kind
    assert dataclasses.replace(chosen, kind="auto") == dataclasses.replace(asked(*words), kind="auto")
