"""One leader action's environment, checked: states, actions and rewards as a table would have them."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.outside.patience import TooLongError, in_time
from stackel_bench.text import told

MakeEnv = Callable[[int], Any]  # leader action -> environment with Gymnasium's reset and step


class PlayError(InputError):
    """An environment or simulator that misbehaves: one sentence that says where."""

    def __init__(self, sentence: str) -> None:
        super().__init__("game", None, "", sentence)

    def __reduce__(self) -> tuple[type[PlayError], tuple[str]]:  # type: ignore[override]
        return PlayError, (self.sentence,)


@dataclass(frozen=True)
class Rules:
    """How an environment is read: horizon, discretiser of observations, ranges of rewards, patience."""

    horizon: int
    num_states: int | None = None  # null: the environment's own Discrete space says
    discretise: Callable[[Any], int] | None = None
    leader_range: tuple[float, float] = (0.0, 1.0)
    follower_range: tuple[float, float] = (0.0, 1.0)
    episode_seconds: float | None = None  # that one episode may take


class World:
    """The environment of one leader action, and its shape."""

    def __init__(self, make_env: MakeEnv, leader_action: int, rules: Rules) -> None:
        self.leader_action, self.rules = leader_action, rules
        self.env = self._answer("make_env", lambda: make_env(leader_action))
        missing = [m for m in ("reset", "step", "action_space") if not hasattr(self.env, m)]
        if missing:
            found = type(self.env).__name__
            raise PlayError(f"{self.place}: make_env returns {found}, which has no {', '.join(missing)}")
        actions, self.first_action = self._discrete("action_space", "Discrete")
        if rules.discretise is None:
            states, self._first_state = self._discrete(
                "observation_space", "Discrete, or set game.discretise and game.num_states"
            )
            if rules.num_states not in (None, states):
                raise PlayError(
                    f"{self.place}: {states} observations, but game.num_states={rules.num_states}"
                )
        else:
            if rules.num_states is None:
                raise InputError("game.num_states", None, "how many states game.discretise tells apart")
            states, self._first_state = rules.num_states, 0
        self.shape = (rules.horizon, states, actions)

    @property
    def place(self) -> str:
        """For messages."""
        return f"leader action {self.leader_action}"

    def _answer(self, what: str, function: Callable[[], Any]) -> Any:
        """What somebody's function returns, in time."""
        try:
            with self.in_time():
                return function()
        except TooLongError:
            raise PlayError(f"{self.place}: {what} takes longer than {self.patience}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PlayError(f"{self.place}: {what} raises {told(error)}") from error

    def _discrete(self, name: str, wanted: str) -> tuple[int, int]:
        """How many values a space has, and the first of them."""
        space: Any = getattr(self.env, name, None)
        if not hasattr(space, "n"):
            raise PlayError(f"{self.place}: {name} is {space}, and must be {wanted}")
        return int(space.n), int(getattr(space, "start", 0))

    @property
    def observe(self) -> Callable[[Any], int] | None:
        """Observation -> state; None where they are the same."""
        if self.rules.discretise is not None:
            return self.rules.discretise
        first = self._first_state
        return None if first == 0 else lambda observation: observation - first

    def initial_state(self) -> int:
        """The state in which the episode with seed 0 starts; others must start there, too."""

        def start() -> Any:
            observation, _ = self.env.reset(seed=0)
            return observation if self.observe is None else self.observe(observation)

        state = self._answer("reset(seed=0)", start)
        if not self.has(state):
            raise PlayError(f"{self.place}: starts in {state!r}, which is no state 0..{self.shape[1] - 1}")
        return operator.index(state)

    def has(self, state: Any) -> bool:
        """Whether this is a state."""
        return bool(hasattr(state, "__index__") and 0 <= state < self.shape[1])

    @property
    def patience(self) -> str:
        """For messages."""
        return f"game.episode_seconds={self.rules.episode_seconds:g}"

    def in_time(self) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """A TooLongError if more than episode_seconds pass between two calls of what it yields."""
        return in_time(self.rules.episode_seconds)

    def close(self) -> None:
        """Free what the environment holds, if it knows how."""
        with contextlib.suppress(Exception, SystemExit):
            self.env.close()
