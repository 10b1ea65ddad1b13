"""What played episodes leave behind: transition counts and both players' reward sums, and who plays them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stackel_bench.simulation.policy_mixture import PolicyMixture


@dataclass(eq=False)
class Tally:
    """Transition counts int64 [L,S,B,S] and reward sums [L,S,B] of episodes; whoever plays more adds to it.

    rewarded int64 [L,S,B] are the visits whose rewards are in the sums: real play sees them at once, exact
    simulation draws them when they are first asked for (`EpisodeSource.draw_rewards`).
    """

    counts: np.ndarray
    leader_sums: np.ndarray
    follower_sums: np.ndarray
    rewarded: np.ndarray

    @classmethod
    def empty(cls, shape: tuple[int, int, int]) -> Tally:
        """Of no episode; shape is (layers L, states S, follower actions B)."""
        return cls.unrewarded(np.zeros((*shape, shape[1]), dtype=np.int64))

    @classmethod
    def unrewarded(cls, counts: np.ndarray) -> Tally:
        """Of episodes whose rewards nobody has drawn yet."""
        shape = counts.shape[:3]
        return cls(counts, np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64))

    def visits(self) -> np.ndarray:
        """Visits int64 [L,S,B]."""
        return np.asarray(self.counts.sum(axis=3))

    def add(self, other: Tally) -> None:
        """Take in further episodes; of fewer layers where only those were played."""
        layers = len(other.counts)
        self.counts[:layers] += other.counts
        self.leader_sums[:layers] += other.leader_sums
        self.follower_sums[:layers] += other.follower_sums
        self.rewarded[:layers] += other.rewarded


class EpisodeSource(Protocol):
    """Plays episodes of one leader action: by exact simulation of their counts, or for real.

    All randomness comes from rng, whose state afterwards depends on the calls alone.
    """

    @property
    def shape(self) -> tuple[int, int, int]:
        """(horizon H, number of states S, number of follower actions B)."""

    @property
    def initial_state(self) -> int:
        """Where every episode starts."""

    def play(self, policy: np.ndarray, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes under a Markov policy [H,S,B] (rows sum to 1)."""

    def play_mixture(self, mixture: PolicyMixture, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes that each draw a policy of the mixture by weight."""

    def play_until_doubled(
        self,
        actions: np.ndarray,
        tally: Tally,
        limit: int,
        rng: np.random.Generator,
        *,
        layers: int,
        first_batch: int = 1,
        exact: bool = False,
    ) -> int:
        """Number of episodes played, at most limit, until a visit count of this policy has doubled.

        actions int16 [H,S] act in layers < `layers`; nothing is known of later ones. tally, of at least
        `layers` layers, has all that was seen so far and receives what is new. exact=True stops at the
        episode that doubles a count (from 0: at the first visit); exact=False looks only after batches of
        first_batch, first_batch, 2 first_batch, 4 first_batch, ... episodes.
        """

    def draw_rewards(self, tally: Tally, rng: np.random.Generator) -> None:
        """Add the rewards of those visits that have none yet."""
