"""What is proven of one leader action, tightened by every look at it, and the policies its proof rests on.

phi_s is the least leader value of policies within s of V2, the follower's best value, which is at least
optimum_low and at most optimum_high. For every multiplier m >= 0, and for every policy pi that is surely
within s, weak duality and membership give

    m (optimum_low - s) - best(m r2+ - r1-) <= phi_s <= highest(r1+, pi).

psi_s is -phi_s of the leader's negated reward. docs/certified.md has the proof.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from stackel_bench.families.bandit_rl.stopping.model_set import ModelSet
from stackel_bench.models import TieBreaking
from stackel_bench.planning.best_response import best_responses
from stackel_bench.planning.kl_ball import OUTWARDS

MARGINS = (0.0, 0.25, 0.5, 0.75, 1.0)  # candidates are within epsilon (1 - margin) by the estimate
MULTIPLIERS = 9  # tried beside 0 and the estimate's own: 2H/epsilon, and halves of it
GOLDEN_STEPS = 7  # between the best one's neighbours
_GOLDEN = (5**0.5 - 1) / 2


@dataclass
class ActionBounds:
    """Bounds hold at all times together, so each look may only improve them."""

    epsilon: float
    tie_breaking: TieBreaking
    win: float = -math.inf  # phi_{eps/2} or psi_eps is at least this
    challenge: float = math.inf  # phi_eps or psi_0 is at most this
    optimum_low: float = -math.inf  # the follower's best value is at least this
    optimum_high: float = math.inf
    asked: np.ndarray | None = None  # the only policy that counts as a response, where a question is about it
    response: np.ndarray | None = None  # a policy surely within epsilon, None where none is known
    estimate: float = -math.inf  # of the value at a slack between the two
    likely: np.ndarray | None = None  # the response that the estimate favours
    plays: list[np.ndarray] = field(default_factory=list)  # policies on which the bounds rest

    def tighten(self, models: ModelSet) -> None:
        """Look at what is possible now."""
        epsilon, pessimistic = self.epsilon, self.tie_breaking is TieBreaking.PESSIMISTIC
        leader = models.leader if pessimistic else -models.leader
        high, hopeful = models.best(models.follower.high)
        low, robust = models.robust(models.follower.low)
        self.optimum_low, self.optimum_high = max(self.optimum_low, low), min(self.optimum_high, high)
        slacks = [epsilon * (1 - margin) for margin in MARGINS]
        candidates = best_responses([models.estimate] * len(slacks), slacks, self.tie_breaking)
        between, steep = (candidates[1], candidates[2]) if pessimistic else (candidates[2], candidates[3])
        self.estimate, self.likely = between.leader_value, between.policy
        policies = [candidate.policy for candidate in candidates]
        inner, shown = inner_bound(
            models, leader.high, self.optimum_high, epsilon, [*policies, models.policy(robust)]
        )
        slack, largest = (epsilon / 2 if pessimistic else 0.0), 2 * len(leader.low) / epsilon
        outer, dual = outer_bound(models, leader.low, self.optimum_low, slack, largest, steep.multiplier)
        win, challenge = (outer, inner) if pessimistic else (-inner, -outer)
        self.win, self.challenge = max(self.win, win), min(self.challenge, challenge)
        if self.asked is None:
            self.response = self.response if shown is None else shown
        elif models.lowest(models.follower.low, self.asked) >= self.optimum_high - epsilon:
            self.response = self.asked
        self.plays = [models.policy(hopeful), models.policy(dual), policies[-1] if shown is None else shown]
        if self.asked is not None and self.response is None:
            self.plays.append(self.asked)


def outer_bound(
    models: ModelSet,
    leader_low: np.ndarray,
    optimum_low: float,
    slack: float,
    largest: float,
    estimated: float,
) -> tuple[float, np.ndarray]:
    """At most phi_slack; and the actions [H,S] of the dual's policy at the estimated multiplier.

    That policy is worth playing: the multiplier that is best for the bound stays at 0 as long as the bound is
    trivial, and its policy tells nothing. `largest` is the largest multiplier that is tried.
    """
    estimated = min(max(estimated, 0.0), largest)

    def bound(multiplier: float) -> tuple[float, np.ndarray]:
        value, actions = models.best(multiplier * models.follower.high - leader_low)
        rounding = OUTWARDS * (multiplier * (abs(optimum_low) + slack) + abs(value))
        return multiplier * (optimum_low - slack) - value - rounding, actions

    grid = sorted({0.0, estimated, *(largest / 2**k for k in range(MULTIPLIERS))})
    found = [bound(multiplier) for multiplier in grid]
    values = [value for value, _ in found]
    at = int(np.argmax(values))
    ends = grid[max(0, at - 1)], grid[min(at + 1, len(grid) - 1)]
    return max(values[at], _searched(lambda m: bound(m)[0], *ends)), found[grid.index(estimated)][1]


def inner_bound(
    models: ModelSet,
    leader_high: np.ndarray,
    optimum_high: float,
    slack: float,
    policies: Sequence[np.ndarray],
) -> tuple[float, np.ndarray | None]:
    """At least phi_slack; and the policy among these that shows it, None if none is surely within slack."""
    best, shown = models.best(leader_high)[0], None
    for policy in policies:
        if models.lowest(models.follower.low, policy) >= optimum_high - slack:
            value = models.highest(leader_high, policy)
            if shown is None or value < best:
                best, shown = min(best, value), policy
    return best, shown


def _searched(bound: Callable[[float], float], low: float, high: float) -> float:
    """The largest value that a golden-section search for the maximum of a concave function meets."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = bound(left), bound(right)
    best = max(at_left, at_right)
    for _ in range(GOLDEN_STEPS - 2):
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = bound(right)
        best = max(best, at_left, at_right)
    return best
