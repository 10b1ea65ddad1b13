"""The record of a family: all that the rest of the package knows of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.sizes import Size


@dataclass(frozen=True, eq=False)
class Measured:
    """Sums of samples of one kind: counts[...] of them in sums[...], each within [low, high]."""

    what: str
    sums: np.ndarray
    counts: np.ndarray | int
    shape: tuple[int, ...]  # that the sums should have
    true_means: np.ndarray | None  # None where the truth is not known
    scale: float  # sub-Gaussian, of one sample
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class Contract:
    """A small game of the family, what a call of its sampler costs, how samples compare with the truth."""

    game: str
    parameters: Mapping[str, Any]
    # (name of a sampler's method, its arguments by name, what it returned) -> samples drawn
    cost: Callable[[str, Mapping[str, Any], Any], float]
    # (game, samples of each kind, generator) -> what was drawn
    measure: Callable[[Any, int, np.random.Generator], Iterable[Measured]]
    inner: tuple[str, ...] = ()  # methods of the sampler that return something to sample from
    exact: bool = True  # whether learners draw all that they count; if not, they may draw less
    # explorers: (epsilon, delta, number of leader actions) -> the goal that they are told
    goal: Callable[[float, float, int], Any] | None = field(default=None)


@dataclass(frozen=True, eq=False)
class Family:
    """What a family brings; what it does not have is None or empty, and whoever asks says so."""

    name: str
    sizes: Mapping[str, Size]  # what sample complexity is measured against
    games: Mapping[str, Callable[..., Any]]  # builders of named games; defaults are in conf/game/
    learners: Mapping[str, type[Any]]
    oracle: Callable[[Any], Oracle]  # of a game whose truth is known
    exponents: Mapping[str, float]  # the power of each axis in the theorem's sample size
    prefix: str | None = None  # of its games where room is short, instead of its name and a slash
    # what stackel_bench.testing needs to check games and learners of this family
    contract: Contract | None = None
    explorers: Mapping[str, type[Any]] = field(default_factory=dict)
    # (game or one unit of it, unit, finding, epsilon) -> the finding, with what the truth says of it
    diagnose: Callable[[Any, int, Any, float], Any] | None = None
    # a StoppingLearner whose model can be asked about any decision, so that fresh samples prove it
    confidence: Callable[[], Any] | None = None
    # (epsilon, sizes) -> samples below which some game of these sizes defeats every learner
    lower_bound: Callable[[float, Mapping[str, int]], float] | None = None
    # (game, epsilon, tie-breaking, divergence) -> what this very game asks of every learner
    characteristic_time: Callable[..., Any] | None = None
    # (game, epsilon, tie-breaking) -> the same for the game's own noise, None where it takes too much work
    instance_bound: Callable[..., Any] | None = None
