"""What a pull of pairs costs, and pulls of every pair beside the true means."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stackel_bench.families.family import Measured


def pull_cost(method: str, arguments: Mapping[str, Any], result: Any) -> float:
    """Pulls that one call of a sampler of pairs makes."""
    if method == "pull_row":
        return float(max(arguments["ladder"]) * np.shape(result[0])[-1] * (arguments.get("replicates") or 1))
    return float(np.sum(arguments["counts"])) if method == "pull_counts" else 0.0


def measured_pairs(game: Any, count: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Reward sums [A,B] of both players."""
    sampler, table = game.sampler, getattr(game, "table", None)
    shape = (game.sizes["num_leader_actions"], game.sizes["num_follower_actions"])
    rows = [sampler.pull_row(row, [1, count], rng) for row in range(shape[0])]
    for player, name in enumerate(("leader", "follower")):
        sums = np.stack([np.asarray(row[player])[-1] for row in rows])
        means = None if table is None else getattr(table, f"{name}_means")
        reach = (0.0, 1.0) if sampler.whole_rewards else (-math.inf, math.inf)
        yield Measured(f"{name}'s rewards", sums, count, shape, means, sampler.sub_gaussian_scale, *reach)
