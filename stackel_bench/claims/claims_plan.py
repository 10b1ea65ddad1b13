"""All cells of several claims as one plan, and which of them each measurement needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    cases: Mapping[Key, tuple[Case, ...]]


def plan_claims(claims: Sequence[Claim], profile: str, overrides: Sequence[str]) -> ClaimsPlan:
    """Compose and check every cell and case of every measurement; overrides are stronger than the claims."""
    composer, builder = Composer(), CellBuilder()
    settings = shared_settings(composer, overrides)
    cells: dict[str, Cell] = {}
    cell_ids: dict[Key, tuple[str, ...]] = {}
    cases: dict[Key, tuple[Case, ...]] = {}
    for claim in claims:
        for measurement in claim.measurements:
            key = (claim.name, measurement.name)
            configs = _configs(composer, measurement, profile, overrides)
            if measurement.exact:
                cases[key] = tuple(Case.of(config) for config in configs)
                continue
            built = {cell.cell_id: cell for cell in map(builder.build, configs)}
            cells |= {key: cell for key, cell in built.items() if key not in cells}
            cell_ids[key] = tuple(built)
    plan = Plan(STUDY, QUESTION, settings, tuple(cells.values()))
    return ClaimsPlan(profile, tuple(claims), plan, cell_ids, cases)


def _configs(
    composer: Composer, measurement: Measurement, profile: str, overrides: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for position, grid in enumerate(measurement.grids[profile]):
        own = grid_overrides(f"{measurement.name}: cells[{position}]", grid)
        stronger = merge_overrides(own, overrides)
        for combination in product(merge_overrides(_DEFAULTS, stronger)):
            yield composer.compose(combination)
