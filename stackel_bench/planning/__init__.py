"""Exact answers on a model: response sets, best responses, commitments, core sets."""

from stackel_bench.planning.best_response import (
    BestResponse,
    best_case_best_response,
    best_responses,
    worst_case_best_response,
)
from stackel_bench.planning.core_set import CoreSet, core_set
from stackel_bench.planning.linear_responses import linear_leader_values
from stackel_bench.planning.mixed_gaps import mixed_gap, mixed_stackelberg_value
from stackel_bench.planning.mixed_optimistic import (
    MixedCommitment,
    best_mixed_leader_strategy,
    margin_commitment,
)
from stackel_bench.planning.mixed_pessimistic import CertifiedCommitment, worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed_value import dyadic_strategy, mixed_leader_value
from stackel_bench.planning.policy_evaluation import occupancy, policy_values

__all__ = [
    "BestResponse",
    "CertifiedCommitment",
    "CoreSet",
    "MixedCommitment",
    "best_case_best_response",
    "best_mixed_leader_strategy",
    "best_responses",
    "core_set",
    "dyadic_strategy",
    "linear_leader_values",
    "margin_commitment",
    "mixed_gap",
    "mixed_leader_value",
    "mixed_stackelberg_value",
    "occupancy",
    "policy_values",
    "worst_case_best_response",
    "worst_case_mixed_leader_strategy",
]
