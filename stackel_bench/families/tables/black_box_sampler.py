"""Pulls of a simulator, with what a sampler of payoff tables offers: checked, and kept where runs are cut."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.errors import InputError
from stackel_bench.outside.patience import TooLongError, in_time
from stackel_bench.simulation.recording import Checkpoint, Recorder
from stackel_bench.text import told
from stackel_bench.tolerances import REWARD_SUM

# (leader_action, follower_action, pulls, rng) -> (sum of the leader's rewards, sum of the follower's)
Simulate = Callable[[int, int, int, np.random.Generator], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class BlackBoxSampler:
    """Sampling access to a simulator.

    Every call draws one seed from rng; what simulate is given depends on that seed and on the pulls that are
    asked for alone, so results do not depend on where a recorder cuts.
    """

    block_size: ClassVar[int] = 1  # a simulator plays one replicate after the other
    job_per_unit: ClassVar[bool] = True  # nobody knows how long a simulator takes
    whole_rewards: ClassVar[bool] = False
    _simulate: Simulate = field(repr=False)
    shape: tuple[int, int]  # (A, B)
    sub_gaussian_scale: float
    reward_range: tuple[float, float] | None = None  # scaled to [0,1]; None: nobody has promised a range
    pulls_per_call: int | None = None
    call_seconds: float | None = None  # that one call may take
    _recorder: Recorder = field(default_factory=Recorder, repr=False)

    @property
    def unit_rewards(self) -> bool:
        """Whether single rewards are known to lie in [0,1]."""
        return self.reward_range is not None

    def pull_row(
        self,
        leader_action: int,
        ladder: Sequence[int],
        rng: np.random.Generator,
        replicates: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [rung, B] after ladder[rung] pulls of each pair of this row.

        With a number of replicates they get a first axis [replicate, rung, B].
        """
        places = itertools.product(range(replicates or 1), range(len(ladder)), range(self.shape[1]))
        new = np.diff(ladder, prepend=0)
        wanted = [(leader_action, column, int(new[rung])) for _, rung, column in places]
        sums = self._pull(wanted, rng).reshape(2, replicates or 1, len(ladder), self.shape[1]).cumsum(axis=2)
        leader, follower = sums[:, 0] if replicates is None else sums
        return leader, follower

    def pull_counts(self, counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [A,B] of counts[a,b] pulls of each pair."""
        places = np.argwhere(counts)
        found = self._pull([(int(a), int(b), int(counts[a, b])) for a, b in places], rng)
        sums = np.zeros((2, *self.shape))
        sums[:, places[:, 0], places[:, 1]] = found
        return sums[0], sums[1]

    def _pull(self, wanted: Sequence[tuple[int, int, int]], rng: np.random.Generator) -> np.ndarray:
        """Sums [2, n] of n requests (leader action, follower action, pulls)."""
        seed, recorder = int(rng.integers(2**63)), self._recorder
        if recorder.answered:
            return np.asarray(recorder.answer())
        sums, position, chunk = recorder.partial or (np.zeros((2, len(wanted))), 0, 0)
        while position < len(wanted):
            a, b, pulls = wanted[position]
            size = self.pulls_per_call or max(1, pulls)
            while chunk * size < pulls:
                if recorder.over():
                    recorder.cut((sums, position, chunk))
                now = min(size, pulls - chunk * size)
                stream = streams.generator("pulls", seed, position, chunk)
                sums[:, position] += self.sums(a, b, now, stream)
                recorder.samples[a] += now
                chunk += 1
            position, chunk = position + 1, 0
        recorder.add(sums)
        return np.asarray(sums)

    def sums(
        self, leader_action: int, follower_action: int, pulls: int, rng: np.random.Generator
    ) -> np.ndarray:
        """The sums of both players' rewards [2] of one call of the simulator, checked and scaled."""
        where = f"simulate({leader_action}, {follower_action}, {pulls}, rng)"
        try:
            with in_time(self.call_seconds):
                answer = self._simulate(leader_action, follower_action, pulls, rng)
        except TooLongError:
            sentence = f"{where} takes longer than game.call_seconds={self.call_seconds:g}"
            raise InputError(where, None, "", sentence) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit, GeneratorExit, whatever the program raises
            raise InputError(where, told(error), "", f"{where} raises {told(error)}") from error
        found = checks.array(where, answer, shape=(2,))
        if self.reward_range is None:
            return found
        low, high = self.reward_range
        rounding = REWARD_SUM * pulls * max(abs(low), abs(high))
        if (found < pulls * low - rounding).any() or (found > pulls * high + rounding).any():
            raise InputError(where, found.tolist(), f"sums of {pulls} rewards in [{low:g}, {high:g}]")
        return np.asarray((found - pulls * low) / (high - low))

    def recorded(self, recorder: Recorder) -> BlackBoxSampler:
        """The same sampler, whose calls are answered from the recorder first, and kept there."""
        return replace(self, _recorder=recorder)

    def certificates(self, saved: Checkpoint, delta: float) -> dict[int, float]:
        """None before a run has ended."""
        return {}

    def close(self) -> None:
        """Nothing is held."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_recorder": Recorder()}
