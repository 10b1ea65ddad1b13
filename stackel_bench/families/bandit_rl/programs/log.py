"""Steps as an environment returns them, collected in lists, then checked and counted many at a time."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from stackel_bench.families.bandit_rl.programs.world import PlayError, World, told
from stackel_bench.outside.patience import TooLongError
from stackel_bench.simulation.tally import Tally

FULL = 4096  # steps after which it is emptied
LEADER_REWARD = "leader_reward"  # key of info

Rows = Sequence[Sequence[int]]  # by layer, by state: the action of an episode


class Ends:
    """Where episodes were seen to go on, and where they had ended: bool [H+1,S] each."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.alive = np.zeros((shape[0] + 1, shape[1]), dtype=bool)
        self.ended = np.zeros_like(self.alive)


class StepLog:
    """Plays episodes of one world and adds what they show to a tally.

    Where an episode terminates it stays, with reward 0 and the actions that it would have taken.
    """

    def __init__(self, world: World, initial_state: int, ends: Ends) -> None:
        self._world, self._initial_state, self._ends = world, initial_state, ends
        self._observe = world.observe
        self.returns: list[np.ndarray] = []  # [follower and leader, episodes], each time it was emptied
        self._clear()

    def _clear(self) -> None:
        self._states: list[int] = []
        self._actions: list[int] = []
        self._follower: list[float] = []
        self._leader: list[float] = []
        self._finals: list[int] = []
        self._lengths: list[int] = []
        self._rows: list[Rows] = []
        self._terminated: list[bool] = []

    @property
    def is_full(self) -> bool:
        """Whether it is worth emptying."""
        return len(self._states) >= FULL

    def play(self, seed: int, rows: Rows) -> None:
        """One episode of len(rows) steps from reset(seed=seed) on; action rows[h][state] at layer h."""
        world = self._world
        step, observe = world.env.step, self._observe
        see_state, see_action = self._states.append, self._actions.append
        see_follower, see_leader = self._follower.append, self._leader.append
        before = len(self._states)
        state: Any = None
        action: Any = None
        terminated = truncated = False
        info: Any = ()
        try:
            observation, _ = world.env.reset(seed=seed)
            state = observation if observe is None else observe(observation)
            for row in rows:
                action = row[state]
                observation, reward, terminated, truncated, info = step(action)
                see_state(state)
                see_action(action)
                see_follower(reward)
                see_leader(info[LEADER_REWARD])
                state = observation if observe is None else observe(observation)
                if terminated or truncated:
                    break
            self._finals.append(operator.index(state))
        except TooLongError:
            where = self._place(len(self._actions) - before, state, action)
            raise PlayError(f"{where}: the episode takes longer than {world.patience}") from None
        except (Exception, SystemExit) as error:
            here = min(len(self._actions), len(self._leader)) - before
            if state is not None and not world.has(state):
                last = world.shape[1] - 1
                raise PlayError(f"{world.place}, step {here}: state {state!r}, not in 0..{last}") from error
            raise PlayError(f"{self._place(here, state, action)}: {_reason(error, info)}") from error
        length = len(self._states) - before
        if truncated and not terminated and length < len(rows):
            where = self._place(length - 1, self._states[-1], action)
            raise PlayError(f"{where}: the environment cuts its episode before game.horizon={len(rows)}")
        self._lengths.append(length)
        self._rows.append(rows)
        self._terminated.append(bool(terminated))

    def _place(self, step: int, state: Any, action: Any) -> str:
        return f"{self._world.place}, step {step}, state {state!r}, action {action!r}"

    def empty_into(self, tally: Tally) -> None:
        """Check everything and add it to a tally of as many layers as the episodes had."""
        if not self._finals:
            return
        world = self._world
        _, states, actions, _ = tally.counts.shape
        lengths, finals = np.array(self._lengths), np.array(self._finals)
        s = np.array(self._states, dtype=np.intp)
        b = np.array(self._actions, dtype=np.intp) - world.first_action
        last = np.cumsum(lengths) - 1
        first = last - lengths + 1
        h = np.arange(len(s)) - np.repeat(first, lengths)
        following = np.append(s[1:], 0)
        following[last] = finals

        def refuse(bad: np.ndarray, values: Sequence[Any] | np.ndarray, what: str) -> None:
            if bad.any():
                i = int(bad.argmax())
                raise PlayError(f"{self._place(int(h[i]), int(s[i]), int(b[i]))}: {what.format(values[i])}")

        refuse((following < 0) | (following >= states), following, f"next state {{}}, not in 0..{states - 1}")
        start = self._initial_state
        refuse((h == 0) & (s != start), s, f"an episode starts in state {{}}, others start in {start}")
        place = (h * states + s) * actions + b
        rewards = (
            ("follower's reward", self._follower, world.rules.follower_range, tally.follower_sums),
            ("leader's reward", self._leader, world.rules.leader_range, tally.leader_sums),
        )
        returns = []
        for what, found, (low, high), sums in rewards:
            values = _numbers(found)
            outside = ~((values >= low) & (values <= high))
            refuse(outside, found, f"{what} is {{!r}}, not in [{low:g}, {high:g}] (game.reward_range)")
            scaled = (values - low) / (high - low)
            np.add.at(sums.reshape(-1), place, scaled)  # one after the other, wherever a piece ended
            returns.append(np.add.reduceat(scaled, first))
        self.returns.append(np.array(returns))
        np.add.at(tally.counts.reshape(-1), place * states + following, 1)
        self._stay(tally, lengths)
        self._note_ends(h, s, finals, lengths)
        tally.rewarded = tally.visits()
        self._clear()

    def _stay(self, tally: Tally, lengths: np.ndarray) -> None:
        """Count the layers that ended episodes do not play."""
        layers, states, actions, _ = tally.counts.shape
        ended = np.flatnonzero(lengths < layers)
        missing = layers - lengths[ended]
        episode = np.repeat(ended, missing)
        h = np.arange(len(episode)) - np.repeat(np.cumsum(missing) - layers, missing)
        s = np.array(self._finals, dtype=np.intp)[episode]
        rows = self._rows
        chosen = [
            rows[e][layer][state]
            for e, layer, state in zip(episode.tolist(), h.tolist(), s.tolist(), strict=True)
        ]
        b = np.array(chosen, dtype=np.intp) - self._world.first_action
        np.add.at(tally.counts.reshape(-1), ((h * states + s) * actions + b) * states + s, 1)

    def _note_ends(self, h: np.ndarray, s: np.ndarray, finals: np.ndarray, lengths: np.ndarray) -> None:
        """Raise a PlayError where episodes go on in a state in which others have ended."""
        ends = self._ends
        ends.alive[h, s] = True
        over = np.array(self._terminated)
        ends.ended[lengths[over], finals[over]] = True
        both = ends.alive & ends.ended
        if both.any():
            layer, state = (int(i) for i in np.argwhere(both)[0])
            raise PlayError(
                f"{self._world.place}, step {layer}, state {state}: some episodes go on and others have "
                "terminated there, so that it is two states; give ended episodes an observation of their own"
            )


def _reason(error: BaseException, info: Any) -> str:
    if isinstance(error, KeyError) and LEADER_REWARD not in info:
        return f"info has no {LEADER_REWARD!r}"
    return f"raises {told(error)}"


def _numbers(found: Sequence[Any]) -> np.ndarray:
    """The rewards as numbers; what is none becomes NaN, which no range contains."""
    try:
        return np.array(found, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array([v if isinstance(v, int | float | np.number) else np.nan for v in found], dtype=float)
