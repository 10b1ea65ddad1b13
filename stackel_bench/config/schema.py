"""The types of every configuration value, so that a typo or a wrong type fails at composition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class AlgorithmConfig:
    """Group algorithm/."""

    name: str = "paper"
    explorer: str | None = None
    explorer_options: dict[str, Any] = field(default_factory=dict)
    printed_lp: bool | None = None
    robust_margin: bool | None = None
    time_limit: float | None = None
    which: str | None = None


@dataclass
class BudgetConfig:
    """Group budget/."""

    kind: str = "theory"
    epsilon: float = 0.1
    delta: float = 0.05
    scale: float = 1.0
    samples: int | None = None
    rungs: int = 8
    ratio: float = 4.0


@dataclass
class ExecutionConfig:
    """Group execution/."""

    kind: str = "local"
    address: str | None = None
    num_cpus: int | None = None
    cpus_per_task: float = 1.0
    memory_per_task: int | None = None
    batch_seconds: float = 1.0
    fan_out: str | None = None
    dashboard: bool = False
    runtime_env: dict[str, Any] = field(default_factory=dict)


@dataclass
class TrackingConfig:
    """Group tracking/."""

    kind: str = "local"
    uri: str | None = None
    patience: float = 60.0


@dataclass
class StudyConfig:
    """Group study/; a grid maps override keys to a value or a list of values."""

    name: str = "custom"
    question: str = ""
    vacuous: dict[str, str] = field(default_factory=dict)  # game: why it is there all the same
    grids: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Config:
    """The root."""

    game: dict[str, Any] = field(default_factory=dict)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    execution: ExecutionConfig = field(default_factory=ExecutionConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    study: StudyConfig = field(default_factory=StudyConfig)
    tie_breaking: str = "pessimistic"
    replicates: int = 200
    seed: int = 0
    output: str = "."
    dry_run: bool = False
    only: str | None = None
    limit: int | None = None
    shuffle: bool = False
    fail_fast: bool = False
    quiet: bool = False
