"""What is computed of a plan's true games and kept with cells: exact values for figures, lower bounds.

What is solved is decided by the number and the sizes of the games, never by how long solving takes.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.execution.executor import Executor, Task
from stackel_bench.families.oracles import lower_bound_samples, oracle_if_known
from stackel_bench.families.registry import family_of
from stackel_bench.families.sizes import SIZES
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import TieBreaking
from stackel_bench.results.columns import NEEDED
from stackel_bench.sweeps.cell import Cell

MOST_GAMES = 6
MOST_ENTRIES = 20_000  # product of a game's sizes; each game is solved 2 x 65 times
MOST_MIXED_ENTRIES = 256  # the same where the leader mixes: pessimistic values need a search then
MOST_CELLS = 4  # of games with two leader actions who mix, and as many with three
SIMPLEX_STEPS = {2: 800, 3: 60}  # from one leader action to another, in the figures
_POINTS = 65


class TrueValues:
    """Values of the first games of a plan at many slacks, and of many strategies in its first cells."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        largest = max((cell.trial.schedule.budget.epsilon for cell in cells), default=0.1)
        self._slacks = np.linspace(0, max(0.5, min(1.0, 2 * largest)), _POINTS)
        self._oracles: dict[str, Oracle] = {}  # of the first cell of each game that is solved
        self._simplex: dict[str, Oracle] = {}
        seen: set[str] = set()
        drawn: Counter[int] = Counter()
        for cell in cells:
            game, actions = cell.trial.game, int(cell.trial.game.sizes.get("num_leader_actions", 0))
            name = json.dumps(cell.config["game"], sort_keys=True)
            entries = math.prod(int(game.sizes.get(size, 1)) for size in SIZES)
            room = drawn[actions] < MOST_CELLS and actions in SIMPLEX_STEPS
            new = name not in seen and len(self._oracles) < MOST_GAMES and entries <= MOST_ENTRIES
            seen.add(name)
            oracle = oracle_if_known(game) if new or room else None
            if oracle is None:
                continue
            mixing = not hasattr(oracle, "leader_values")
            if new and not (mixing and entries > MOST_MIXED_ENTRIES):
                self._oracles[cell.cell_id] = oracle
            if room and mixing:
                drawn[actions] += 1
                self._simplex[cell.cell_id] = oracle

    def of(self, cell: Cell) -> dict[str, list[float]]:
        """What figures show of this cell: values by slack, by strategy, or nothing."""
        found = {}
        if (oracle := self._oracles.get(cell.cell_id)) is not None:
            found["slacks"] = self._slacks.tolist()
            for tie in TieBreaking:
                found[str(tie)] = [oracle.stackelberg_value(slack, tie).low for slack in found["slacks"]]
        if (oracle := self._simplex.get(cell.cell_id)) is not None:
            grid = simplex_grid(cell.trial.game.sizes["num_leader_actions"])
            for name, slack in (("exact", 0.0), ("tolerant", cell.trial.schedule.budget.epsilon)):
                found[name] = _values(oracle, grid, slack, cell.tie_breaking)
        return found


def simplex_grid(actions: int) -> np.ndarray:
    """The strategies [N,A] whose values figures show, for two or three leader actions."""
    steps = SIMPLEX_STEPS[actions]
    if actions == 2:
        first = np.linspace(0, 1, steps + 1)
        return np.stack([first, 1 - first], axis=1)
    index = np.array([(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)])
    return np.column_stack([index, steps - index.sum(axis=1)]) / steps


def _values(oracle: Oracle, strategies: np.ndarray, slack: float, tie: TieBreaking) -> list[float]:
    zeros = np.zeros((len(strategies), 1))
    decisions = Decisions(tie, None, strategies[:, None], zeros.astype(int), zeros, zeros.astype(int))
    found: list[float] = oracle.values_of(decisions, slack, tie)[:, 0].tolist()
    return found


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
                self._tasks[question] = executor.submit(name, lower_bound_samples, *arguments)

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


def _question(cell: Cell) -> _Question:
    budget = cell.trial.schedule.budget
    return cell.trial.game.identity, budget.epsilon, budget.delta, str(cell.tie_breaking)
