"""Effective episodes per second of reward-free exploration, beside rlberry-scool and a per-episode twin.

One thread, CPU seconds, one MDP (H=5, S=10, B=4, Dirichlet 0.3 rows), one run. If rlberry-scool is not
importable, it is installed into a virtual environment below a temporary directory for this run.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported

import numpy as np

from stackel_bench.families.bandit_rl.diagnosis import coverage, maximal_reach, query_frequencies
from stackel_bench.families.bandit_rl.exploration.euler import EulerSettings, euler_policy, euler_run
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Exploration, Goal
from stackel_bench.families.bandit_rl.exploration.registry import make_explorer
from stackel_bench.kernel import kernel
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import generator

SHAPE = (5, 10, 4)
LEADER_ACTIONS = 16
GOAL = Goal(epsilon=0.1, delta=0.05, num_leader_actions=LEADER_ACTIONS)
PEER_EPISODES = 20_000
TWIN_EPISODES = 1_000_000
REPEATS = 3

PEER_SCRIPT = """
import json, sys, time
import numpy as np
from rlberry import spaces
from rlberry.envs.interface import Model
from rlberry_scool.agents import UCBVIAgent

transitions = np.load(sys.argv[1])
horizon, states, actions, _ = transitions.shape
cumulative = transitions.cumsum(axis=3)

class Layered(Model):
    name = "layered"
    def __init__(self):
        Model.__init__(self)
        self.observation_space = spaces.Discrete(states)
        self.action_space = spaces.Discrete(actions)
        self.reward_range = (0.0, 1.0)
    def reset(self, seed=None, options=None):
        self.layer, self.state = 0, 0
        return 0, {}
    def step(self, action):
        row = cumulative[self.layer, self.state, action]
        self.state = min(int(row.searchsorted(self.rng.random(), side="right")), states - 1)
        self.layer += 1
        return self.state, 0.0, False, False, {}

def run(episodes):
    agent = UCBVIAgent(Layered(), horizon=horizon, reward_free=True, stage_dependent=True)
    start = time.process_time()
    agent.fit(episodes)
    return time.process_time() - start, agent.N_sa

run(50)  # compile
best, visits = min((run(int(sys.argv[2])) for _ in range(int(sys.argv[3]))), key=lambda r: r[0])
print(json.dumps({"seconds": best, "visits": visits.tolist()}))
"""


def main() -> None:
    horizon, states, _ = SHAPE
    rng = generator("benchmark", "exploration")
    transitions = rng.dirichlet(np.full(states, 0.3), size=SHAPE)
    leader, follower = rng.random((2, *SHAPE))
    mdp = FollowerMDP(transitions, leader, follower)
    simulator = EpisodeSimulator(mdp)
    rows: list[tuple[str, float, float, str]] = []

    seconds, visits = _peer(mdp)
    rows.append(
        ("rlberry-scool `UCBVIAgent(reward_free=True)`", PEER_EPISODES, seconds, _covered(mdp, visits))
    )

    for name, plan in (
        ("rf_express", EpisodePlan({"explore": PEER_EPISODES})),
        ("rf_express", EpisodePlan({"explore": 10**9})),
        ("rf_ucrl", make_explorer("rf_ucrl").theory_plan(SHAPE, GOAL)),
    ):
        seconds, found = _timed_explorer(simulator, name, plan)
        label = f"{name}" + (", to its certificate" if plan.stop_when_certified else "")
        rows.append((label, found.total_episodes, seconds, f"{coverage(mdp, found, epsilon=0.1).ratio:.0f}"))

    target = (horizon - 1, 3)
    settings = EulerSettings(TWIN_EPISODES, 1e-4, 1.0, exact_doubling=True)
    seconds = _best(lambda: _per_episode_twin(transitions, target, settings))
    rows.append(("EULER, one target, per-episode numba twin", TWIN_EPISODES, seconds, ""))
    for episodes in (TWIN_EPISODES, 10**12):
        settings = EulerSettings(episodes, 1e-4, 1.0, exact_doubling=True)
        seconds = _best(lambda now=settings: euler_run(simulator, *target, now, generator("same target")))
        rows.append(("EULER, one target, exact doubling by counts", episodes, seconds, ""))

    for options in ({"replanning": "exact_doubling"}, {}):
        explorer = make_explorer("reward_free_explore", **options)
        plan = explorer.theory_plan(SHAPE, GOAL)
        seconds, found = _timed_explorer(simulator, "reward_free_explore", plan, **options)
        label = f"reward_free_explore, {explorer.replanning}, theory budget"
        rows.append((label, plan.total, seconds, f"{coverage(mdp, found, epsilon=0.1).ratio:.0f}"))

    base = rows[0][1] / rows[0][2]
    print("| explorer | episodes | CPU seconds | episodes/s | x rlberry-scool | coverage (bound 400) |")
    print("|---|---|---|---|---|---|")
    for label, episodes, seconds, covered in rows:
        rate = episodes / seconds
        print(f"| {label} | {episodes:.3g} | {seconds:.3g} | {rate:.2g} | {rate / base:.2g} | {covered} |")
    total = LEADER_ACTIONS * rows[-1][1]
    print(f"\n{LEADER_ACTIONS} leader actions at the theory budget: {total:.3g} episodes, ", end="")
    print(f"{LEADER_ACTIONS * rows[-1][2]:.1f} s on one core (batched), ", end="")
    print(f"{LEADER_ACTIONS * rows[-2][2]:.1f} s (exact); ", end="")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.")


def _best(run: Callable[[], object]) -> float:
    run()  # compile
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def _timed_explorer(
    simulator: EpisodeSimulator, name: str, plan: EpisodePlan, **options: object
) -> tuple[float, Exploration]:
    explorer = make_explorer(name, **options)
    found: list[Exploration] = []
    seconds = _best(lambda: found.extend(explorer.explore(simulator, [plan], GOAL, ("bench",))))
    return seconds, found[-1]


def _covered(mdp: FollowerMDP, visits: np.ndarray) -> str:
    """The peer keeps visit counts only: their frequencies stand for its sampling law."""
    horizon, states, _ = mdp.shape
    reach = maximal_reach(mdp)
    significant = reach >= 0.1 / (2 * states * horizon**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = reach[..., None] / query_frequencies(visits)
    return f"{ratios[significant].max():.0f} (from counts)"


def _peer(mdp: FollowerMDP) -> tuple[float, np.ndarray]:
    """Seconds and visits [H,S,B] of the peer, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        python = sys.executable
        if importlib.util.find_spec("rlberry_scool") is None:
            python = _install(Path(folder))
        np.save(Path(folder, "transitions.npy"), mdp.transitions)
        Path(folder, "peer.py").write_text(PEER_SCRIPT)
        command = [python, "peer.py", "transitions.npy", str(PEER_EPISODES), str(REPEATS)]
        answer = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    result = json.loads(answer.stdout.splitlines()[-1])
    return result["seconds"], np.array(result["visits"])


def _install(folder: Path) -> str:
    """The interpreter of a fresh environment that has rlberry-scool."""
    python = str(folder / "peer" / "bin" / "python")
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv:
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(folder / "peer")], check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", python, "rlberry-scool"], check=True)
    else:
        subprocess.run([sys.executable, "-m", "venv", str(folder / "peer")], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "rlberry-scool"], check=True)
    return python


def _per_episode_twin(transitions: np.ndarray, target: tuple[int, int], settings: EulerSettings) -> int:
    """EULER with exact doubling, every episode played; the number of plans."""
    horizon, states, actions, _ = transitions.shape
    log_term = math.log(4 * states * horizon * actions * settings.episodes * horizon * 7 / settings.failure)
    return _twin(
        generator("twin"), transitions.cumsum(axis=3), target[0], target[1], settings.episodes, log_term
    )


@kernel
def _twin(rng, cumulative, layer, state, episodes, log_term):
    _, states, actions, _ = cumulative.shape
    counts = np.zeros((layer, states, actions, states), dtype=np.int64)
    visits = np.zeros((layer, states, actions), dtype=np.int64)
    threshold = np.zeros((layer, states, actions), dtype=np.int64)
    plans = 0
    replan = True
    policy = np.zeros((layer, states), dtype=np.int64)
    for _ in range(episodes):
        if replan:
            policy = euler_policy(counts, state, log_term, 1.0)
            threshold = np.maximum(2 * visits, visits + 1)
            plans += 1
            replan = False
        s = 0
        for h in range(layer):
            b = policy[h, s]
            u = rng.random()
            t = 0
            while t < states - 1 and u >= cumulative[h, s, b, t]:
                t += 1
            counts[h, s, b, t] += 1
            visits[h, s, b] += 1
            if visits[h, s, b] >= threshold[h, s, b]:
                replan = True
            s = t
    return plans


if __name__ == "__main__":
    main()
