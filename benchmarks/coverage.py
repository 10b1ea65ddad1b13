"""How often a cell with ten times the replicates lies inside the interval of samples needed."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the cells live in tests
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported

from stackel_bench.models import TieBreaking
from tests.statistics.real_cells import lies_inside, pairs

CELLS = 100
LEARNERS = (
    ("bandit/trap", "paper"),
    ("bandit/trap", "plug_in"),
    ("bandit/lower_bound", "plug_in"),
    ("bandit/random", "paper"),
)


def main() -> None:
    print("| game | learner | tie-breaking | R | inside | more than the ladder | at most its smallest |")
    print("|---|---|---|---|---|---|---|")
    for (game, learner), replicates in itertools.product(LEARNERS, (60, 200)):
        found = list(pairs(game, learner, replicates, CELLS))
        for tie in TieBreaking:
            inside = sum(lies_inside(*pair[tie]) for pair in found)
            censored, at_most = (
                sum(pair[tie][1][name] == 1 for pair in found) for name in ("censored", "at_most")
            )
            print(
                f"| {game} | {learner} | {tie} | {replicates} | {inside / CELLS:.2f} | "
                f"{censored / CELLS:.2f} | {at_most / CELLS:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
