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

    With error t of the means: phi_{tau-2t} >= max phi_{tau+2t} - 2t, the response in BR_{tau+2t}.
    """

    name: str
    guarantee: Guarantee
    share: Fraction | None  # tau as a share of epsilon; None: 2 t_N, whatever N is
    error: float = 1 / 8  # of all means, as a share of epsilon, under budget=theory

    def theory_pulls(self, epsilon: float, pairs: int, delta: float, sub_gaussian_scale: float) -> int:
        """Pulls of each pair under budget=theory."""
        return pulls_for_error(epsilon * self.error, pairs, delta, sub_gaussian_scale)

    @functools.lru_cache(maxsize=1024)  # noqa: B019 - rules are a handful of frozen values
    def tolerance(self, budget: Budget, pulls: int, pairs: int, sub_gaussian_scale: float) -> Fraction:
        """tau, exactly: a decimal epsilon is taken at its word, 0.1 means 1/10."""
        if self.share is None:
            return Fraction(2 * error_of_pulls(pulls, pairs, budget.delta, sub_gaussian_scale))
        return self.share * Fraction(repr(budget.epsilon))


PAPER_RULE = ToleranceRule("paper", PAPER, Fraction(3, 4))  # Algorithm 1
PLUG_IN_RULE = ToleranceRule("plug_in", NOTHING, Fraction(0))
HALF_RULE = ToleranceRule("half_tolerance", NOT_ROBUST, Fraction(1, 2), 1 / 4)  # 4 times fewer pulls
_ANYTIME = Guarantee((Line.LOSS, Line.FOLLOWER), "where t_N <= eps/4: from a quarter of budget=theory on")
ANYTIME_RULE = ToleranceRule("anytime", _ANYTIME, None)
