"""What is proven of one leader action, tightened by every look at it, and the policies its proof rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from stackel_bench.families.bandit_rl.stopping.model_set import ModelSet
from stackel_bench.families.bandit_rl.stopping.value_bounds import inner_bound, outer_bound
from stackel_bench.models import TieBreaking
from stackel_bench.planning.best_response import best_responses

MARGINS = (0.0, 0.25, 0.5, 0.75, 1.0)  # candidates are within epsilon (1 - margin) by the estimate


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
