"""What samples alone prove about a decision, whether or not the truth is known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """Statements that hold together with probability 1 - delta; the suboptimality itself stays unknown.

    error is t: every mean of both players is known up to it. The leader's mean reward at the pair that the
    decision expects is in [value_low, value_high]. The response expected is within follower_slack of the
    follower's best. A pessimistic decision earns at least value_low from every follower who responds within
    robust_slack of the best; an optimistic one from the follower who responds as expected. If guaranteed,
    the commitment is within 2 error of the best value at slack follower_slack (pessimistic) or robust_slack
    (optimistic); without enough samples, tolerance < 2 error, there is no such statement.
    """

    error: float
    delta: float
    value_low: float
    value_high: float
    follower_slack: float
    robust_slack: float | None
    samples: int

    @property
    def guaranteed(self) -> bool:
        """Whether the tolerance covers the error, so that the theorem's argument goes through."""
        return self.robust_slack is not None

    def __str__(self) -> str:
        robust = "none: too few samples" if self.robust_slack is None else f"slack {self.robust_slack:.4g}"
        return (
            f"with probability {1 - self.delta:g}: "
            f"leader value in [{self.value_low:.4g}, {self.value_high:.4g}]; "
            f"response within {self.follower_slack:.4g} of the best; robustness {robust}; "
            f"{self.samples} samples; suboptimality unknown"
        )
