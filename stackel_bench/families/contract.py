"""What checks of other people's games and learners need to know of a family."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


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
