"""Episodes of an environment, played step by step, then checked and counted many at a time."""

import operator
from array import array
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
        self._states: list[int] = []
        self._follower, self._leader = array("d"), array("d")
        self._lasts = [0]  # number of steps after each episode
        self._finals: list[int] = []  # the state in which it ended
        self._rows: list[Rows] = []
        self._terminated: list[bool] = []

    def play(self, episodes: Iterator[tuple[int, Rows]], most: int, over: Callable[[], bool]) -> int:
        """Play seeds and rows of at most so many episodes, until over() before one of them: how many.

        An episode has len(rows) steps from reset(seed=seed) on, with action rows[h][state] at layer h.
        """
        world = self._world
        reset, step, observe = world.env.reset, world.env.step, world.observe
        see, see_follower, see_leader = self._states.append, self._follower.append, self._leader.append
        played, state, action, reward, info = 0, None, None, 0.0, ()
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
                        see(state)
                        see_follower(reward)
                        see_leader(info[LEADER_REWARD])
                        state = observation if observe is None else observe(observation)
                        if terminated or truncated:
                            break
                    self._finals.append(operator.index(state))
                    self._lasts.append(len(self._states))
                    self._rows.append(rows)
                    self._terminated.append(terminated)
                    played += 1
        except TooLongError:
            raise self._error(state, action, f"the episode takes longer than {world.patience}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if state is not None and not world.has(state):
                what = f"a state must be an integer in 0..{world.shape[1] - 1}"
            elif len(self._states) > len(self._follower):
                what = f"follower's reward is {reward!r}, not a number"
            elif len(self._follower) > len(self._leader):
                what = f"info has no number {LEADER_REWARD!r}: {info!r}"
            else:
                what = f"raises {told(error)}"
            raise self._error(state, action, what) from error
        return played

    def _error(self, state: Any, action: Any, what: str, step: int | None = None) -> PlayError:
        here = len(self._leader) - self._lasts[-1] if step is None else step
        place = f"{self._world.place}, step {here}, state {state!r}, action {action!r}"
        return PlayError(f"{place}: {what}")

    def count_into(self, tally: Tally) -> np.ndarray:
        """Check everything played since the last time, add it to a tally of as many layers as there were.

        Returns what the follower and the leader earned in each episode: [2, episodes].
        """
        rules, (layers, states, actions, _) = self._world.rules, tally.counts.shape
        earned = np.zeros((2, len(self._finals)))
        if not self._finals:
            return earned
        first, lengths, finals = np.array(self._lasts[:-1]), np.diff(self._lasts), np.array(self._finals)
        episode = np.repeat(np.arange(len(finals)), lengths)
        h = np.arange(len(episode)) - first[episode]
        path = np.repeat(finals[:, None], layers + 1, axis=1)  # states, the last of which is stayed in
        path[episode, h] = self._states
        s, following = path[episode, h], path[episode, h + 1]

        def refuse(bad: np.ndarray, values: np.ndarray, what: str) -> None:
            if bad.any():
                i = int(bad.argmax())
                step, state = int(h[i]), int(s[i])
                action = self._rows[episode[i]][step][state]
                raise self._error(state, action, what.format(values[i]), step)

        start, over = self._initial_state, np.array(self._terminated, dtype=bool)
        cut = (h + 1 == lengths[episode]) & (h + 1 < layers) & ~over[episode]
        refuse((h == 0) & (s != start), s, f"an episode starts in state {{}}, others start in {start}")
        refuse((following < 0) | (following >= states), following, f"next state {{}}, not in 0..{states - 1}")
        refuse(cut, s, f"the environment cuts its episode before game.horizon={layers}")
        place = (np.arange(layers) * states + path[:, :-1]) * actions + self._actions(path[:, :-1])
        for player, found, (low, high), sums, returns in (
            ("follower's", self._follower, rules.follower_range, tally.follower_sums, earned[0]),
            ("leader's", self._leader, rules.leader_range, tally.leader_sums, earned[1]),
        ):
            values = np.array(found)
            wanted = f"not in [{low:g}, {high:g}] (game.reward_range)"
            refuse(~((values >= low) & (values <= high)), values, f"{player} reward is {{}}, {wanted}")
            scaled = (values - low) / (high - low)
            np.add.at(sums.reshape(-1), place[episode, h], scaled)  # one by one, wherever a piece ended
            returns[:] = np.add.reduceat(scaled, first)
        np.add.at(tally.counts.reshape(-1), place * states + path[:, 1:], 1)
        self._note_ends(h, s, lengths[over], finals[over])
        tally.rewarded = tally.visits()
        self._clear()
        return earned

    def _actions(self, states: np.ndarray) -> np.ndarray:
        """What was done, or would have been done, in these states [episodes, layers]; counted from 0."""
        rows, layers = self._rows, np.arange(states.shape[1])
        if rows.count(rows[0]) == len(rows):
            chosen = np.array(rows[0])[layers, states]
        else:
            paths = zip(rows, states.tolist(), strict=True)
            chosen = np.array([[row[s] for row, s in zip(*path, strict=True)] for path in paths])
        return np.asarray(chosen - self._world.first_action)

    def _note_ends(self, h: np.ndarray, s: np.ndarray, lengths: np.ndarray, finals: np.ndarray) -> None:
        """Raise a PlayError where episodes go on in a state in which others have ended, at this length."""
        ends = self._ends
        ends.alive[h, s] = True
        ends.ended[lengths, finals] = True
        both = np.argwhere(ends.alive & ends.ended)
        if len(both):
            layer, state = both[0].tolist()
            raise PlayError(
                f"{self._world.place}, step {layer}, state {state}: some episodes go on and others have "
                "terminated there, so that it is two states; give ended episodes an observation of their own"
            )
