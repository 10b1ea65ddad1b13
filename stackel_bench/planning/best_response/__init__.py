"""The follower's best responses in a follower MDP, and what policies are worth."""

from stackel_bench.planning.best_response.responses import (
    METHODS,
    BestResponse,
    best_case_best_response,
    best_responses,
    worst_case_best_response,
)

__all__ = ["METHODS", "BestResponse", "best_case_best_response", "best_responses", "worst_case_best_response"]
