"""All cells of several claims as one plan, and which of them each measurement needs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.claims.case import Case
from stackel_bench.claims.claim import Claim, Measurement
from stackel_bench.config.compose import Composer
from stackel_bench.config.overrides import merge_overrides, product
from stackel_bench.sweeps.cell import Cell, CellBuilder
from stackel_bench.sweeps.plan import KNOWN_KEYS, Plan, grid_overrides, shared_settings

STUDY = "reproduce"
QUESTION = (
    "Which claims of the paper do the records confirm and which do they refute, at the budgets that the "
    "theorems ask for? Each claim has a prediction, a measurement with its interval and a verdict."
)
_DEFAULTS = ("game=bandit/trap", "algorithm=paper", "budget=theory")
Key = tuple[str, str]  # claim, measurement


@dataclass(frozen=True, eq=False)
class Subjects:
    """What a measurement is taken of: ids of cells, or cases; and the same ones changed so that they fail."""

    own: tuple[Any, ...]
    wrong: Mapping[str, tuple[Any, ...]]  # one for each of `own`

    @property
    def all(self) -> tuple[Any, ...]:
        """Every one of them, once."""
        return tuple(dict.fromkeys((*self.own, *itertools.chain(*self.wrong.values()))))


@dataclass(frozen=True, eq=False)
class ClaimsPlan:
    """The plan that the sweep engine runs, and what each measurement is taken of."""

    profile: str
    claims: tuple[Claim, ...]
    plan: Plan
    subjects: Mapping[Key, Subjects]


def plan_claims(claims: Sequence[Claim], profile: str, overrides: Sequence[str]) -> ClaimsPlan:
    """Compose and check every cell and case of every measurement; overrides are stronger than the claims."""
    composer, builder = Composer((*KNOWN_KEYS, "claim", "profile")), CellBuilder()
    settings = shared_settings(composer, overrides)
    cells: dict[str, Cell] = {}

    def subject(words: Sequence[str], exact: bool) -> Case | str:
        config = composer.compose(words)
        if exact:
            return Case.of(config)
        cell = builder.build(config)
        return cells.setdefault(cell.cell_id, cell).cell_id

    subjects: dict[Key, Subjects] = {}
    for claim in claims:
        for measurement in claim.measurements:
            exact = measurement.exact
            own = {subject(words, exact): words for words in _combinations(measurement, profile, overrides)}
            wrong = {
                name: tuple(
                    subject(merge_overrides(words, grid_overrides(name, changes)), exact)
                    for words in own.values()
                )
                for name, changes in measurement.would_catch.items()
            }
            if own:  # else too dear for this profile
                subjects[claim.name, measurement.name] = Subjects(tuple(own), wrong)
    plan = Plan(STUDY, QUESTION, settings, tuple(cells.values()), questions=_questions(profile, subjects))
    return ClaimsPlan(profile, tuple(claims), plan, subjects)


def _questions(profile: str, subjects: Mapping[Key, Subjects]) -> tuple[str, ...]:
    """Every measurement, and the cases of those that have no cells: claims differ that share their cells."""
    cases = [s.identity for each in subjects.values() for s in each.all if isinstance(s, Case)]
    return (profile, *("/".join(key) for key in subjects), *cases)


def _combinations(measurement: Measurement, profile: str, overrides: Sequence[str]) -> Iterator[list[str]]:
    """The words of each cell: overrides are stronger than the measurement's grids, those than defaults."""
    for position, grid in enumerate(measurement.grids(profile)):
        own = grid_overrides(f"{measurement.name}: cells[{position}]", grid)
        yield from product(merge_overrides(_DEFAULTS, merge_overrides(own, overrides)))
