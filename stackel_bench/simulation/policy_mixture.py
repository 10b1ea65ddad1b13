"""A mixture of follower policies with multiplicities: each episode plays one of them, drawn by weight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError

ACTION_TYPE = np.int16


@dataclass(frozen=True, eq=False)
class PolicyMixture:
    """Deterministic prefixes actions [K,H,S]; policy k acts in layers < lengths[k] and is uniform afterwards.

    weights int64 [K] are numbers of episodes: a multiset of policies, stored with multiplicities.
    """

    actions: np.ndarray
    weights: np.ndarray
    lengths: np.ndarray

    def __post_init__(self) -> None:
        if self.actions.ndim != 3 or not len(self.actions) == len(self.weights) == len(self.lengths) >= 1:
            found = (self.actions.shape, self.weights.shape, self.lengths.shape)
            raise InputError("mixture", found, "actions [K,H,S], weights [K], lengths [K], K >= 1")
        if self.weights.min() < 0 or not 0 < int(self.weights.sum()) <= checks.MAX_EXACT_COUNT:
            raise InputError("mixture.weights", int(self.weights.sum()), "counts >= 0 with a sum in 1..2**53")

    @classmethod
    def uniform(cls, shape: tuple[int, int, int]) -> PolicyMixture:
        """The mixture that only plays uniformly."""
        horizon, states, _ = shape
        return cls(
            np.zeros((1, horizon, states), dtype=ACTION_TYPE),
            np.ones(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )

    @classmethod
    def collect(
        cls, shape: tuple[int, int, int], played: Iterable[tuple[np.ndarray, int, int]]
    ) -> PolicyMixture:
        """Merge triples (actions [>=length,S], length, episodes); equal prefixes add their episodes."""
        horizon, states, _ = shape
        merged: dict[tuple[int, bytes], int] = {}
        for actions, length, episodes in played:
            if episodes > 0:
                prefix = (length, np.ascontiguousarray(actions[:length], dtype=ACTION_TYPE).tobytes())
                merged[prefix] = merged.get(prefix, 0) + episodes
        if not merged:
            return cls.uniform(shape)
        table = np.zeros((len(merged), horizon, states), dtype=ACTION_TYPE)
        for row, (length, prefix_bytes) in zip(table, merged, strict=True):
            row[:length] = np.frombuffer(prefix_bytes, dtype=ACTION_TYPE).reshape(length, states)
        return cls(
            table,
            np.array(list(merged.values()), dtype=np.int64),
            np.array([length for length, _ in merged], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.weights)
