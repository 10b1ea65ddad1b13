"""Digests of what planning and simulation return on fixed models: equal before and after a rearrangement.

Run `python -m tests.planning.equal_bits`, change the code, run it again, compare. Only public names are
used, so the same file runs in both trees. Models are random, decimal, degenerate, and large enough for every
method.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import astuple, is_dataclass
from typing import Any

import numpy as np

from stackel_bench import planning
from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.streams import generator
from tests.planning import feature_families, follower_mdp_families

TABLE_SIZES = ((1, 1), (1, 4), (3, 1), (2, 3), (4, 4), (6, 5), (9, 12), (16, 8), (12, 30))


def bits(thing: Any) -> bytes:
    """Every number in a result, exactly."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return bits(astuple(thing))
    if isinstance(thing, list | tuple):
        return b"(" + b",".join(map(bits, thing)) + b")"
    if isinstance(thing, float | np.ndarray | np.floating):
        return np.asarray(thing).tobytes()
    return str(thing).encode()


def tables() -> Iterator[tuple[str, PayoffTable]]:
    """Uniform, one-decimal (full of ties), zero-sum, constant, and tables of very different units."""
    for size in TABLE_SIZES:
        rng = generator("equal bits", *size)
        leader, follower = rng.random((2, *size))
        yield f"uniform {size}", PayoffTable(leader, follower)
        yield f"decimal {size}", PayoffTable(*rng.integers(0, 11, (2, *size)) / 10)
        yield f"zero sum {size}", PayoffTable(leader, -leader)
        yield f"constant {size}", PayoffTable(leader, np.full(size, 0.3))
        yield f"units {size}", PayoffTable(1e6 * (leader - 0.5), 1e-5 * follower)


def commitments() -> Iterator[tuple[str, Any]]:
    """Mixed commitments, gaps and values."""
    for name, table in tables():
        yield f"best {name}", [planning.best_mixed_leader_strategy(table, s) for s in (0.0, 0.1)]
        yield f"margin {name}", planning.margin_commitment(table, 0.01)
        for slack in (0.0, 0.1) if table.shape[1] < 20 else (0.0,):
            found = planning.worst_case_mixed_leader_strategy(table, slack, 1e-3)
            yield (
                f"worst {name} {slack}",
                (found.strategy, found.response, found.value, found.upper_bound, found.finished),
            )
        for tie in TieBreaking if table.shape[1] < 20 else ():
            yield f"gap {name} {tie}", planning.mixed_gap(table, 0.1, tie, 1e-3)


def best_responses() -> Iterator[tuple[str, Any]]:
    """Best responses of every method, one by one and stacked, and what policies are worth."""
    for family in follower_mdp_families.FAMILIES:
        for shape in follower_mdp_families.SHAPES:
            mdps = [follower_mdp_families.follower_mdp(family, shape, seed) for seed in range(4)]
            yield from answers(f"{family} {shape}", mdps)
    rng = generator("equal bits, large")
    shape = (6, 40, 12)
    large = FollowerMDP(rng.dirichlet(np.ones(40), shape), *rng.random((2, *shape)))
    yield from answers("large", [large])


def answers(name: str, mdps: list[FollowerMDP]) -> Iterator[tuple[str, Any]]:
    for tie in TieBreaking:
        for method in ("auto", "chord", "eliminate"):
            for slack in (0.0, 0.05, 0.7):
                found = planning.best_responses(mdps, slack, tie, method=method)
                yield f"{name} {tie} {method} {slack}", found
        values = [planning.policy_values(m, r.policy) for m, r in zip(mdps, found, strict=True)]
        yield f"{name} {tie} values", values
        yield f"{name} {tie} occupancy", planning.occupancy(mdps[0], found[0].policy)


def core_sets() -> Iterator[tuple[str, Any]]:
    """Core sets of all kinds of features."""
    for name, make in feature_families.FAMILIES.items():
        for dimension in (2, 5, 20):
            core = planning.core_set(make(np.random.default_rng(dimension), 3_000, dimension))
            yield f"{name} {dimension}", (core.indices, core.weights, core.max_leverage, core.rank)


def counts() -> Iterator[tuple[str, Any]]:
    """Simulated counts, from a few episodes to 10^12."""
    for family in ("dense", "sparse", "deterministic"):
        for shape in ((1, 1, 1), (2, 2, 2), (4, 5, 3), (6, 12, 4)):
            mdp = follower_mdp_families.follower_mdp(family, shape, 0)
            simulator = EpisodeSimulator(mdp)
            for episodes in (0, 1, 7, 300, 10**6, 10**12):
                rng = generator("equal bits", family, *shape, episodes)
                yield f"{family} {shape} {episodes}", simulated(simulator, episodes, rng)


def simulated(simulator: EpisodeSimulator, episodes: int, rng: np.random.Generator) -> list[Any]:
    horizon, states, actions = simulator.shape
    played = simulator.play(rng.dirichlet(np.ones(actions), (horizon, states)), episodes, rng).counts
    mixture = PolicyMixture(
        rng.integers(0, actions, (3, horizon, states)).astype(np.int16),
        np.array([1, 5, 2]),
        np.array([0, horizon - 1, horizon]),
    )
    doubled = np.zeros((horizon, states, actions, states), dtype=np.int64)
    stops = [
        simulator.play_until_doubled(
            mixture.actions[k], doubled, max(1, episodes), rng, layers=horizon, first_batch=5, exact=exact
        )
        for k in (1, 2, 1)
        for exact in (True, False)
    ]
    visits = played.sum(axis=3)
    return [
        played,
        simulator.play_mixture(mixture, episodes, rng).counts,
        stops,
        doubled,
        simulator.query(visits, rng),
        simulator.reward_sums(visits, rng),
        rng.random(),
    ]


def main() -> None:
    """One line per computation: its name and a digest of its bits."""
    for source in (commitments, best_responses, core_sets, counts):
        for name, result in source():
            print(f"{source.__name__}: {name}: {hashlib.sha256(bits(result)).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
