"""All cells of several claims as one plan, and which of them each measurement needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stackel_bench.claims.case import Case
from stackel_bench.claims.claim import Claim, Measurement
from stackel_bench.config.compose import Composer, merge_overrides, product
from stackel_bench.sweeps.cell import Cell, CellBuilder
from stackel_bench.sweeps.plan import Plan, grid_overrides, shared_settings

STUDY = "reproduce"
QUESTION = (
    "Which claims of the paper do the records confirm and which do they refute, at the budgets that the "
    "theorems ask for? Each claim has a prediction, a measurement with its interval and a verdict."
)
_DEFAULTS = ("game=bandit/trap", "algorithm=paper", "budget=theory")
Key = tuple[str, str]  # claim, measurement


@dataclass(frozen=True, eq=False)
class ClaimsPlan:
    """The plan that the sweep engine runs, and for each measurement its cells or its exact cases."""

    profile: str
    claims: tuple[Claim, ...]
    plan: Plan
    cell_ids: Mapping[Key, tuple[str, ...]]
    caught_ids: Mapping[Key, Mapping[str, tuple[str, ...]]]  # of what each would catch, one for each cell
    cases: Mapping[Key, tuple[Case, ...]]


def plan_claims(claims: Sequence[Claim], profile: str, overrides: Sequence[str]) -> ClaimsPlan:
    """Compose and check every cell and case of every measurement; overrides are stronger than the claims."""
    composer, builder = Composer(), CellBuilder()
    settings = shared_settings(composer, overrides)
    cells: dict[str, Cell] = {}
    cell_ids: dict[Key, tuple[str, ...]] = {}
    caught_ids: dict[Key, dict[str, tuple[str, ...]]] = {}
    cases: dict[Key, tuple[Case, ...]] = {}
    for claim in claims:
        for measurement in claim.measurements:
            key = (claim.name, measurement.name)
            if not measurement.grids[profile]:
                continue
            combinations = list(_combinations(measurement, profile, overrides))
            if measurement.exact:
                cases[key] = tuple(Case.of(composer.compose(words)) for words in combinations)
                continue

            def build(words: Sequence[str]) -> str:
                cell = builder.build(composer.compose(words))
                cells.setdefault(cell.cell_id, cell)
                return cell.cell_id

            by_id = {build(words): words for words in combinations}
            cell_ids[key] = tuple(by_id)
            caught_ids[key] = {
                name: tuple(
                    build(merge_overrides(words, grid_overrides(name, changes))) for words in by_id.values()
                )
                for name, changes in measurement.would_catch.items()
            }
    plan = Plan(STUDY, QUESTION, settings, tuple(cells.values()))
    return ClaimsPlan(profile, tuple(claims), plan, cell_ids, caught_ids, cases)


def _combinations(measurement: Measurement, profile: str, overrides: Sequence[str]) -> Iterator[list[str]]:
    """The words of each cell: overrides are stronger than the measurement's grids, those than defaults."""
    for position, grid in enumerate(measurement.grids[profile]):
        own = grid_overrides(f"{measurement.name}: cells[{position}]", grid)
        yield from product(merge_overrides(_DEFAULTS, merge_overrides(own, overrides)))
