"""The record of linear bandit games."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stackel_bench.families.family import Contract, Family, Measured
from stackel_bench.families.linear import learners
from stackel_bench.families.linear.certified import CertifiedLearner
from stackel_bench.families.linear.instances import INSTANCES
from stackel_bench.families.linear.oracle import linear_oracle
from stackel_bench.families.sizes import PAIRS, SIZES

_MOST_PAIRS = 200


def _query_cost(method: str, arguments: Mapping[str, Any], result: Any) -> float:
    """Queries that one call of a sampler of features makes."""
    if method == "pull_counts":
        return float(np.sum(arguments["counts"]))
    if method != "pull_pair":
        return 0.0
    return float(max(arguments["ladder"]) * (arguments.get("replicates") or 1))


def _measured_queries(game: Any, count: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Reward sums [n] of both players at some pairs, all of them in small games."""
    sampler, model = game.sampler, getattr(game, "model", None)
    total = game.sizes["num_leader_actions"] * game.sizes["num_follower_actions"]
    pairs = np.sort(rng.choice(total, min(total, _MOST_PAIRS), replace=False))
    drawn = [sampler.pull_pair(int(pair), [1, count], rng) for pair in pairs]
    features = sampler.features.pairs(pairs)
    for player, name in enumerate(("leader", "follower")):
        sums = np.array([np.asarray(pair[player])[-1] for pair in drawn])
        means = None if model is None else features @ getattr(model, f"{name}_parameters")
        reach = (0.0, 1.0) if sampler.bounded else (-math.inf, math.inf)
        scale = sampler.sub_gaussian_scale
        yield Measured(f"{name}'s rewards", sums, count, (len(pairs),), means, scale, *reach)


FAMILY = Family(
    name="linear",
    prefix="lin/",
    sizes=PAIRS | {"dimension": SIZES["dimension"]},
    games=INSTANCES,
    learners={
        "paper": learners.Paper,
        "g_optimal": learners.GOptimal,
        "certified": CertifiedLearner,
        "plug_in": learners.PlugIn,
    },
    oracle=linear_oracle,
    exponents={"epsilon": -2.0, "dimension": 2.0},  # d^2 / eps^2
    contract=Contract(
        "linear/random",
        {"num_leader_actions": 4, "num_follower_actions": 3, "dimension": 3},
        _query_cost,
        _measured_queries,
    ),
    confidence=CertifiedLearner,
)
