"""Learners whose leader actions wait for each other: a task for each round and leader action, each kept."""

from __future__ import annotations

import functools
import re
from collections import Counter
from typing import Any

import pytest

import stackel_bench as sb
from stackel_bench.execution.events import Progress, Result
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.families.learners import make_learner
from stackel_bench.learners.budget import FixedBudget, TheoryBudget
from stackel_bench.learners.certified import learner as shared
from stackel_bench.simulation import recording
from stackel_bench.trials.encoding import decode
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Failure, Trial
from tests.execution.small_trials import SMALL_GAMES, numbers, trial_of
from tests.execution.watched import MemoryKeeper, WatchedExecutor, encoded_size, results, run
from tests.families.bandit_rl.table_env import make_env

GAME: Any = sb.load_game("bandit_rl/random", **SMALL_GAMES["bandit_rl/random"])


def certified(replicates: int, game: Any = GAME, budget: Any = None) -> Trial:
    learner = make_learner(game.family, "certified")
    return trial_of(game, learner, replicates, budget or TheoryBudget(epsilon=1.4))


@functools.cache
def expected() -> Any:
    trial = certified(3)
    return numbers(whole_trial(trial.assignment, trial.game))


@pytest.mark.parametrize("batch_seconds", [1e-6, 1.0])
def test_one_task_per_round_and_leader_action(batch_seconds: float) -> None:
    """In any order of tasks the numbers of a run in one piece; each leader action's task gets its own MDP."""
    executor = WatchedExecutor(3, seed=1)
    assert run([certified(3)], executor, None, batch_seconds) == [expected()]
    names = [
        re.fullmatch(r"explore bandit_rl/random a=(\d) r=(\d)-(\d) round=(\d+)", n) for n in executor.names
    ]
    explored = [match for match in names if match is not None]
    assert {int(match[1]) for match in explored} == {0, 1, 2}
    assert max(int(match[4]) for match in explored) > 3
    assert len({match[0] for match in explored}) == len(explored)
    assert len(executor.names) - len(explored) == sum(name.startswith("decide ") for name in executor.names)
    assert id(GAME) in executor.stored
    assert encoded_size(GAME.only(1)) < 0.6 * encoded_size(GAME)


def test_bundled_it_is_one_task() -> None:
    executor = WatchedExecutor()
    assert run([certified(3)], executor, "auto", 1.0) == [expected()]
    assert executor.names == ["run bandit_rl/random r=0-2"]


class CountingKeeper(MemoryKeeper):
    """Counts how often a part's round was kept."""

    def __init__(self, pieces: dict[int, dict[str, bytes]]) -> None:
        super().__init__()
        self.pieces, self.rounds = pieces, Counter[tuple[str, int]]()

    def keep(self, trial: int, piece: str, content: bytes) -> None:
        super().keep(trial, piece, content)
        if piece.startswith("unit-"):
            self.rounds[piece, decode(content).number] += 1


@pytest.mark.parametrize("stop_after", [1, 4, 7])
def test_ended_again_and_again_it_goes_on_within_the_round(stop_after: int) -> None:
    trial, pieces, rounds = certified(3), {}, Counter[tuple[str, int]]()
    for _ in range(400):
        keeper = CountingKeeper(pieces)
        events: list[Any] = []
        for number, some in enumerate(Scheduler(WatchedExecutor(2, 3), 1.0, None, keeper).run([trial])):
            events += some
            if number == stop_after:
                break
        rounds += keeper.rounds
        if ended := [event for event in events if isinstance(event, Result)]:
            break
    assert [numbers(event.outcomes) for event in ended] == [expected()]
    assert max(rounds.values()) == 1
    assert not any(isinstance(event, Failure) for event in events)


@pytest.mark.parametrize("lost", ["orders", "unit-0", "unit-2"])
def test_a_run_whose_pieces_do_not_fit_together_starts_again(lost: str) -> None:
    keeper = MemoryKeeper()
    for number, _ in enumerate(Scheduler(WatchedExecutor(), 1.0, None, keeper).run([certified(3)])):
        if number == 12:
            break
    (name,) = (name for name in keeper.pieces[0] if name == f"{lost}.0-1")
    keeper.pieces[0][name] = keeper.pieces[0][name][:-3]
    (result,) = results([certified(3)], Scheduler(WatchedExecutor(), 1.0, None, keeper))
    assert numbers(result.outcomes) == expected()


def test_a_run_beyond_its_cap_fails_with_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "LARGEST", 0)
    (result,) = results([certified(2)], Scheduler(WatchedExecutor(), 1.0, None, MemoryKeeper()))
    assert isinstance(result.outcomes, Failure)
    assert "did not stop" in result.outcomes.message


def test_a_program_is_cut_within_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of no length: what was played before a cut is not played again, and the numbers are the same."""
    monkeypatch.setattr(recording, "_LONGEST", 1.0)
    game = sb.EnvGame(make_env, num_leader_actions=2, horizon=3, evaluation_episodes=0)
    budget = FixedBudget(epsilon=1.0, samples=150)
    whole = run([certified(1, game, budget)], WatchedExecutor(), "leader_action", 1.0)
    keeper, cuts = MemoryKeeper(), 0
    found: list[Any] = []
    for _ in range(100):
        scheduler = Scheduler(WatchedExecutor(), 1.0, None, keeper, piece_seconds=1e-3)
        for number, events in enumerate(scheduler.run([certified(1, game, budget)])):
            found += [numbers(event.outcomes) for event in events if isinstance(event, Result)]
            cuts += sum(isinstance(event, Progress) and event.run is not None for event in events)
            if number == 5:
                break
        if found:
            break
    assert found == whole
    assert cuts > 3
