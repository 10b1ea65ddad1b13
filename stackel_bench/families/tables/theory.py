"""Which responses of an estimated table count as best, how many pulls that takes, and what it guarantees."""

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

from stackel_bench.learners.budget import Budget
from stackel_bench.learners.guarantee import NOT_ROBUST, NOTHING, PAPER, Guarantee, Line

# The leading term of the total number of samples is AB / eps^2.
PAIR_EXPONENTS = {"epsilon": -2.0, "num_leader_actions": 1.0, "num_follower_actions": 1.0}


def pulls_for_error(error: float, num_pairs: int, delta: float, sub_gaussian_scale: float) -> int:
    """N so that all 2 * num_pairs means are within error with probability 1 - delta.

    Two-sided Hoeffding and a union bound: N = 2 sigma^2 ln(4 AB / delta) / error^2, sigma = 1/2 on [0,1].
    """
    return max(1, math.ceil(2 * sub_gaussian_scale**2 * math.log(4 * num_pairs / delta) / error**2))


def error_of_pulls(pulls: int, num_pairs: int, delta: float, sub_gaussian_scale: float) -> float:
    """t_N: the error that N pulls of each pair guarantee with probability 1 - delta."""
    return sub_gaussian_scale * math.sqrt(2 * math.log(4 * num_pairs / delta) / pulls)


def paper_pulls(epsilon: float, num_pairs: int, delta: float, sub_gaussian_scale: float = 0.5) -> int:
    """The theorem's N = ceil(32 ln(4AB/delta) / eps^2) for rewards in [0,1]: error eps/8 everywhere."""
    return pulls_for_error(epsilon / 8, num_pairs, delta, sub_gaussian_scale)


def lower_bound_pulls(epsilon: float, num_leader_actions: int, num_follower_actions: int) -> int:
    """Total samples below which some game defeats every learner: 3 A floor(B/3) / (864 eps^2)."""
    return math.floor(3 * num_leader_actions * (num_follower_actions // 3) / (864 * epsilon**2))


@dataclass(frozen=True)
class ToleranceRule:
    """How far below the empirical best a response may lie, and how many pulls the rule's theorem wants.

    paper: 3 eps/4 at error eps/8 (Algorithm 1). plug_in: 0, no guarantee. half_tolerance: eps/2 at error
    eps/4, a guarantee on phi_0 only, 4 times fewer pulls. anytime: 2 t_N, whatever N is.
    """

    name: str

    def theory_pulls(self, epsilon: float, pairs: int, delta: float, sub_gaussian_scale: float) -> int:
        """Pulls of each pair under budget=theory."""
        if self.name == "half_tolerance":
            return pulls_for_error(epsilon / 4, pairs, delta, sub_gaussian_scale)
        return paper_pulls(epsilon, pairs, delta, sub_gaussian_scale)

    @functools.lru_cache(maxsize=1024)  # noqa: B019 - rules are a handful of frozen values
    def tolerance(self, budget: Budget, pulls: int, pairs: int, sub_gaussian_scale: float) -> Fraction:
        """tau, exactly: a decimal epsilon is taken at its word, 0.1 means 1/10."""
        epsilon = Fraction(repr(budget.epsilon))
        if self.name == "anytime":
            return Fraction(2 * error_of_pulls(pulls, pairs, budget.delta, sub_gaussian_scale))
        return {"paper": 3 * epsilon / 4, "plug_in": Fraction(0), "half_tolerance": epsilon / 2}[self.name]

    @property
    def guarantee(self) -> Guarantee:
        """With error t of the means: phi_{tau-2t} >= max phi_{tau+2t} - 2t, the response in BR_{tau+2t}."""
        return _GUARANTEES[self.name]


_GUARANTEES = {
    "paper": PAPER,
    "plug_in": NOTHING,
    "half_tolerance": NOT_ROBUST,
    "anytime": Guarantee(
        (Line.LOSS, Line.FOLLOWER), "where t_N <= eps/4: from a quarter of budget=theory on"
    ),
}
RULES = tuple(_GUARANTEES)
