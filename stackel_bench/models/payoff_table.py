"""A payoff table: mean reward of leader and follower for each pair of actions."""

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.text import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class PayoffTable(ShortRepr):
    """Two matrices [A,B]; rows are leader actions, columns follower actions."""

    leader_means: np.ndarray
    follower_means: np.ndarray

    def __post_init__(self) -> None:
        leader = checks.array("leader_means", self.leader_means, shape=(None, None))
        follower = checks.array("follower_means", self.follower_means, shape=leader.shape)
        object.__setattr__(self, "leader_means", leader)
        object.__setattr__(self, "follower_means", follower)

    @property
    def shape(self) -> tuple[int, int]:
        """(number of leader actions A, number of follower actions B)."""
        return self.leader_means.shape
