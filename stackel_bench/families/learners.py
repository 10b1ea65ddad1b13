"""Learners by family and name; options that do not fit are refused with the ones that do."""

from typing import Any

from stackel_bench.errors import InputError, NoEffectError, UnknownNameError
from stackel_bench.families.from_outside import (
    LEARNER_MEMBERS,
    is_outside,
    load_outside,
    outside_learner,
    require_family,
    require_members,
)
from stackel_bench.families.registry import family_of
from stackel_bench.learners.learner import Learner
from stackel_bench.options import build, changed, values_of
from stackel_bench.outside.plugins import LEARNERS


def make_learner(family: str, algorithm: str | Learner, /, **options: Any) -> Learner:
    """The learner that `algorithm` names in this family, its fields being options, or that it is itself."""
    if hasattr(algorithm, "schedule") and not isinstance(algorithm, str | type):
        for key in options:
            raise NoEffectError(key, "a learner object has its own options")
        require_members("algorithm", algorithm, LEARNER_MEMBERS, "learner")
        require_family(algorithm, algorithm.name, family)
        return algorithm
    learners = family_of(family).learners
    if is_outside(LEARNERS, algorithm) and algorithm not in learners:
        found = load_outside(LEARNERS, algorithm, "algorithm")
        outside: Learner = outside_learner(algorithm, found, family, options)
        return outside
    if isinstance(algorithm, type):
        raise InputError("algorithm", algorithm, f"a name, or an object: {algorithm.__name__}()")
    if not isinstance(algorithm, str) or algorithm not in learners:
        raise UnknownNameError("algorithm", algorithm, sorted(learners), f" on {family} games")
    learner: Learner = build(learners[algorithm], options, "algorithm.")
    return learner


def learner_options(learner: Learner) -> dict[str, Any]:
    """Every option of the learner with its value."""
    return dict(learner.options) if hasattr(learner, "options") else values_of(learner)


def changed_options(learner: Learner) -> dict[str, Any]:
    """The options that differ from their defaults."""
    return dict(learner.changed_options) if hasattr(learner, "changed_options") else changed(learner)
