"""The scheduler on one process: same numbers however work is cut and ordered, faults stay where they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from stackel_bench.execution.cost import CostModel
from stackel_bench.execution.executor import Finished, SerialExecutor, Task
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.execution.trial import (
    Failure,
    Trial,
    decide_block,
    explore_block,
    judge_decisions,
    judge_findings,
    run_bundle,
)
from tests.execution.small_trials import bandit_trials, faulty_trial, numbers, small_trials

CUTS = {"units": 1e-6, "replicates": 1e-3, "pairs": 0.5, "bundles": 1e6}


class WatchedExecutor(SerialExecutor):
    """Runs tasks in random order and keeps count of what is in flight and of what was started."""

    def __init__(self, workers: int = 1, seed: int = 0) -> None:
        self.workers = workers
        self.rng = np.random.default_rng(seed)
        self.most_in_flight = 0
        self.stored = 0
        self.functions: Counter[str] = Counter()

    def put(self, value: Any) -> Task:
        self.stored += 1
        return super().put(value)

    def submit(self, function: Any, *arguments: Any) -> Task:
        self.functions[function.__name__] += 1
        return super().submit(function, *arguments)

    def next_finished(self, tasks: list[Task]) -> Finished:
        self.most_in_flight = max(self.most_in_flight, len(tasks))
        return super().next_finished([tasks[self.rng.integers(len(tasks))]])


def run(trials: list[Trial], executor: Any, batch_seconds: float) -> list[Any]:
    """Numbers by trial; every trial is heard of exactly once."""
    found = {}
    for index, outcomes, seconds in Scheduler(executor, batch_seconds).run(trials):
        assert index not in found
        assert seconds >= 0
        found[index] = numbers(outcomes)
    return [found[index] for index in range(len(trials))]


@pytest.fixture(scope="module")
def reference() -> list[Any]:
    """Each trial on its own, without a scheduler."""
    return [
        numbers(judge_decisions(trial, decide_block(trial, range(trial.replicates))))
        for trial in small_trials()
    ]


@pytest.mark.parametrize("batch_seconds", CUTS.values(), ids=CUTS)
def test_cutting_changes_no_number(batch_seconds: float, reference: list[Any]) -> None:
    assert run(small_trials(), SerialExecutor(), batch_seconds) == reference


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("batch_seconds", CUTS.values(), ids=CUTS)
def test_order_changes_no_number(batch_seconds: float, seed: int, reference: list[Any]) -> None:
    """Trials shuffled, and tasks ending in random order among those in flight."""
    trials = small_trials()
    order = np.random.default_rng(seed).permutation(len(trials))
    found = run([trials[i] for i in order], WatchedExecutor(4, seed), batch_seconds)
    assert [found[position] for position in np.argsort(order)] == reference


def test_replicates_do_not_depend_on_how_many_there_are() -> None:
    trial = small_trials(4)[0]
    few, many = decide_block(trial, range(2)), decide_block(trial, range(4))
    for first, second in zip(few, many[:2], strict=True):
        for tie in trial.tie_breakings:
            for one, other in zip(first[tie], second[tie], strict=True):
                assert one.__dict__ == other.__dict__


def test_blocks_of_units_and_replicates_fit_together(reference: list[Any]) -> None:
    trial = small_trials()[0]
    blocks = [
        explore_block(trial, units, range(replicate, replicate + 1))
        for replicate in range(trial.replicates)
        for units in (range(0, 2), range(2, 3))
    ]
    assert numbers(judge_findings(trial, 2, *blocks)) == reference[0]
    ((whole, seconds),) = run_bundle(trial)
    assert numbers(whole) == reference[0]
    assert seconds > 0


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("batch_seconds", CUTS.values(), ids=CUTS)
def test_work_in_flight_is_bounded(workers: int, batch_seconds: float) -> None:
    executor = WatchedExecutor(workers)
    trials = bandit_trials() * 2
    run(trials, executor, batch_seconds)
    assert executor.most_in_flight <= 3 * workers
    if batch_seconds == CUTS["units"]:
        assert executor.most_in_flight == 3 * workers
        assert executor.functions["explore_block"] == sum(t.schedule.units * t.replicates for t in trials)
        assert executor.stored == len(trials)  # a trial that is cut up is stored once
    if batch_seconds == CUTS["bundles"]:
        assert executor.functions["run_bundle"] < len(trials)


@pytest.mark.parametrize("fault", ["raise", "decide"])
@pytest.mark.parametrize("batch_seconds", CUTS.values(), ids=CUTS)
def test_a_trial_that_raises_is_reported_and_the_others_go_on(fault: str, batch_seconds: float) -> None:
    trials = bandit_trials()
    expected = run(trials, SerialExecutor(), 1.0)
    trials.insert(3, faulty_trial(fault))
    message = {"raise": "RuntimeError: unit 1 exploded", "decide": "ValueError: no decision"}[fault]
    for executor in (SerialExecutor(), WatchedExecutor(2)):
        found = run(trials, executor, batch_seconds)
        assert found.pop(3) == message
        assert found == expected


def test_a_failure_carries_its_traceback() -> None:
    ((_, outcome, _),) = Scheduler(SerialExecutor()).run([faulty_trial("raise")])
    assert isinstance(outcome, Failure)
    assert "in explore" in outcome.traceback
    assert "RuntimeError: unit 1 exploded" in outcome.traceback


def test_no_trials_no_results() -> None:
    assert list(Scheduler(SerialExecutor()).run([])) == []


def test_closing_the_iterator_abandons_the_rest() -> None:
    executor = WatchedExecutor(1)
    trials = bandit_trials()
    results = Scheduler(executor, 1e-6).run(trials)
    next(results)
    results.close()
    assert executor.functions["explore_block"] < sum(t.schedule.units * t.replicates for t in trials)


def test_costs_are_learned_by_kind() -> None:
    """A kind's factor is the geometric mean of what was observed, the newest observation weighing half."""
    bandit, other = small_trials()[0], small_trials()[2]
    cost = CostModel()
    start = cost.trial_seconds(bandit)
    assert start == pytest.approx(bandit.schedule.seconds_per_unit * 3 * bandit.replicates)
    cost.observe(bandit.kind, 1.0, 4.0)
    assert cost.trial_seconds(bandit) == pytest.approx(4 * start)
    cost.observe(bandit.kind, 1.0, 1.0)
    assert cost.trial_seconds(bandit) == pytest.approx(2 * start)
    cost.observe(bandit.kind, 0.0, 1.0)
    assert cost.trial_seconds(bandit) == pytest.approx(2 * start)
    assert cost.unit_seconds(other) == other.schedule.seconds_per_unit
