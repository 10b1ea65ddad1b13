"""The settings that all cells of a sweep share: where it runs, where it is logged, what is left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stackel_bench.options import build, converted, option, options_of


@dataclass(frozen=True)
class ExecutionSettings:
    """Group execution/."""

    kind: str = option("auto", "auto, local, cluster or serial")
    address: str | None = option(None, "HOST:PORT of a Ray cluster, or auto (cluster only)")
    num_cpus: int | None = option(None, "CPUs of the private cluster (null: all of this machine)")
    cpus_per_task: float = option(1.0, "CPUs that one task takes")
    memory_per_task: int | None = option(None, "bytes of memory that one task reserves (null: none)")
    batch_seconds: float = option(1.0, "work is bundled or cut into tasks of about so many seconds")
    fan_out: str | None = option(
        None, "leader_action: one task per leader action; auto: small work is bundled; null: the game says"
    )
    piece_seconds: float = option(
        30.0,
        "a long run (of a program, or of rungs) is kept after about so many seconds: what a kill can cost",
    )
    dashboard: bool = option(False, "start Ray's dashboard on this machine (local only; extra `cluster`)")
    wait_for_nodes: bool = option(
        False, "wait where no node is large enough for a task yet, as with an autoscaler (cluster only)"
    )
    allow_unauthenticated: bool = option(
        False, "join a cluster on which anybody who reaches it can run code: no token (cluster only)"
    )
    runtime_env: dict[str, Any] = option(factory=dict, help="Ray's runtime_env (cluster only)")


@dataclass(frozen=True)
class TrackingSettings:
    """Group tracking/."""

    kind: str = option("local", "local, server or off")
    uri: str | None = option(None, "address of an MLflow tracking server (server only)")
    open_seconds: float = option(300.0, "seconds in all that opening the store and asking it may take")
    patience: float = option(60.0, "seconds that a finished sweep waits for a store that does not answer")


@dataclass(frozen=True)
class StudySettings:
    """Group study/; a grid maps override keys to a value or a list of values."""

    name: str = option("custom", "the name of the results, and of the experiment in MLflow")
    question: str = option("", "what is asked; shown in MLflow and in the report")
    vacuous: dict[str, str] = option(
        factory=dict, help="by game: why it is there although no answer can violate its guarantee"
    )
    grids: list[dict[str, Any]] = option(factory=list, help="products of overrides; all their cells are run")


@dataclass(frozen=True)
class CapSettings:
    """Keys cap.*: what one command may spend before it stops; what is finished is kept."""

    samples: int | None = option(None, "samples of all cells together; an episode is one sample")
    episodes: int | None = option(None, "episodes of all cells together")
    cpu_hours: float | None = option(None, "hours of computing, added up over all workers")


@dataclass(frozen=True)
class Settings:
    """Everything of the configuration that does not say which cells there are."""

    execution: ExecutionSettings
    tracking: TrackingSettings
    study: StudySettings
    cap: CapSettings
    output: str = "."
    dry_run: bool = False
    only: str | None = None
    limit: int | None = None
    shuffle: bool = False
    fail_fast: bool = False
    quiet: bool = False
    skip_invalid: bool = False

    @classmethod
    def of(cls, composed: Mapping[str, Any]) -> Settings:
        """The settings within a composed configuration, each value checked for its type."""
        return build(cls, {key: composed[key] for key in options_of(cls) if key in composed}, "")


CELL_SCALARS = {"tie_breaking": "pessimistic", "replicates": 200, "seed": 0}


def cell_scalar(name: str, composed: Mapping[str, Any]) -> Any:
    """tie_breaking, replicates or seed of a composed configuration, checked for its type."""
    default = CELL_SCALARS[name]
    return converted(name, composed.get(name, default), type(default))
