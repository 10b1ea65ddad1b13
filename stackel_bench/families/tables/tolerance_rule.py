"""Which responses count as best in an estimated table, and what that guarantees."""

import functools
from dataclasses import dataclass
from fractions import Fraction

from stackel_bench.families.tables.theory import error_of_pulls, paper_pulls, pulls_for_error
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.guarantee import NOT_ROBUST, NOTHING, PAPER, Guarantee, Line


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
