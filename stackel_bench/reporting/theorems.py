"""What the paper's theorems say about a row of the tables: a lower bound, and exponents of the samples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from stackel_bench.families.registry import family_of
from stackel_bench.families.sizes import SIZES

AXES = ("epsilon", *SIZES)


def theorem_exponent(family: str, axis: str) -> float | None:
    """The power of the axis in the theorem's sample size, None where the theorem does not mention it."""
    return family_of(family).exponents.get(axis)


def lower_bound(row: Mapping[Hashable, Any]) -> float | None:
    """Total samples below which some game defeats every learner; None where no constant is known."""
    family = family_of(row["family"])
    if family.lower_bound is None:
        return None
    bound = family.lower_bound(row["epsilon"], {size: int(row[size]) for size in family.sizes})
    return float(bound) if bound >= 1 else None
