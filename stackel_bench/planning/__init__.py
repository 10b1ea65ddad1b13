"""Exact answers on a model: response sets, best responses, commitments, core sets."""

from stackel_bench.planning.best_response import (
    BestResponse,
    best_case_best_response,
    best_responses,
    worst_case_best_response,
)
from stackel_bench.planning.best_response.policy_evaluation import occupancy, policy_values
from stackel_bench.planning.design.core_set import CoreSet, core_set
from stackel_bench.planning.finite import linear_leader_values
from stackel_bench.planning.mixed.gaps import mixed_gap, mixed_stackelberg_value
from stackel_bench.planning.mixed.optimistic import (
    MixedCommitment,
    best_mixed_leader_strategy,
    margin_commitment,
)
from stackel_bench.planning.mixed.pessimistic import CertifiedCommitment, worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed.value import dyadic_strategy, mixed_leader_value

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
