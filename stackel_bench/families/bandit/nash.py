"""The Nash-finding baseline of bandit games, as turn-based games."""

from dataclasses import dataclass

import numpy as np

from stackel_bench.families.tables.nash import PICK, SELECTIONS, Choice, NashLearner
from stackel_bench.models import PayoffTable
from stackel_bench.options import option
from stackel_bench.planning.finite import turn_based_nash


@dataclass(frozen=True)
class BanditNash(NashLearner):
    """Equilibria of the turn-based game."""

    which: str = option(
        "random", "which equilibrium: best or worst for the leader, random, or backward_induction (Nash-VI)"
    )
    selections = (*SELECTIONS, "backward_induction")

    def equilibrium(self, table: PayoffTable, error: float, draw: float) -> Choice:
        """A pure equilibrium, or what backward induction finds."""
        if self.which == "backward_induction":
            return _backward_induction(table)
        return _pure(table, 2 * error, self.which, draw)


def _pure(table: PayoffTable, tolerance: float, which: str, draw: float) -> Choice:
    found = turn_based_nash(table.leader_means, table.follower_means, tolerance)
    pairs = np.argwhere(found.members)
    values = table.leader_means[found.members]
    row, response = (int(index) for index in pairs[PICK[which](values, draw)])
    return row, None, response, float(table.leader_means[row, response]), float(found.gaps[row, response])


def _backward_induction(table: PayoffTable) -> Choice:
    responses = table.follower_means.argmax(axis=1)
    values = np.take_along_axis(table.leader_means, responses[:, None], axis=1)[:, 0]
    row = int(values.argmax())
    return row, None, int(responses[row]), float(values[row]), 0.0
