"""How many samples a learner may draw: the theorem's number, a multiple, a fixed total, or a ladder."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from stackel_bench import checks, options
from stackel_bench.errors import InputError, NoEffectError
from stackel_bench.options import option

# Beyond these no study is meant, and within them no formula of theory/ leaves the range of float64.
LEAST_EPSILON, MOST_EPSILON = 1e-12, 1e6
LEAST_DELTA = 1e-100
MOST_SCALE, MOST_RATIO = 1e15, 1e4


@dataclass(frozen=True)
class Budget:
    """Accuracy wanted; the kinds of budgets say how many samples are allowed for it.

    A budget has one rung, or several along a ladder.
    """

    epsilon: float = option(0.1, "accuracy: the guarantee is gap + epsilon")
    delta: float = option(0.05, "allowed failure probability")

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        self._check_real("epsilon", least=LEAST_EPSILON, most=MOST_EPSILON)
        self._check_real("delta", least=LEAST_DELTA, most=1, open_most=True)

    def _check_real(self, name: str, **limits: Any) -> None:
        object.__setattr__(self, name, checks.real(f"budget.{name}", getattr(self, name), **limits))

    @property
    def scale(self) -> float:
        """Factor on the theorem's number."""
        return 1.0

    @property
    def samples(self) -> int | None:
        """Total samples; None if the theorem says how many."""
        return None

    @property
    def divisors(self) -> tuple[float, ...]:
        """What the largest rung is divided by, rung by rung, the largest divisor first."""
        return (1.0,)

    @property
    def total_is_given(self) -> bool:
        """Whether budget.samples, not the theorem, says how many samples there are."""
        return self.samples is not None

    def unit_counts(self, theory_count: int, samples_per_count: int, unit: str) -> tuple[int, ...]:
        """Counts per rung, ascending, where one count costs samples_per_count samples.

        theory_count is the theorem's number; unit names what is counted, for the error message.
        """
        if self.samples is not None:
            top = self.samples // samples_per_count
            if top == 0:
                allowed = f"an integer >= {samples_per_count} (one {unit})"
                raise InputError("budget.samples", self.samples, allowed)
        else:
            top = theory_count if self.scale == 1.0 else max(1, math.ceil(theory_count * self.scale))
        if top * samples_per_count > checks.MAX_EXACT_COUNT:
            allowed = "at most 2**53 in total; raise budget.epsilon or lower budget.scale"
            raise InputError("samples of the budget", top * samples_per_count, allowed)
        return tuple(sorted({max(1, math.ceil(top / divisor)) for divisor in self.divisors}))


@dataclass(frozen=True)
class TheoryBudget(Budget):
    """As many samples as the learner's theorem asks for."""

    kind = "theory"


@dataclass(frozen=True)
class ScaledBudget(Budget):
    """The theorem's number times scale."""

    scale: float = option(0.1, "factor on the theorem's number")

    kind = "scaled"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_real("scale", least=0, most=MOST_SCALE, open_least=True)


@dataclass(frozen=True)
class FixedBudget(Budget):
    """A fixed total, split evenly."""

    samples: int = option(100_000, "total samples of the learner")

    kind = "fixed"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.integer("budget.samples", self.samples, least=1, most=checks.MAX_EXACT_COUNT)


@dataclass(frozen=True)
class LadderBudget(ScaledBudget):
    """Rungs top, top/ratio, ...: the whole learning curve, nested along one run where the learner allows."""

    scale: float = option(1.0, "the largest rung as a multiple of the theorem's number")
    samples: int | None = option(None, "total samples of the largest rung (null: the theorem's number)")
    rungs: int = option(8, "number of rungs")
    ratio: float = option(4.0, "ratio between neighbouring rungs")

    kind = "ladder"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_real("ratio", least=1, most=MOST_RATIO, open_least=True)
        checks.integer("budget.rungs", self.rungs, least=1, most=64)
        if self.samples is not None:
            checks.integer("budget.samples", self.samples, least=1, most=checks.MAX_EXACT_COUNT)
            if self.scale != 1.0:
                raise NoEffectError("budget.scale", "budget.samples says how large the ladder is")

    @property
    def divisors(self) -> tuple[float, ...]:
        """Powers of the ratio."""
        return tuple(self.ratio**step for step in reversed(range(self.rungs)))


BUDGETS: Mapping[str, type[Budget]] = {
    budget.kind: budget for budget in (TheoryBudget, ScaledBudget, FixedBudget, LadderBudget)
}


def make_budget(kind: str, **given: Any) -> Budget:
    """The budget of this kind; a key that only other kinds use is refused with their names."""
    kept = fitting({"kind": kind, **given})
    for key in given:
        if key not in kept and given[key] is not None:
            raise unused(key)
    return options.build(BUDGETS[kept.pop("kind")], kept, "budget.")


def fitting(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without the keys that only other kinds of budgets use."""
    known = options.options_of(BUDGETS[checks.choice("budget", config.get("kind"), sorted(BUDGETS))])
    return {key: value for key, value in config.items() if key in known or not users_of(key)}


def users_of(key: str) -> list[str]:
    """The kinds of budgets that use a key."""
    return [kind for kind, budget in BUDGETS.items() if key in options.options_of(budget)]


def unused(key: str) -> NoEffectError:
    """What to say of a key that only other kinds of budgets use."""
    users = users_of(key)
    verb = "uses" if len(users) == 1 else "use"
    return NoEffectError(f"budget.{key}", f"only budget={' and budget='.join(users)} {verb} it")
