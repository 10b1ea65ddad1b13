"""What any learner needs on the games of a plan: their own lower bound, as metrics of their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stackel_bench.execution.executor import Executor, Task
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game
from stackel_bench.models import TieBreaking
from stackel_bench.results.columns import NEEDED
from stackel_bench.sweeps.cell import Cell

# Questions (game, accuracy, tie-breaking) of one plan that are answered, the first in its order: no sweep
# waits for many of them, and which ones they are does not depend on what is finished already.
MOST_QUESTIONS = 12

_Question = tuple[str, float, float, str]


class LowerBounds:
    """Tasks of their own, since each takes a while, for the cells to run; other cells have no metrics."""

    def __init__(self, planned: Sequence[Cell], cells: Sequence[Cell], executor: Executor) -> None:
        asked: set[_Question] = set()
        for cell in planned:
            if len(asked) < MOST_QUESTIONS and family_of(cell.trial.game.family).instance_bound is not None:
                asked.add(_question(cell))
        self._executor = executor
        self._tasks: dict[_Question, Task] = {}
        self._known: dict[_Question, float | None] = {}
        self.busy_seconds = 0.0
        for cell in cells:
            question = _question(cell)
            if question in asked and question not in self._tasks:
                arguments = cell.trial.game, *question[1:3], cell.tie_breaking
                name = f"lower bound {cell.trial.game.name}"
                self._tasks[question] = executor.submit(name, _bound, *arguments)

    def metrics(self, cell: Cell, metrics: Mapping[str, float]) -> dict[str, float]:
        """The bound at the cell's delta, and how many times as many samples the learner needs."""
        question = _question(cell)
        if (task := self._tasks.pop(question, None)) is not None:
            (finished,) = self._executor.next_finished([task])
            self.busy_seconds += finished.seconds
            self._known[question] = None if finished.failure else self._executor.value(task)
        bound = self._known.get(question)
        if not bound:
            return {}
        return {"lower_bound_samples": bound, "samples_over_lower_bound": metrics[NEEDED] / bound}


def _bound(game: Game, epsilon: float, delta: float, tie_breaking: TieBreaking) -> float | None:
    compute = family_of(game.family).instance_bound
    assert compute is not None
    found = compute(game, epsilon, tie_breaking)
    samples: float | None = None if found is None else found.samples(delta)
    return samples


def _question(cell: Cell) -> _Question:
    budget = cell.trial.schedule.budget
    return cell.trial.game.identity, budget.epsilon, budget.delta, str(cell.tie_breaking)
