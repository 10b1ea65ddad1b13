"""Games that are programs: `python -m benchmarks.programs [overhead] [waiting] [kills]`.

*overhead*: CPU time of episodes that the harness plays, seeds, checks and counts, looking at the clock before
each, over that of a bare loop of `reset` and `step` with the same seeds and actions. *waiting*: the game with
a step of 10 ms that needs hardly any processor, with one worker and with two; Ray gives its workers a low
priority, so on a busy machine set RAY_worker_niceness=0. *kills*: a long job whose driver and workers are
killed at ten moments.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stackel_bench as sb
from stackel_bench.config.settings import ExecutionSettings
from stackel_bench.execution.events import Result
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.execution.start import start_executor
from stackel_bench.families.bandit_rl.programs.game import EnvGame
from stackel_bench.simulation.recording import Recorder
from stackel_bench.streams import generator
from stackel_bench.sweeps.plan import make_plan
from stackel_bench.trials.trial import Failure
from tests.sweeps import commands
from tests.sweeps.test_long_cell import invocation, pieces

REPEATS = 25
EPISODES = 1000
WAITING = ["game=bandit_rl/slow_economy", "game.evaluation_episodes=0", "algorithm.explorer=uniform"]
WAITING += ["budget=fixed", "replicates=1"]
LONG = ["run", "game=bandit_rl/slow_economy", "algorithm.explorer=rf_ucrl", "budget=fixed", "replicates=1"]
LONG += ["budget.samples=4000", "execution=local", "execution.num_cpus=2", "execution.piece_seconds=1"]
LONG += ["tracking=off", "quiet=true"]


class Walk:
    """Steps that cost next to nothing: what is left is the harness."""

    class Two:
        """The space {0, 1}."""

        n = 2

    observation_space = action_space = Two()

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        """Always the same start."""
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Where the action leads."""
        return action, 0.5, False, False, {"leader_reward": 0.5}


def bare_loop(game: EnvGame, policy: np.ndarray, seeds: list[int]) -> Callable[[], None]:
    """What nobody can do without: the environment's own steps, and looking up what to do."""
    env, observe = game.make_env(1), game.discretise
    rows = policy.tolist()

    def play() -> None:
        for seed in seeds:
            observation, _ = env.reset(seed=seed)
            for row in rows:
                state = observation if observe is None else observe(observation)
                observation, _, terminated, truncated, _ = env.step(row[state])
                if terminated or truncated:
                    break

    return play


def harness(source: Any, table: np.ndarray) -> tuple[Callable[[], None], list[int]]:
    """The same policy, as explorers have it played, and the seeds of its episodes."""
    seed = int(generator("benchmark").integers(2**63))
    episodes = source._episodes(seed, source._choose(table), 0)
    seeds = [seed for seed, _ in itertools.islice(episodes, EPISODES)]
    return lambda: source.play(table, EPISODES, generator("benchmark")), seeds


def overhead() -> None:
    """A table of the least CPU time of interleaved repeats."""
    print("| game | bare loop, us an episode | harness | least / least | median of ratios |")
    print("|---|---|---|---|---|")
    games = {name: sb.load_game(f"bandit_rl/{name}") for name in ("economy", "lake_program", "taxi_program")}
    games["steps that do nothing"] = sb.EnvGame(lambda action: Walk(), num_leader_actions=2, horizon=10)
    for name, game in games.items():
        horizon, states, actions = game.sampler.shape
        policy = generator("policy").integers(0, actions, (horizon, states))
        source = game.sampler.recorded(Recorder(seconds=3600.0)).simulator(1)
        ours, seeds = harness(source, np.eye(actions)[policy])
        ways = [bare_loop(game, policy, seeds), ours]
        for way in ways:
            way()
        found = np.array([[_cpu(way) for way in ways] for _ in range(REPEATS)]) * 1e6 / EPISODES
        bare, played = found.min(axis=0)
        ratio = np.median(found[:, 1] / found[:, 0])
        print(f"| {name} | {bare:.1f} | {played:.1f} | {played / bare:.2f} | {ratio:.2f} |", flush=True)


def waiting() -> None:
    """Exploring all leader actions, by workers that have started and imported everything."""
    (warm,) = (cell.trial for cell in make_plan([*WAITING, "budget.samples=16"]).cells)
    (long,) = (cell.trial for cell in make_plan([*WAITING, "budget.samples=1000"]).cells)
    print("| workers | load of the machine | pieces | seconds | speed-up |\n|---|---|---|---|---|")
    alone = 0.0
    for workers in (1, 2):
        executor = start_executor(ExecutionSettings(kind="local", num_cpus=workers))
        pauses = [executor.submit("start", time.sleep, 5) for _ in range(workers)]
        for pause in pauses:
            executor.next_finished([pause])
        for _ in range(2):
            list(Scheduler(executor).run([warm]))
        scheduler, start = Scheduler(executor), time.perf_counter()
        results = [event for events in scheduler.run([long]) for event in events if isinstance(event, Result)]
        seconds = time.perf_counter() - start
        executor.shutdown()
        assert not isinstance(results[0].outcomes, Failure), results[0].outcomes
        alone = alone or seconds
        load = os.getloadavg()[0]
        print(
            f"| {workers} | {load:.1f} | {scheduler.tasks} | {seconds:.1f} | {alone / seconds:.2f} |",
            flush=True,
        )


def kills(number: int) -> None:
    """The driver and a worker killed by turns, each time after something new was kept, then the end."""
    moments, kept = random.Random(number), dict[str, int]()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as drivers:
        folder, output = Path(name), Path(name, "killed")

        def start(output: Path) -> commands.Command:
            command = commands.forked([*LONG, f"output={output}"], folder)
            return drivers.enter_context(commands.running(command))

        assert start(folder / "whole").wait(900).code == 0
        print(f"undisturbed: {invocation(folder / 'whole')['tasks']} pieces\n")
        driver = start(output)
        for kill in range(1, number + 1):
            while pieces(output) == kept:
                assert driver.wait_for_code(0.005) is None, "it has ended before"
            time.sleep(moments.uniform(0, 1.5))
            if kill % 2:
                driver.send(signal.SIGKILL)
                driver.wait()
                driver = start(output)
            else:
                while not (busy := [pid for pid in commands.session_members(driver.pid) if _explores(pid)]):
                    assert driver.wait_for_code(0.005) is None, "it has ended before"
                commands.kill(moments.choice(busy))
            kept = pieces(output)
            print(f"kill {kill}: {'driver' if kill % 2 else 'worker'}", flush=True)
        assert driver.wait(900).code == 0
        equal = commands.results(output) == commands.results(folder / "whole")
    print(f"finished after {number} kills, bytes equal: {equal}")


def _explores(pid: int) -> bool:
    return commands.program(pid).startswith("ray::explore")


def _cpu(way: Callable[[], None]) -> float:
    start = time.process_time()
    way()
    return time.process_time() - start


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["overhead", "waiting", "kills"]
    if "overhead" in wanted:
        overhead()
    if "waiting" in wanted:
        waiting()
    if "kills" in wanted:
        kills(10)
