"""Learners for bandit games: pull every pair, form response sets with a tolerance, commit to the best row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.row_pulls import PairLearner, PullSums, pull_block
from stackel_bench.families.tables.theory import ANYTIME_RULE, HALF_RULE, PAPER_RULE, PLUG_IN_RULE
from stackel_bench.learners.decision import Decisions
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite import respond
from stackel_bench.tolerances import SUM_TIE


@dataclass(frozen=True, eq=False)
class RowFinding:
    """One leader action, for each tie-breaking: its reward sum [replicate, rung] and the response to it."""

    sums: Mapping[TieBreaking, np.ndarray]
    responses: Mapping[TieBreaking, np.ndarray]

    def __len__(self) -> int:
        return len(self.sums[TieBreaking.PESSIMISTIC])

    def __getitem__(self, replicates: int | slice) -> RowFinding:
        return RowFinding(
            {tie: values[replicates] for tie, values in self.sums.items()},
            {tie: responses[replicates] for tie, responses in self.responses.items()},
        )


@dataclass(frozen=True)
class BanditLearner(PairLearner):
    """Forms response sets from equal pulls of all pairs and commits to the best row."""

    def explore_block(
        self, sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> RowFinding:
        """The empirical values of one leader action from fresh pulls."""
        return self.finding(sampler, schedule, pull_block(sampler, schedule, unit, key))

    def finding(self, sampler: PairSampler, schedule: Schedule, drawn: PullSums) -> RowFinding:
        """What reward sums [replicate, rung, B] say of a leader action: response sets, then the tie rule."""
        pairs, scale = math.prod(sampler.shape), sampler.sub_gaussian_scale
        taus = [self.rule.tolerance(schedule.budget, pulls, pairs, scale) for pulls in schedule.counts]
        members = empirical_response_sets(drawn.follower, taus, schedule.counts, sampler.whole_rewards)
        found = {tie: respond(drawn.leader, members, tie) for tie in TieBreaking}
        return RowFinding(
            {tie: sums for tie, (sums, _) in found.items()},
            {tie: responses for tie, (_, responses) in found.items()},
        )

    def decide_block(
        self,
        sampler: PairSampler,
        schedule: Schedule,
        findings: Sequence[RowFinding],
        tie_breaking: TieBreaking,
    ) -> Decisions:
        """The row with the best empirical value, lowest index on ties, for each rung."""
        counts = np.array(schedule.counts)
        sums = {tie: np.stack([row.sums[tie] for row in findings], axis=-1) for tie in TieBreaking}
        responses = np.stack([row.responses[tie_breaking] for row in findings], axis=-1)
        best = sums[tie_breaking].argmax(axis=-1)[..., None]
        values = np.take_along_axis(sums[tie_breaking], best, axis=-1)[..., 0] / counts
        shape = values.shape
        return Decisions(
            tie_breaking=tie_breaking,
            leader_action=best[..., 0],
            leader_strategy=None,
            follower_response=np.take_along_axis(responses, best, axis=-1)[..., 0],
            estimated_value=values,
            samples=np.broadcast_to(np.array(schedule.samples), shape),
            actions={
                "estimated_phi": sums[TieBreaking.PESSIMISTIC] / counts[:, None],
                "estimated_psi": sums[TieBreaking.OPTIMISTIC] / counts[:, None],
                "samples": np.broadcast_to((counts * sampler.shape[1])[:, None], (*shape, len(findings))),
            },
        )


class Paper(BanditLearner):
    """Algorithm 1: responses within 3 eps/4 of the empirical best, at error eps/8."""

    rule = PAPER_RULE


class PlugIn(BanditLearner):
    """The empirical best response taken at its word; no guarantee."""

    rule = PLUG_IN_RULE


class HalfTolerance(BanditLearner):
    """Responses within eps/2, at error eps/4: four times fewer pulls, nothing promised of phi_{eps/2}."""

    rule = HALF_RULE


class Anytime(BanditLearner):
    """Responses within twice the error of the pulls, whatever their number."""

    rule = ANYTIME_RULE


def empirical_response_sets(
    follower_sums: np.ndarray, taus: Sequence[Fraction], pulls: Sequence[int], whole_rewards: bool
) -> np.ndarray:
    """Which follower actions [..., rung, B] are within tau of the empirical best, for each rung.

    Whole sums are compared as integers: k_max - k_b <= floor(tau N), no tolerance, so that an exact tie is
    one. Other sums get the rounding tolerance of true means.
    """
    behind = follower_sums.max(axis=-1, keepdims=True) - follower_sums
    if whole_rewards:
        limits = [float(math.floor(tau * count)) for tau, count in zip(taus, pulls, strict=True)]
    else:
        limits = [(float(tau) + SUM_TIE) * count for tau, count in zip(taus, pulls, strict=True)]
    return np.asarray(behind <= np.array(limits)[:, None])
