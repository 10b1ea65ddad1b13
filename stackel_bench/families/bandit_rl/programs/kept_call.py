"""What calls of played episodes have shown, in the form that is kept where a run is cut."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench.simulation.recording import Checkpoint
from stackel_bench.simulation.tally import Tally


@dataclass(eq=False)
class KeptCall:
    """What one call has played so far."""

    leader_action: int
    tally: Tally
    played: int = 0

    def packed(self) -> tuple[Any, ...]:
        """Plain arrays of what is not zero."""
        tally = self.tally
        seen = np.flatnonzero(tally.counts)
        at = np.flatnonzero(tally.rewarded)
        sums = (np.ravel(tally.leader_sums)[at], np.ravel(tally.follower_sums)[at])
        shape = tally.counts.shape[:3]
        return self.leader_action, shape, self.played, seen, np.ravel(tally.counts)[seen], at, *sums

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> KeptCall:
        """The call that was packed."""
        leader_action, shape, played, seen, counts, at, leader, follower = packed
        tally = Tally.empty(shape)
        tally.counts.reshape(-1)[seen] = counts
        tally.leader_sums.reshape(-1)[at], tally.follower_sums.reshape(-1)[at] = leader, follower
        tally.rewarded = tally.visits()
        return cls(leader_action, tally, played)


def counts_so_far(saved: Checkpoint, shape: tuple[int, int, int]) -> dict[int, np.ndarray]:
    """Transition counts [H,S,B,S] of all episodes of a run that was cut, by leader action, if all are there.

    Answers of earlier rounds are not kept with a run in rounds.
    """
    played: Counter[int] = Counter()
    found: defaultdict[int, np.ndarray] = defaultdict(lambda: np.zeros((*shape, shape[1]), dtype=np.int64))
    for packed in filter(None, (*saved.answers, saved.partial)):
        leader_action, _, episodes, seen, counts, *_ = packed
        played[leader_action] += episodes
        found[leader_action].reshape(-1)[seen] += counts  # of the first layers, which come first
    return {action: found[action] for action in found if played[action] == saved.samples[action]}
