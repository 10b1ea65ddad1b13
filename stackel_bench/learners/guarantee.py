"""What a learner promises: lines of the theorem, how much each of them allows, and when they hold."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from stackel_bench import checks
from stackel_bench.errors import InputError


class Line(StrEnum):
    """A statement about one decision (a, b) with accuracy eps, that the truth can check.

    LOSS: phi_0(a) >= max phi_0 - gap_eps - eps, with optimistic tie-breaking psi instead of phi.
    ROBUSTNESS: phi_{eps/2}(a) >= max phi_0 - gap_eps - eps: the same against a follower who errs by eps/2, so
    it implies LOSS. Optimistic tie-breaking has no such line. FOLLOWER: b is within eps of the best response.
    """

    LOSS = "loss"
    ROBUSTNESS = "robustness"
    FOLLOWER = "follower"


@dataclass(frozen=True)
class Guarantee:
    """The lines by which a learner is judged; tolerances and slacks are shares of eps.

    when says from which budget on, or on which games, the learner's theorem gives these lines with
    probability 1 - delta. Empty: it promises nothing, and is measured against the lines all the same.
    """

    lines: Collection[Line] = tuple(Line)
    when: str = ""
    loss_tolerance: float = 1.0  # lost beyond the gap
    robust_slack: float = 0.5  # what the follower of the robustness line errs by
    follower_slack: float = 1.0

    def __post_init__(self) -> None:
        lines = frozenset(Line(line) for line in self.lines)
        if not lines or (Line.ROBUSTNESS in lines and Line.LOSS not in lines):
            raise InputError(
                "guarantee.lines", sorted(lines), "loss, follower or both; robustness beside loss"
            )
        object.__setattr__(self, "lines", tuple(line for line in Line if line in lines))  # same bytes always
        for name in ("loss_tolerance", "robust_slack", "follower_slack"):
            checks.real(f"guarantee.{name}", getattr(self, name), least=0)

    @property
    def promised(self) -> bool:
        """Whether a theorem stands behind the lines."""
        return bool(self.when)


THEORY = "from budget=theory on"
PAPER = Guarantee(when=THEORY)
NOTHING = Guarantee()
NOT_ROBUST = Guarantee((Line.LOSS, Line.FOLLOWER), THEORY)


def guarantee_of(learner: Any) -> Guarantee:
    """What the learner declares as its attribute `guarantee`; without one the paper's lines, not promised."""
    found = getattr(learner, "guarantee", NOTHING)
    if not isinstance(found, Guarantee):
        raise InputError("guarantee", found, "a Guarantee, as in stackel_bench.learners.guarantee")
    return found
