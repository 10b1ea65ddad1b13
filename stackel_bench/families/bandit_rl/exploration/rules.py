"""Sampling rules of one phase: uniform play, a generative model as skyline, and greedy ones between."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.exploration.certificate import (
    certificate_bonus,
    log1p_each,
    propagated_bonus,
    uncapped_values,
)
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal, Shape
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.single_run import GreedyRun, SingleRun
from stackel_bench.families.bandit_rl.theory import rf_ucrl_episodes
from stackel_bench.options import option
from stackel_bench.simulation.episodes import simulated
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.tally import Tally


@dataclass(frozen=True)
class Uniform(SingleRun):
    """Every action equally likely at every state; it has no theorem and gets the paper's total."""

    name = "uniform"

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """Each plan adds the episodes that it has more than the one before."""
        uniform = PolicyMixture.uniform(running.simulator.shape)
        for plan in plans:
            fresh = plan.total - running.episodes
            running.add(running.simulator.play_mixture(uniform, fresh, rng), fresh)
            yield uniform


@dataclass(frozen=True)
class Generative(SingleRun):
    """Asks every triple equally often; H queries cost one episode, which would show H transitions."""

    name = "generative"
    needs_simulation = True

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[None]:
        """Each plan adds the queries that it has more than the one before."""
        model = simulated(running.simulator)
        for plan in plans:
            queries = _queries(model.shape, plan.total) - running.tally.visits()
            running.add(Tally.unrewarded(model.query(queries, rng)), plan.total - running.episodes)
            yield None


def _queries(shape: Shape, episodes: int) -> np.ndarray:
    """Queries int64 [H,S,B] that H * episodes allow; those that do not divide evenly go to the first."""
    triples = shape[0] * shape[1] * shape[2]
    each, left = divmod(episodes * shape[0], triples)
    queries = np.full(triples, each, dtype=np.int64)
    queries[:left] += 1
    return queries.reshape(shape)


@dataclass(frozen=True)
class RFUCRL(GreedyRun):
    """Plays the policy with the largest certified error, until the certificate is at most epsilon/8.

    Then slack 3 epsilon/4 in planning gives the theorem's conclusion for every epsilon. Policies are greedy
    for the recursion without its caps, as its authors recommend; the certificate keeps the caps. Fixed
    budgets are spent to the end.
    """

    name = "rf_ucrl"
    proved = True

    def theory_plan(self, shape: Shape, goal: Goal) -> EpisodePlan:
        """The stopping time's bound as a limit; the certificate ends the run earlier."""
        return EpisodePlan({"explore": rf_ucrl_episodes(shape, goal)}, stop_when_certified=True)

    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """Those of the certificate's recursion."""
        return uncapped_values(running.tally.counts, lambda visits: certificate_bonus(visits, goal), 1.0)


@dataclass(frozen=True)
class RFExpress(GreedyRun):
    """Plays greedily for W_h = 15 H^2 beta(n)/n + (1 + 1/H) p_hat max W_{h+1}, without caps.

    beta(n) = ln(3 S B H/delta) + S ln(8 e (n+1)), delta shared by the leader actions. Only its sampling is
    used, at a fixed budget: with the published constants its own stopping rule needs orders of magnitude more
    than RF-UCRL's until the horizon is in the thousands.
    """

    name = "rf_express"

    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """W [H,S,B]."""
        horizon, states, actions = running.simulator.shape
        constant = math.log(3 * states * actions * horizon * goal.num_leader_actions / goal.delta)

        def bonus(visits: np.ndarray) -> np.ndarray:
            beta = constant + states * (math.log(8 * math.e) + log1p_each(visits))
            return np.asarray(15 * horizon**2 * beta / visits)

        return uncapped_values(running.tally.counts, bonus, 1 + 1 / horizon)


@dataclass(frozen=True)
class UCBVI(GreedyRun):
    """Plays greedily for Q_h = min(H-h+1, r2_hat + b + p_hat max Q_{h+1}).

    b = bonus_scale 2H sqrt(ln(SBHNA/delta)/n), N being the run's total. It finds the follower's best response
    but visits other near-best responses rarely, so the leader's value over all of them stays uncertain: no
    guarantee, however long it runs.
    """

    bonus_scale: float = option(1.0, "factor on the bonus")

    name = "ucbvi"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.real("bonus_scale", self.bonus_scale, least=0, open_least=True)

    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """Q [H,S,B]."""
        horizon, states, actions = running.simulator.shape
        log_term = math.log(states * actions * horizon * max(1, most) * goal.num_leader_actions / goal.delta)
        width = self.bonus_scale * 2 * horizon * math.sqrt(log_term)
        visits = running.tally.visits()
        at_least_one = np.maximum(visits, 1)
        optimistic = running.reward_sums()[1] / at_least_one + width / np.sqrt(at_least_one)
        bonus = np.where(visits > 0, optimistic, np.inf)
        return propagated_bonus(running.tally.counts, bonus, np.arange(horizon, 0.0, -1.0), 1.0)[0]
