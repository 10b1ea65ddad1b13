"""A game of action pairs: a payoff table and the noise on top of it; who sees what is the family's affair."""

from dataclasses import dataclass, field
from typing import ClassVar

from stackel_bench.families.tables.pair_sampling import PairSampler
from stackel_bench.games.identity import digest_of_arrays
from stackel_bench.games.noise import Noise
from stackel_bench.models import PayoffTable
from stackel_bench.text import short_html, short_repr


@dataclass(frozen=True, eq=False, repr=False)
class TableGame:
    """A payoff table (the truth) and the noise on top of it; learners pull pairs of actions."""

    __repr__ = short_repr
    _repr_html_ = short_html

    family: ClassVar[str]
    table: PayoffTable
    noise: Noise = field(default_factory=Noise)
    name: str = ""
    identity: str = ""

    def __post_init__(self) -> None:
        self.noise.validate_means("leader_means", self.table.leader_means)
        self.noise.validate_means("follower_means", self.table.follower_means)
        object.__setattr__(self, "name", self.name or f"{self.family}/explicit")
        if not self.identity:
            arrays = (self.table.leader_means, self.table.follower_means)
            object.__setattr__(self, "identity", digest_of_arrays(self.family, arrays, self.noise))

    @property
    def sampler(self) -> PairSampler:
        """All that a learner gets."""
        return PairSampler(self.table, self.noise)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        leader, follower = self.table.shape
        return {"num_leader_actions": leader, "num_follower_actions": follower}
