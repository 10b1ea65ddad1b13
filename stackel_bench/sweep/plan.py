"""From overrides and a study to the ordered list of all cells, validated before anything runs."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.config.compose import Composer, merge_overrides, parse, product
from stackel_bench.config.settings import ExecutionSettings, Settings, TrackingSettings
from stackel_bench.errors import InputError, NoEffectError
from stackel_bench.learners.budget import BUDGETS, unused, users_of
from stackel_bench.models import TieBreaking
from stackel_bench.options import options_of
from stackel_bench.results.names import cell_names
from stackel_bench.results.varying import varying_keys
from stackel_bench.sweep.cell import CELL_KEYS, Cell, CellBuilder

_TELL_SECONDS = 5.0
KNOWN_KEYS = (
    *dict.fromkeys(f"budget.{name}" for budget in BUDGETS.values() for name in options_of(budget)),
    *(f"execution.{name}" for name in options_of(ExecutionSettings)),
    *(f"tracking.{name}" for name in options_of(TrackingSettings)),
)


@dataclass(frozen=True, eq=False)
class Plan:
    """The cells of one sweep in a fixed order, and the settings that all of them share."""

    study: str
    question: str
    settings: Settings  # execution, tracking, output and flags
    cells: tuple[Cell, ...]

    @property
    def sweep_id(self) -> str:
        """Depends on the study's name and its cells alone, so that the same command finds its results."""
        text = "\n".join([self.study, *(cell.cell_id for cell in self.cells)])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def samples(self) -> int:
        """Samples that a complete run draws; cells that share their samples count once."""
        trials = {cell.trial_id: cell.trial for cell in self.cells}
        return sum(trial.samples_at_most for trial in trials.values())


def make_plan(overrides: Sequence[str], tell: Callable[[int], None] = lambda planned: None) -> Plan:
    """All cells of the study (if it has grids) or of the product that the overrides span.

    A plan that takes long tells now and then how many cells it has.
    """
    return plan_products([(overrides, {})], tell=tell)


def plan_products(
    products: Sequence[tuple[Sequence[str], Mapping[str, Any]]],
    kept: bool = True,
    tell: Callable[[int], None] = lambda planned: None,
) -> Plan:
    """The cells of several products, one after the other, with the settings of the first one.

    Beside its overrides each has objects that take the place of the groups game and algorithm; kept says
    whether results will be, which needs the source files of such objects.
    """
    told = time.monotonic()
    composer, builder = Composer(KNOWN_KEYS), CellBuilder(kept)
    settings = shared_settings(composer, products[0][0])
    cells: dict[str, Cell] = {}
    for overrides, objects in products:
        for combination in _combinations(settings, overrides):
            cell = builder.build({**composer.compose(combination), **objects})
            cells.setdefault(cell.cell_id, cell)
            if time.monotonic() > told + _TELL_SECONDS:
                told = time.monotonic()
                tell(len(cells))
    _require_used(products[0][0], cells.values())
    study = settings.study
    question = " ".join([study.question, *study.vacuous.values()])
    return Plan(study.name, question, settings, named(tuple(cells.values())))


def named(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells with labels that tell them apart, and the configuration keys that do."""
    names, varying = cell_names(cells), varying_keys(cells)
    return tuple(dataclasses.replace(cell, label=names[cell.cell_id].name, varying=varying) for cell in cells)


def shared_settings(composer: Composer, overrides: Sequence[str]) -> Settings:
    """The configuration of the first cell: what execution, tracking and output say there holds for all."""
    first = next(product(overrides))
    settings = Settings.of(composer.compose(first))
    if not settings.study.name.strip():
        raise InputError("study.name", settings.study.name, "a name for the results of this sweep")
    for override in map(parse, overrides):
        key = override.key_or_group
        if override.is_sweep_override() and key.split(".")[0] not in CELL_KEYS:
            raise InputError(key, override.input_line, "one value for the whole sweep")
    return settings


def _combinations(settings: Settings, overrides: Sequence[str]) -> Iterator[list[str]]:
    grids = settings.study.grids
    if not grids:
        yield from product(overrides)
    for position, grid in enumerate(grids):
        yield from product(merge_overrides(grid_overrides(f"study.grids[{position}]", grid), overrides))


def _require_used(overrides: Sequence[str], cells: Collection[Cell]) -> None:
    """Raise an InputError for a typed key that changes none of these cells.

    What a study's grid sets is not meant: a command line may replace the part that reads it.
    """
    kinds = {cell.config["budget"]["kind"] for cell in cells}
    for override in map(parse, overrides):
        key = override.key_or_group
        section, _, name = key.partition(".")
        users = users_of(name) if section == "budget" else []
        if users and override.value() is not None and kinds.isdisjoint(users):
            raise unused(name)
        if key == "algorithm.printed_lp" and all(c.tie_breaking is TieBreaking.PESSIMISTIC for c in cells):
            raise NoEffectError(key, "the printed LP is the optimistic one (tie_breaking=optimistic)")


def grid_overrides(field: str, grid: Mapping[Any, Any]) -> Iterable[str]:
    """The overrides that a grid stands for; field says where it is written, for the error message."""
    if not isinstance(grid, Mapping):
        raise InputError(field, grid, "a mapping of keys to values or lists of values")
    for key, value in grid.items():
        values = value if isinstance(value, list) else [value]
        if not values or any(isinstance(v, dict | list) for v in values):
            raise InputError(f"{field}.{key}", value, "a value or a list of plain values")
        yield f"{key}={','.join(_literal(v) for v in values)}"


def _literal(value: object) -> str:
    """A plain value in Hydra's grammar."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
