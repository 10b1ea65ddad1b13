"""What any learner needs on the games of a plan: their own lower bound, as metrics of their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stackel_bench.families.registry import family_of
from stackel_bench.results.columns import NEEDED
from stackel_bench.sweeps.cell import Cell

# Questions (game, accuracy, tie-breaking) of one plan that are answered, the first in its order: no sweep
# waits for many of them, and which ones they are does not depend on what is finished already.
MOST_QUESTIONS = 12

_Question = tuple[str, float, float, str]


class LowerBounds:
    """Answers each question once; whatever is not known has no metrics."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._known: dict[_Question, float | None] = {}
        self._asked: set[_Question] = set()
        for cell in cells:
            if len(self._asked) == MOST_QUESTIONS:
                break
            if family_of(cell.trial.game.family).instance_bound is not None:
                self._asked.add(_question(cell))

    def metrics(self, cell: Cell, metrics: Mapping[str, float]) -> dict[str, float]:
        """The bound at the cell's delta, and how many times as many samples the learner needs."""
        question = _question(cell)
        if question not in self._asked:
            return {}
        if question not in self._known:
            compute = family_of(cell.trial.game.family).instance_bound
            budget = cell.trial.schedule.budget
            assert compute is not None
            found = compute(cell.trial.game, budget.epsilon, cell.tie_breaking)
            self._known[question] = None if found is None else found.samples(budget.delta)
        bound = self._known[question]
        if not bound:
            return {}
        return {"lower_bound_samples": bound, "samples_over_lower_bound": metrics[NEEDED] / bound}


def _question(cell: Cell) -> _Question:
    budget = cell.trial.schedule.budget
    return cell.trial.game.identity, budget.epsilon, budget.delta, str(cell.tie_breaking)
