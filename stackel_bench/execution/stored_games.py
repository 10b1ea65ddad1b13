"""Games in the executor's store: each one once, however many trials use it, and gone after the last."""

from collections import Counter
from collections.abc import Sequence

from stackel_bench.execution.executor import Executor, Task
from stackel_bench.games.game import Game
from stackel_bench.learners.certified.learner import takes_rounds
from stackel_bench.trials.trial import Trial


class StoredGames:
    """Whole games and their units by the game's identity."""

    def __init__(self, executor: Executor, trials: Sequence[Trial]) -> None:
        self._executor, self._trials = executor, trials
        self._users = Counter(_key(trial.game) for trial in trials)  # trials that are not over yet
        self._stored: dict[str, dict[int | None, Task]] = {}

    def get(self, index: int) -> Task:
        """The whole game of a trial."""
        return self._get(index, None)

    def unit(self, index: int, unit: int) -> Task:
        """What exploring one unit of a trial's game needs; the whole game where it is not divided."""
        trial = self._trials[index]
        several = trial.schedule.units > 1 or takes_rounds(trial.learner)
        divided = several and hasattr(trial.game, "only")
        return self._get(index, unit if divided else None)

    def _get(self, index: int, unit: int | None) -> Task:
        game = self._trials[index].game
        stored = self._stored.setdefault(_key(game), {})
        if unit not in stored:
            part = game if unit is None else game.only(unit)  # type: ignore[attr-defined]
            stored[unit] = self._executor.put(part)
        return stored[unit]

    def release(self, index: int) -> None:
        """A trial is over; what no other trial needs is dropped."""
        identity = _key(self._trials[index].game)
        self._users[identity] -= 1
        if not self._users[identity]:
            self._stored.pop(identity, None)


def _key(game: Game) -> str:
    """Its identity; two programs that were typed at a prompt may have the same one."""
    return f"{game.identity} {id(game)}" if hasattr(game, "programs") else game.identity
