"""The Nash-finding baseline of simultaneous games."""

from dataclasses import dataclass

import numpy as np

from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.nash import PICK, Choice, NashLearner
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.nash import follower_gain, nash_equilibria, require_enumerable
from stackel_bench.planning.mixed.value import dyadic_strategy


@dataclass(frozen=True)
class SimultaneousNash(NashLearner):
    """Mixed equilibria, which must be few enough to be listed."""

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """Equal pulls of all pairs; sizes that cannot be enumerated are refused before anything runs."""
        require_enumerable(*sampler.shape)
        return super().schedule(sampler, budget)

    def equilibrium(self, table: PayoffTable, error: float, draw: float) -> Choice:
        """One of the extreme mixed equilibria."""
        return _mixed(table, self.which, draw)


def _mixed(table: PayoffTable, which: str, draw: float) -> Choice:
    found = nash_equilibria(table)
    nash = found[PICK[which](np.array([nash.leader_value for nash in found]), draw)]
    strategy = dyadic_strategy(nash.leader_strategy)
    response = int(nash.follower_strategy.argmax())
    gain = follower_gain(table, strategy, nash.follower_strategy)
    return None, strategy, response, nash.leader_value, gain
