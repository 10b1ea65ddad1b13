"""Learners by family and name; options that do not fit are refused with the ones that do."""

from typing import Any

from stackel_bench.families.from_outside import LEARNER, require_family
from stackel_bench.families.registry import family_of
from stackel_bench.learners.learner import Learner
from stackel_bench.options import changed, values_of


def make_learner(family: str, algorithm: str | Learner, /, **options: Any) -> Learner:
    """The learner that `algorithm` names in this family, its fields being options, or that it is itself."""
    learners, where = family_of(family).learners, f" on {family} games"
    learner: Learner = LEARNER.make(algorithm, learners, options, where)
    require_family(learner, algorithm if isinstance(algorithm, str) else learner.name, family)
    return learner


def learner_options(learner: Learner) -> dict[str, Any]:
    """Every option of the learner with its value."""
    return dict(learner.options) if hasattr(learner, "options") else values_of(learner)


def changed_options(learner: Learner) -> dict[str, Any]:
    """The options that differ from their defaults."""
    return dict(learner.changed_options) if hasattr(learner, "changed_options") else changed(learner)
