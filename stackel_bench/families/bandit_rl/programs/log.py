"""Episodes of an environment, played step by step, then checked and counted many at a time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from stackel_bench.families.bandit_rl.programs.world import PlayError, World
from stackel_bench.outside.patience import TooLongError
from stackel_bench.simulation.tally import Tally
from stackel_bench.text import told

FULL = 8192  # steps that are counted together
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
        self.room = max(1, FULL // world.rules.horizon)  # episodes that are worth counting
        self._clear()

    def _clear(self) -> None:
        self._steps: list[Any] = []  # state, action and both rewards of a step, then those of the next one
        self._lasts = [0]  # len(_steps) after each episode
        self._finals: list[int] = []  # the state in which it ended
        self._rows: list[Rows] = []
        self._terminated: list[bool] = []

    def play(self, episodes: Iterator[tuple[int, Rows]], most: int, over: Callable[[], bool]) -> int:
        """Play seeds and rows of at most so many episodes, until over() before one of them: how many.

        An episode has len(rows) steps from reset(seed=seed) on, with action rows[h][state] at layer h.
        """
        world = self._world
        reset, step, observe = world.env.reset, world.env.step, world.observe
        see, steps, lasts, finals = self._steps.extend, self._steps, self._lasts, self._finals
        played, state, action, info = 0, None, None, ()
        try:
            with world.in_time() as again:
                while played < most and not over():
                    again()
                    seed, rows = next(episodes)
                    terminated, state, action = False, None, None
                    observation, _ = reset(seed=seed)
                    state = observation if observe is None else observe(observation)
                    for row in rows:
                        action = row[state]
                        observation, reward, terminated, truncated, info = step(action)
                        see((state, action, reward, info[LEADER_REWARD]))
                        state = observation if observe is None else observe(observation)
                        if terminated or truncated:
                            break
                    finals.append(operator.index(state))
                    lasts.append(len(steps))
                    self._rows.append(rows)
                    self._terminated.append(terminated)
                    played += 1
        except TooLongError:
            raise self._error(state, action, f"the episode takes longer than {world.patience}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if state is None or world.has(state):
                raise self._error(state, action, _reason(error, info)) from error
            states = f"a state must be an integer in 0..{world.shape[1] - 1}"
            raise self._error(state, action, states) from error
        return played

    def _error(self, state: Any, action: Any, what: str, step: int | None = None) -> PlayError:
        here = (len(self._steps) - self._lasts[-1]) // 4 if step is None else step
        place = f"{self._world.place}, step {here}, state {state!r}, action {action!r}"
        return PlayError(f"{place}: {what}")

    def count_into(self, tally: Tally) -> np.ndarray:
        """Check everything played since the last time, add it to a tally of as many layers as there were.

        Returns what the follower and the leader earned in each episode: [2, episodes].
        """
        world, rules = self._world, self._world.rules
        _, states, actions, _ = tally.counts.shape
        earned = np.zeros((2, len(self._finals)))
        if not self._finals:
            return earned
        first, last = np.array(self._lasts[:-1]) // 4, np.array(self._lasts[1:]) // 4 - 1
        lengths, finals = last + 1 - first, np.array(self._finals)
        seen, done, follower, leader = (self._steps[i::4] for i in range(4))
        s, b = np.array(seen, dtype=np.intp), np.array(done, dtype=np.intp) - world.first_action
        h = np.arange(len(s)) - np.repeat(first, lengths)
        following = np.append(s[1:], 0)
        following[last] = finals

        def refuse(bad: np.ndarray, values: Sequence[Any] | np.ndarray, what: str) -> None:
            if bad.any():
                i = int(bad.argmax())
                raise self._error(seen[i], done[i], what.format(values[i]), int(h[i]))

        start, cut = self._initial_state, np.zeros(len(s), dtype=bool)
        refuse((h == 0) & (s != start), s, f"an episode starts in state {{}}, others start in {start}")
        refuse((following < 0) | (following >= states), following, f"next state {{}}, not in 0..{states - 1}")
        cut[last] = (lengths < len(tally.counts)) & ~np.array(self._terminated, dtype=bool)
        refuse(cut, s, f"the environment cuts its episode before game.horizon={len(tally.counts)}")
        place = (h * states + s) * actions + b
        for player, found, (low, high), sums, returns in (
            ("follower's", follower, rules.follower_range, tally.follower_sums, earned[0]),
            ("leader's", leader, rules.leader_range, tally.leader_sums, earned[1]),
        ):
            values = _numbers(found)
            outside = ~((values >= low) & (values <= high))
            wanted = f"not in [{low:g}, {high:g}] (game.reward_range)"
            refuse(outside, found, f"{player} reward is {{!r}}, {wanted}")
            scaled = (values - low) / (high - low)
            np.add.at(sums.reshape(-1), place, scaled)  # one after the other, wherever a piece ended
            returns[:] = np.add.reduceat(scaled, first)
        np.add.at(tally.counts.reshape(-1), place * states + following, 1)
        self._stay(tally, lengths, finals)
        self._note_ends(h, s, lengths, finals)
        tally.rewarded = tally.visits()
        self._clear()
        return earned

    def _stay(self, tally: Tally, lengths: np.ndarray, finals: np.ndarray) -> None:
        """Count the layers that ended episodes do not play."""
        layers, states, actions, _ = tally.counts.shape
        missing = layers - lengths
        h = np.arange(missing.sum()) - np.repeat(np.cumsum(missing) - layers, missing)
        s = np.repeat(finals, missing)
        if self._rows.count(self._rows[0]) == len(self._rows):
            chosen = np.array(self._rows[0])[h, s]
        else:
            ended = zip(self._rows, lengths.tolist(), self._finals, strict=True)
            chosen = np.array([row[s] for rows, length, s in ended for row in rows[length:]], dtype=np.intp)
        b = chosen - self._world.first_action
        np.add.at(tally.counts.reshape(-1), ((h * states + s) * actions + b) * states + s, 1)

    def _note_ends(self, h: np.ndarray, s: np.ndarray, lengths: np.ndarray, finals: np.ndarray) -> None:
        """Raise a PlayError where episodes go on in a state in which others have ended."""
        ends, over = self._ends, np.array(self._terminated, dtype=bool)
        ends.alive[h, s] = True
        ends.ended[lengths[over], finals[over]] = True
        both = np.argwhere(ends.alive & ends.ended)
        if len(both):
            layer, state = both[0].tolist()
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
