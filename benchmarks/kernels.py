"""Prints how fast the compiled code of this tree is beside that of another checkout: `kernels.py OTHER_TREE`.

Both trees run the same work in turns, in processes of their own, so that a busy machine slows both; each
number is the least of many. Work: planning and simulation on fixed models, importing the package, and
compiling everything from an empty cache (`--compile`, slow).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def work() -> dict[str, Callable[[], object]]:
    """The work that is measured, by public names only: they are the same in both trees."""
    import numpy as np

    from stackel_bench import planning
    from stackel_bench.models import FollowerMDP, PayoffTable
    from stackel_bench.simulation.episodes import EpisodeSimulator

    rng = np.random.default_rng(0)
    small, large = (random_mdp(rng, shape, FollowerMDP) for shape in ((5, 10, 5), (10, 60, 10)))
    table = PayoffTable(*rng.random((2, 12, 16)))
    wide = PayoffTable(*rng.random((2, 20, 40)))
    features = rng.standard_normal((20_000, 10))
    simulator = EpisodeSimulator(large)
    policy = np.full(large.shape, 1 / large.shape[2])
    actions = np.zeros(large.shape[:2], dtype=np.int16)

    def doubled() -> None:
        counts = np.zeros((*large.shape, large.shape[1]), dtype=np.int64)
        for exact in (False, True):
            for _ in range(3):
                simulator.play_until_doubled(
                    actions, counts, 10**9, np.random.default_rng(1), layers=10, exact=exact
                )

    return {
        "best response, chord, 5,10,5": lambda: planning.best_responses(
            [small] * 64, 0.05, "pessimistic", method="chord"
        ),
        "best response, eliminate, 10,60,10": lambda: planning.best_responses(
            [large], 0.05, "pessimistic", method="eliminate"
        ),
        "best commitment, 20 x 40": lambda: planning.best_mixed_leader_strategy(wide, 0.0),
        "worst-case commitment, 12 x 16": lambda: planning.worst_case_mixed_leader_strategy(table, 0.1, 1e-3),
        "optimistic gap, 12 x 16": lambda: planning.mixed_gap(table, 0.1, "optimistic"),
        "core set, 20,000 x 10": lambda: planning.core_set(features),
        "10^9 episodes under a policy": lambda: simulator.play(policy, 10**9, np.random.default_rng(1)),
        "episodes until a count doubles": doubled,
    }


def random_mdp(rng, shape: tuple[int, int, int], model):
    return model(rng.dirichlet([1.0] * shape[1], shape), *rng.random((2, *shape)))


def measure() -> None:
    """Print the least CPU seconds of each piece of work as JSON: what a child process does."""
    found = {}
    for name, run in work().items():
        run()
        began = time.process_time()
        run()
        repeats = max(1, int(0.02 / max(time.process_time() - began, 1e-6)))
        times = []
        for _ in range(15):
            began = time.process_time()
            for _ in range(repeats):
                run()
            times.append((time.process_time() - began) / repeats)
        found[name] = min(times)
    print(json.dumps(found))


def child(tree: Path, arguments: list[str], **settings: str) -> tuple[str, float]:
    """What a Python process of that tree prints, and its CPU seconds."""
    before = os.times()
    environment = {**os.environ, "PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1", **settings}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an import is measured with its bytecode, as usual
    ended = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=True
    )
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return ended.stdout, used


def compilation(tree: Path) -> float:
    with tempfile.TemporaryDirectory() as empty:
        return child(tree, ["-m", "stackel_bench.execution.warm_up"], NUMBA_CACHE_DIR=empty)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    if arguments.other is None:
        measure()
        return
    trees = arguments.other.resolve(), HERE
    least: list[dict[str, float]] = [{}, {}]
    for _ in range(arguments.rounds):
        for tree, kept in zip(trees, least, strict=True):
            found = json.loads(child(tree, [__file__])[0])
            found["import of the planning functions"] = child(tree, ["-c", "import stackel_bench.planning"])[
                1
            ]
            if arguments.compile:
                found["compiling everything"] = compilation(tree)
            for name, seconds in found.items():
                kept[name] = min(seconds, kept.get(name, seconds))
    print("| work | before, ms | after, ms | after / before |\n|---|---|---|---|")
    for name, before in least[0].items():
        after = least[1][name]
        print(f"| {name} | {before * 1e3:.3g} | {after * 1e3:.3g} | {after / before:.2f} |")


if __name__ == "__main__":
    main()
