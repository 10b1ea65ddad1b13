"""For given weights of the pairs: what the cheapest game costs that makes an answer wrong, and such games.

Each game is a cut: the divergences [A,B] between the true game and it, per unit of weight.
"""

from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit.lower_bound.alternatives import costs_of, entry_costs, overtaken, two_rows
from stackel_bench.families.bandit.lower_bound.divergence import fall, rise
from stackel_bench.models import TieBreaking

WORTH_KNOWING = 3.0  # games that cost more than so many times the cheapest one's are not looked for


@dataclass(frozen=True, eq=False)
class Question:
    """Means [A,B] in units of the standard deviation, and what is asked of the answer."""

    leader: np.ndarray  # with optimistic tie-breaking negated, or 1 minus it
    follower: np.ndarray
    epsilon: float
    tie_breaking: TieBreaking
    law: int

    def leader_line(self, weights: np.ndarray, row: int, tolerance: float) -> tuple[float, list[np.ndarray]]:
        """The certified least cost of a game in which the row is wrong, and such games, as cuts."""
        pessimistic = self.tie_breaking is TieBreaking.PESSIMISTIC
        slack = self.epsilon / 2 if pessimistic else 0.0
        entry, levels = np.empty_like(weights), np.empty_like(weights)
        for some in [row] if pessimistic else range(len(weights)):
            entry_costs(self.law, weights[some], self.follower[some], slack, entry[some], levels[some])
        least, cuts = np.inf, []
        for other in range(len(weights)):
            if other == row:
                continue
            some, every = (row, other) if pessimistic else (other, row)
            found = np.full(5, np.inf)
            bound = two_rows(
                *(self.law, self.epsilon, tolerance),
                *(weights[some], self.leader[some], entry[some]),
                *(weights[every], self.leader[every], self.follower[every]),
                most=WORTH_KNOWING * least,
                found=found,
            )
            least = min(least, bound)
            if np.isfinite(found[0]):
                cut = np.zeros_like(weights)
                costs_of(
                    *(self.law, self.epsilon, slack, found, levels[some, int(found[1])]),
                    *(self.leader[some], self.follower[some], self.leader[every], self.follower[every]),
                    *(cut[some], cut[every]),
                )
                cuts.append(cut)
        return least, cuts

    def follower_line(self, weights: np.ndarray, row: int, response: int) -> tuple[float, list[np.ndarray]]:
        """The least cost of a game in which the response is further than epsilon from the row's best."""
        means, least, cuts = self.follower[row], np.inf, []
        for other in range(weights.shape[1]):
            if other != response:
                shares = weights[row, response], means[response], weights[row, other], means[other]
                x = overtaken(self.law, self.epsilon, *shares)
                cut = np.zeros_like(weights)
                cut[row, response] = fall(self.law, means[response], x - self.epsilon)
                cut[row, other] = rise(self.law, means[other], x)
                if np.isfinite(cut).all():
                    cuts.append(cut)
                    least = min(least, float((weights * cut)[row].sum()))
        return least, cuts
