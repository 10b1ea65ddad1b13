"""What the paper's theorems say about a row of the tables: a lower bound, and exponents of the samples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from stackel_bench.theory.pulls import lower_bound_pulls

# The leading term of the total number of samples: (AB/eps^2), (H^5 S^2 AB/eps^2), (d^2/eps^2), (AB/eps^2).
_PAIRS = {"epsilon": -2.0, "num_leader_actions": 1.0, "num_follower_actions": 1.0}
EXPONENTS: Mapping[str, Mapping[str, float]] = {
    "bandit": _PAIRS,
    "bandit_rl": {**_PAIRS, "num_states": 2.0, "horizon": 5.0},
    "linear": {"epsilon": -2.0, "dimension": 2.0},
    "simultaneous": _PAIRS,
}
AXES = ("epsilon", "num_leader_actions", "num_follower_actions", "num_states", "horizon", "dimension")


def theorem_exponent(family: str, axis: str) -> float | None:
    """The power of the axis in the theorem's sample size, None where the theorem does not mention it."""
    return EXPONENTS.get(family, {}).get(axis)


def lower_bound(row: Mapping[Hashable, Any]) -> float | None:
    """Total samples below which some game defeats every learner; None where no constant is known."""
    if row["family"] != "bandit":
        return None
    bound = lower_bound_pulls(
        row["epsilon"], int(row["num_leader_actions"]), int(row["num_follower_actions"])
    )
    return float(bound) if bound >= 1 else None
