"""Bandit games of which only a simulator is known: learners can sample them, nobody can look up the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.games.identity import digest_of_arrays
from stackel_bench.text import short_html, short_repr

# (leader_action, follower_action, pulls, rng) -> (sum of the leader's rewards, sum of the follower's)
Simulate = Callable[[int, int, int, np.random.Generator], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class BlackBoxSampler:
    """Sampling access to a simulator, with what a sampler of payoff tables offers."""

    block_size: ClassVar[int] = 1  # a simulator plays one replicate after the other
    job_per_unit: ClassVar[bool] = True  # nobody knows how long a simulator takes
    _simulate: Simulate = field(repr=False)
    shape: tuple[int, int]  # (A, B)
    sub_gaussian_scale: float
    whole_rewards: ClassVar[bool] = False
    unit_rewards: ClassVar[bool] = False  # nobody has promised more than the scale

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
        sums = np.zeros((replicates or 1, len(ladder), self.shape[1], 2))
        for replicate in sums:
            for rung, new in enumerate(np.diff(ladder, prepend=0)):
                for follower_action in range(self.shape[1]):
                    replicate[rung, follower_action] = self._sums(
                        leader_action, follower_action, int(new), rng
                    )
        sums = sums.cumsum(axis=1)
        found = sums[0] if replicates is None else sums
        return found[..., 0], found[..., 1]

    def pull_pairs(self, wanted: np.ndarray, pulls: int, rng: np.random.Generator) -> NoReturn:
        """An InputError: eliminating learners draw ahead for pairs that they drop, which is not free here."""
        allowed = "a learner that pulls whole rows, on a black box"
        raise InputError("algorithm", "successive_elimination", allowed)

    def pull_counts(self, counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [A,B] of counts[a,b] pulls of each pair."""
        sums = np.zeros((2, *self.shape))
        for row, column in np.argwhere(counts):
            sums[:, row, column] = self._sums(int(row), int(column), int(counts[row, column]), rng)
        return sums[0], sums[1]

    def _sums(
        self, leader_action: int, follower_action: int, pulls: int, rng: np.random.Generator
    ) -> np.ndarray:
        if pulls == 0:
            return np.zeros(2)
        found = self._simulate(leader_action, follower_action, pulls, rng)
        field_name = f"simulate({leader_action}, {follower_action}, {pulls}, rng)"
        return checks.array(field_name, found, shape=(2,))


@dataclass(frozen=True, eq=False, repr=False)
class BlackBoxGame:
    """A simulator of a bandit game with unknown means.

    Learners work as on any bandit game. What needs the truth (values, gaps, suboptimality) raises an
    InputError; `stackel_bench.certificate` says what a decision is worth with high probability.
    sub_gaussian_scale is the user's word on the tails of a single reward; 1/2 covers rewards in [0,1].
    """

    __repr__ = short_repr
    _repr_html_ = short_html

    family: ClassVar[str] = "bandit"
    simulate: Simulate = field(repr=False)
    num_leader_actions: int
    num_follower_actions: int
    sub_gaussian_scale: float = 0.5
    name: str = "bandit/black_box"  # together with the sizes it keys the random streams
    identity: str = ""

    def __post_init__(self) -> None:
        if not callable(self.simulate):
            allowed = "a function (leader_action, follower_action, pulls, rng) -> (leader sum, follower sum)"
            raise InputError("simulate", self.simulate, allowed)
        checks.integer("num_leader_actions", self.num_leader_actions, least=1)
        checks.integer("num_follower_actions", self.num_follower_actions, least=1)
        scale = checks.real("sub_gaussian_scale", self.sub_gaussian_scale, least=0, open_least=True)
        if not self.identity:
            digest = digest_of_arrays(self.family, (), self.name, *self.sizes.values(), scale)
            object.__setattr__(self, "identity", digest)

    @property
    def sampler(self) -> BlackBoxSampler:
        """All that a learner gets."""
        shape = (self.num_leader_actions, self.num_follower_actions)
        return BlackBoxSampler(self.simulate, shape, self.sub_gaussian_scale)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        return {
            "num_leader_actions": self.num_leader_actions,
            "num_follower_actions": self.num_follower_actions,
        }
