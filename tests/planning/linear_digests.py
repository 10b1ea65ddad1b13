"""Prints a digest of every number that a record of a linear cell can hold; run by test_processors.py."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator

import numpy as np

import stackel_bench as sb
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.games.noise import Noise
from stackel_bench.models import TieBreaking
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning import core_set
from stackel_bench.planning.finite import linear_leader_values

NAMED = [
    ("linear/random", {}),
    ("linear/random", {"dimension": 2, "noise": "bernoulli"}),
    ("linear/random", {"dimension": 20, "num_leader_actions": 40}),
    ("linear/random", {"dimension": 50, "num_leader_actions": 40, "num_follower_actions": 30}),
    ("linear/low_rank", {}),
    ("linear/low_rank", {"dimension": 30, "rank": 20, "noise": "deterministic"}),
    ("linear/taxation", {}),
    ("linear/taxation", {"degree": 6}),
    ("linear/one_hot", {}),
]


def bits(*numbers: object) -> str:
    """A digest of the exact bytes."""
    parts = [np.ascontiguousarray(np.asarray(number, dtype=np.float64)).tobytes() for number in numbers]
    return hashlib.blake2b(b"|".join(parts), digest_size=8).hexdigest()


def near_tied() -> LinearBanditGame:
    """All pairs of a leader action differ by rounding only, so that every choice is nearly a tie."""
    rng = np.random.default_rng(3)
    features = np.repeat(rng.random((12, 1, 7)), 30, axis=1)
    features *= 1 + rng.integers(-4, 5, features.shape) * 2.0**-52
    return LinearBanditGame(LinearModel(features, rng.random(7), rng.random(7)), Noise("gaussian", 0.5))


def games() -> Iterator[tuple[str, LinearBanditGame]]:
    """Named games that need no file, and one full of near-ties."""
    for name, parameters in NAMED:
        yield f"{name} {parameters}", sb.load_game(name, **parameters)
    yield "near ties", near_tied()


def digests(features_file: str) -> Iterator[tuple[str, str]]:
    """What was computed and the digest of its bits; the file holds matrices [n,d], n a multiple of 20."""
    for name, game in games():
        yield f"{name} identity", game.identity
        for tie in TieBreaking:
            values = sb.leader_values(game, 0.1, tie)
            yield f"{name} {tie} truth", bits(values, sb.gap(game, 0.1, tie))
            for algorithm in ("paper", "g_optimal", "plug_in"):
                found = sb.learn(game, algorithm, epsilon=0.2, tie_breaking=tie, seed=0)
                judged = sb.evaluate(game, found, epsilon=0.2)
                decided = (found.leader_action, found.follower_response, found.estimated_value, found.samples)
                losses = (judged.value, judged.value_suboptimality, judged.follower_suboptimality, judged.gap)
                yield f"{name} {tie} {algorithm}", bits(*decided, *losses)
    with np.load(features_file) as stored:
        for name, features in stored.items():
            core = core_set(features)
            yield f"{name} core set", bits(core.indices, core.weights, core.max_leverage, core.rank)
            parameters = np.random.default_rng(1).standard_normal((2, features.shape[1]))
            found = linear_leader_values(
                features.reshape(-1, 20, features.shape[1]), *parameters, 0.1, "optimistic"
            )
            yield f"{name} values", bits(found.values, found.responses)


if __name__ == "__main__":
    print(json.dumps(dict(digests(sys.argv[1]))))
