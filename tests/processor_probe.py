"""Prints the exact bits of small computations of the simultaneous family, one line each: run as a script.

tests/test_processors.py runs it under settings that stand for other processors and compares the lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import astuple, is_dataclass
from typing import Any

import numpy as np

import stackel_bench as sb
from stackel_bench import planning
from stackel_bench.families.oracles import oracle_of
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.nash import nash_equilibria
from stackel_bench.streams import generator

GAMES = {
    "bertrand": {},
    "commitment": {},
    "correlated": {},
    "explicit": {"leader_means": [[1.0, 0.3], [0.6, 0.7]], "follower_means": [[0.5, 0.7], [0.75, 0.2]]},
    "indifference": {},
    "inspection": {},
    "random": {},
    "security": {},
}
LEARNERS = ("paper", "margin", "half_tolerance", "anytime", "plug_in", "nash")
SIZES = ((2, 3), (5, 4), (7, 9), (12, 20))


def bits(thing: Any) -> bytes:
    """Every number in a result, exactly."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return bits(astuple(thing))
    if isinstance(thing, dict):
        return bits(sorted(thing.items()))
    if isinstance(thing, list | tuple):
        return b"".join(map(bits, thing))
    if isinstance(thing, float | np.ndarray | np.floating):
        return np.asarray(thing).tobytes()
    return str(thing).encode()


def planned() -> Iterator[tuple[str, Any]]:
    """Commitments, gaps, values and equilibria of random decimal tables."""
    for size in SIZES:
        rng = generator("processor probe", *size)
        table = PayoffTable(*rng.integers(0, 1000, (2, *size)) / 1000)
        strategies = rng.dirichlet(np.ones(size[0]), 20)
        yield f"best {size}", [planning.best_mixed_leader_strategy(table, s) for s in (0.0, 0.1)]
        yield f"margin {size}", planning.margin_commitment(table, 0.01)
        for slack in (0.0, 0.1):
            yield f"worst {size} {slack}", planning.worst_case_mixed_leader_strategy(table, slack, 1e-4)
        for tie in TieBreaking:
            yield f"gap {size} {tie}", planning.mixed_gap(table, 0.1, tie, 1e-4)
            values = [planning.mixed_leader_value(table, s, 0.05, tie) for s in strategies]
            yield f"values {size} {tie}", values
        if size < (6, 6):
            yield f"nash {size}", nash_equilibria(table)


def learned() -> Iterator[tuple[str, Any]]:
    """What each learner decides on each named game, and what that is worth."""
    for name, options in GAMES.items():
        game = sb.load_game(f"simultaneous/{name}", **options)
        oracle = oracle_of(game)
        for tie in TieBreaking:
            yield f"truth {name} {tie}", [oracle.stackelberg_value(s, tie) for s in (0.0, 0.2)]
            for learner in LEARNERS:
                found = sb.learn(game, learner, epsilon=0.2, tie_breaking=tie, budget="fixed", samples=3000)
                yield f"learn {name} {tie} {learner}", found
                yield f"evaluate {name} {tie} {learner}", sb.evaluate(game, found, 0.2)


def main() -> None:
    """One line per computation: its name and a digest of its bits."""
    for source in (planned, learned):
        for name, result in source():
            print(f"{name}: {hashlib.sha256(bits(result)).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
