"""The scheduler on one process: same numbers however work is cut and ordered, faults stay where they are."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from stackel_bench.execution.events import Progress, Result
from stackel_bench.execution.executor import SerialExecutor
from stackel_bench.execution.jobs import free_blocks
from stackel_bench.execution.runs import Piece
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.families.bandit_rl.exploration.reward_free_explore import RewardFreeExplore
from stackel_bench.sweeps.plan import make_plan
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Failure, Trial
from tests.execution.small_trials import bandit_trials, faulty_trial, numbers, small_trials
from tests.execution.watched import MemoryKeeper, WatchedExecutor, encoded_size, results, run

CUTS = {
    "blocks of units": ("leader_action", 1e-6),
    "runs of units": ("leader_action", 0.05),
    "blocks": ("auto", 1e-6),
    "bundles": ("auto", 1e6),
    "as the game says": (None, 1e-3),
}


@pytest.fixture(scope="module")
def reference() -> list[Any]:
    """Each trial on its own, without a scheduler."""
    return [numbers(whole_trial(trial.assignment, trial.game)) for trial in small_trials()]


@pytest.mark.parametrize(("fan_out", "batch_seconds"), CUTS.values(), ids=CUTS)
def test_cutting_changes_no_number(fan_out: str | None, batch_seconds: float, reference: list[Any]) -> None:
    assert run(small_trials(), SerialExecutor(), fan_out, batch_seconds) == reference


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("fan_out", "batch_seconds"), CUTS.values(), ids=CUTS)
def test_order_changes_no_number(
    fan_out: str | None, batch_seconds: float, seed: int, reference: list[Any]
) -> None:
    """Trials shuffled, and tasks ending in random order among those in flight."""
    trials = small_trials()
    order = np.random.default_rng(seed).permutation(len(trials))
    found = run([trials[i] for i in order], WatchedExecutor(4, seed), fan_out, batch_seconds)
    assert [found[position] for position in np.argsort(order)] == reference


def test_replicates_do_not_depend_on_how_many_there_are() -> None:
    """100 replicates (two blocks of 64 in table games) begin with the same 3 as 3 do."""
    for few, many in zip(small_trials(3), small_trials(100), strict=True):
        if few.game.family == "bandit_rl":
            continue  # blocks of one replicate each
        first, second = (whole_trial(trial.assignment, trial.game) for trial in (few, many))
        for tie in few.tie_breakings:
            head = second[tie].records.query("replicate < 3")
            assert first[tie].records.to_csv() == head.to_csv()


def test_one_exploration_task_per_leader_action() -> None:
    """Nothing set: a bandit-RL trial makes tasks of one leader action each, a table game makes one task."""
    trials = small_trials(40)
    executor = WatchedExecutor()
    run(trials, executor, None, 1.0)
    for trial in trials:
        own = [name for name in executor.names if f" {trial.game.name} " in f"{name} "]
        explored = [name for name in own if name.startswith("explore ")]
        if trial.game.family == "bandit_rl":
            pattern = rf"explore {trial.game.name} a=(\d+) r=(\d+)-(\d+)"
            matches = [re.fullmatch(pattern, name) for name in explored]
            assert all(matches)
            seen = Counter(
                (int(match[1]), replicate)
                for match in matches
                if match is not None
                for replicate in range(int(match[2]), int(match[3]) + 1)
            )
            # two trials on this game: each leader action and replicate twice, no task with two actions
            assert seen == {(action, r): 2 for action in range(3) for r in range(40)}
            assert any(name.startswith(f"decide {trial.game.name} r=") for name in own)
        else:
            assert not explored


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("fan_out", "batch_seconds"), CUTS.values(), ids=CUTS)
def test_work_in_flight_is_bounded(workers: int, fan_out: str | None, batch_seconds: float) -> None:
    executor = WatchedExecutor(workers)
    trials = bandit_trials(replicates=130) * 4
    run(trials, executor, fan_out, batch_seconds)
    assert executor.most_in_flight <= 3 * workers
    if (fan_out, batch_seconds) == CUTS["blocks of units"]:
        assert executor.most_in_flight == 3 * workers
        explored = [name for name in executor.names if name.startswith("explore")]
        assert len(explored) == sum(trial.schedule.units * 3 for trial in trials)  # 130 replicates: 3 blocks
    if (fan_out, batch_seconds) == CUTS["bundles"]:
        assert len(executor.names) < len(trials)


def test_a_game_is_stored_once_and_dropped_after_its_last_trial() -> None:
    executor = WatchedExecutor()
    trials = bandit_trials()  # eight trials on one game
    scheduler = Scheduler(executor, 1e-6, "auto")
    results(trials, scheduler)
    assert executor.stored == {id(trials[0].game): 1}
    assert not scheduler._work._games._stored


def test_the_model_of_a_leader_action_is_all_that_its_tasks_get() -> None:
    executor = WatchedExecutor()
    (trial,) = (trial for trial in small_trials()[2:3])
    model = trial.game.only(1)  # type: ignore[attr-defined]
    assert set(model.mdps) == {1}
    with pytest.raises(KeyError):
        model.sampler.simulator(0)
    whole, part = (encoded_size(value) for value in (trial.game, model))
    assert part < 0.6 * whole
    results([trial], Scheduler(executor, 1.0))
    assert len(executor.stored) == 3 + 1  # three leader actions, and the game for deciding


@pytest.mark.parametrize("fault", ["raise", "decide"])
@pytest.mark.parametrize(("fan_out", "batch_seconds"), CUTS.values(), ids=CUTS)
def test_a_trial_that_raises_is_reported_and_the_others_go_on(
    fault: str, fan_out: str | None, batch_seconds: float
) -> None:
    trials = bandit_trials()
    expected = run(trials, SerialExecutor(), None, 1.0)
    trials.insert(3, faulty_trial(fault))
    message = {"raise": "RuntimeError: unit 1 exploded", "decide": "ValueError: no decision"}[fault]
    for executor in (SerialExecutor(), WatchedExecutor(2)):
        found = run(trials, executor, fan_out, batch_seconds)
        assert found.pop(3) == message
        assert found == expected


def test_a_failure_carries_its_traceback() -> None:
    ((event,),) = Scheduler(SerialExecutor()).run([faulty_trial("raise")])
    assert isinstance(event, Result)
    assert isinstance(event.outcomes, Failure)
    assert "in explore" in event.outcomes.traceback
    assert "RuntimeError: unit 1 exploded" in event.outcomes.traceback


def test_no_trials_no_results() -> None:
    assert list(Scheduler(SerialExecutor()).run([])) == []


def test_closing_the_iterator_abandons_the_rest() -> None:
    executor = WatchedExecutor(1)
    trials = bandit_trials()
    events = Scheduler(executor, 1e-6, "leader_action").run(trials)
    next(events)
    events.close()
    assert len(executor.names) < sum(trial.schedule.units for trial in trials)


@functools.cache
def _two_blocks() -> tuple[list[Trial], list[Any]]:
    """The paper's learners with more than one block of replicates, and their numbers."""
    trials = [trial for trial in small_trials(70) if trial.learner.name == "paper"]
    return trials, [numbers(whole_trial(trial.assignment, trial.game)) for trial in trials]


@pytest.mark.parametrize(("fan_out", "batch_seconds"), list(CUTS.values())[:3], ids=list(CUTS)[:3])
def test_resumed_in_pieces_gives_the_same_numbers_and_repeats_no_kept_piece(
    fan_out: str, batch_seconds: float
) -> None:
    """Ended after any number of tasks, again and again: what was kept is not explored a second time."""
    trials, expected = _two_blocks()
    rng = np.random.default_rng(0)
    keeper, done, found = MemoryKeeper(), Counter[tuple[int, str]](), {}
    for _ in range(200):
        left = [index for index in range(len(trials)) if index not in found]
        if not left:
            break
        part = MemoryKeeper()
        part.pieces = {position: keeper.pieces.get(index, {}) for position, index in enumerate(left)}
        scheduler = Scheduler(WatchedExecutor(2), batch_seconds, fan_out, part)
        stop_after = int(rng.integers(1, 60))
        for number, events in enumerate(scheduler.run([trials[index] for index in left])):
            for event in events:
                if isinstance(event, Progress):
                    done[left[event.trial], event.piece.name] += not event.restored
                else:
                    found[left[event.trial]] = numbers(event.outcomes)
            if number == stop_after:
                break
        for position, index in enumerate(left):
            keeper.pieces[index] = part.pieces.get(position, {})
    assert [found[index] for index in range(len(trials))] == expected
    assert max(done.values()) == 1


def test_where_rungs_are_runs_a_kill_costs_at_most_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended after every single task: no rung is explored twice, and the numbers are the same."""
    trial = small_trials(2)[2]
    expected, rungs = numbers(whole_trial(trial.assignment, trial.game)), len(trial.schedule.samples)
    calls, explore_rung = Counter[Any](), RewardFreeExplore.explore_rung

    def counted(self: Any, source: Any, plan: Any, goal: Any, key: Any, rung: int) -> Any:
        calls[key, rung] += 1
        return explore_rung(self, source, plan, goal, key, rung)

    monkeypatch.setattr(RewardFreeExplore, "explore_rung", counted)
    keeper, shares, ended = MemoryKeeper(), set[float | None](), []
    while not ended:
        events = next(Scheduler(SerialExecutor(), 1e-6, None, keeper, piece_seconds=1e-9).run([trial]))
        ended = [event for event in events if isinstance(event, Result)]
        shares |= {event.run.share for event in events if isinstance(event, Progress) and event.run}
    assert numbers(ended[0].outcomes) == expected
    assert set(calls.values()) == {1}
    assert len(calls) == trial.schedule.units * trial.replicates * rungs
    assert shares == {rung / rungs for rung in range(1, rungs)}


def test_damaged_pieces_are_done_again() -> None:
    trial = small_trials(5)[2]
    expected = numbers(whole_trial(trial.assignment, trial.game))
    keeper = MemoryKeeper()
    scheduler = Scheduler(SerialExecutor(), 1e-6, None, keeper)
    for number, _ in enumerate(scheduler.run([trial])):
        if number == 9:
            break
    kept = keeper.pieces[0]
    assert len(kept) == 10
    names = list(kept)
    kept[names[0]] = kept[names[0]][:-7]
    kept[names[1]] = b"\0" * 40
    kept["unit-1.x-y"] = b"?"
    (result,) = results([trial], Scheduler(SerialExecutor(), 1e-6, None, keeper))
    assert numbers(result.outcomes) == expected


def test_pieces_have_names_that_can_be_read_back() -> None:
    kinds = (Piece(None, range(3, 9), "orders"), Piece(2, range(1), "cut"))
    for piece in (Piece(None, range(0, 1)), Piece(3, range(12, 70)), Piece(0, range(5, 6)), *kinds):
        assert Piece.parse(piece.name) == piece
    for name in (
        "",
        "unit-1",
        "unit-x.0-1",
        "decided.3-3",
        "decided.-1-2",
        "unit-01.0-1",
        "unit-1.0-1.piece",
        "unit.0-1",
        "orders-1.0-1",
        "other-1.0-1",
    ):
        with pytest.raises(ValueError, match=r"."):
            Piece.parse(name)


def test_free_blocks_are_what_is_not_taken() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        total = int(rng.integers(1, 30))
        taken = set(rng.integers(0, total, size=rng.integers(0, 20)).tolist())
        free = free_blocks(total, taken)
        assert sorted(block for run in free for block in run) == sorted(set(range(total)) - taken)
        assert all(left.stop < right.start for left, right in itertools.pairwise(free))


def test_time_left_goes_down_to_nothing() -> None:
    scheduler = Scheduler(SerialExecutor(), 1e-6, "auto")
    seen = [scheduler.seconds_left() for _ in scheduler.run(bandit_trials(200))]
    assert seen[0] > seen[-1] == 0


def test_what_one_explorer_costs_says_nothing_of_another() -> None:
    cells = make_plan(["game=bandit_rl/chain", "algorithm.explorer=uniform,rf_ucrl", "budget=fixed"]).cells
    assert [cell.trial.kind for cell in cells] == [
        ("bandit_rl", "paper", "uniform"),
        ("bandit_rl", "paper", "rf_ucrl"),
    ]
