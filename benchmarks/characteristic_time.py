"""T* by `sb.characteristic_time` and by the grids of the tests, which share no code; a table for README.md.

characteristic_time.py [SIZE]: with a SIZE, the seconds that a random game of SIZE x SIZE takes instead.
"""

from __future__ import annotations

import sys
import time

import stackel_bench as sb
from tests.families.bandit.characteristic_grids import NAMED, Formula

EPSILON = 0.1


def main() -> None:
    """One row per named game."""
    print(
        "| game | T*, at least | at most | second method | at most | s | s |\n|---|---|---|---|---|---|---|"
    )
    for name, parameters in NAMED.items():
        game = sb.load_game(f"bandit/{name}", **parameters)
        start = time.process_time()
        ours = sb.characteristic_time(game, epsilon=EPSILON)
        between = time.process_time()
        scale = game.sampler.sub_gaussian_scale
        table = game.table
        second = Formula(table.leader_means / scale, table.follower_means / scale, EPSILON / scale).time()
        seconds = between - start, time.process_time() - between
        numbers = [ours.low, ours.high, *second, *seconds]
        print(f"| {name} | {' | '.join(f'{number:,.1f}' for number in numbers)} |", flush=True)


def large(size: int) -> None:
    """Seconds of one random game, both tie-breakings."""
    game = sb.load_game("bandit/random", num_leader_actions=size, num_follower_actions=size)
    for tie in ("pessimistic", "optimistic"):
        start, cpu = time.perf_counter(), time.process_time()
        found = sb.characteristic_time(game, epsilon=EPSILON, tie_breaking=tie)
        spent, cpu = time.perf_counter() - start, time.process_time() - cpu
        print(f"{tie}: {found.low:,.0f} to {found.high:,.0f}, {spent:.1f} s, CPU {cpu:.1f} s", flush=True)


if __name__ == "__main__":
    large(int(sys.argv[1])) if len(sys.argv) > 1 else main()
