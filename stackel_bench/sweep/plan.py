"""From overrides and a study to the ordered list of all cells, validated before anything runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omegaconf import DictConfig, OmegaConf

from stackel_bench.config.compose import Composer, merge_overrides, product
from stackel_bench.errors import InputError
from stackel_bench.sweep.cell import CELL_KEYS, Cell, CellBuilder


@dataclass(frozen=True, eq=False)
class Plan:
    """The cells of one sweep in a fixed order, and the settings that all of them share."""

    study: str
    question: str
    settings: DictConfig  # execution, tracking, output and flags
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
        return sum(trial.replicates * trial.schedule.samples[-1] for trial in trials.values())


def make_plan(overrides: Sequence[str]) -> Plan:
    """All cells of the study (if it has grids) or of the product that the overrides span."""
    composer, builder = Composer(), CellBuilder()
    settings = _settings(composer, overrides)
    cells: dict[str, Cell] = {}
    for combination in _combinations(settings, overrides):
        cell = builder.build(composer.compose_plain(combination, CELL_KEYS))
        cells.setdefault(cell.cell_id, cell)
    return Plan(settings.study.name, settings.study.question, settings, tuple(cells.values()))


def _settings(composer: Composer, overrides: Sequence[str]) -> DictConfig:
    """The configuration of the first cell: what execution, tracking and output say there holds for all."""
    first = next(product(overrides))
    settings = composer.compose(first)
    swept = {o.partition("=")[0] for o in overrides if len(list(product([o]))) > 1}
    for key in swept:
        if key.split(".")[0] in ("execution", "tracking", "output", "study"):
            raise InputError(key, "several values", "one value for the whole sweep")
    return settings


def _combinations(settings: DictConfig, overrides: Sequence[str]) -> Iterator[list[str]]:
    grids = OmegaConf.to_container(settings.study.grids)
    assert isinstance(grids, list)
    if not grids:
        yield from product(overrides)
    for position, grid in enumerate(grids):
        yield from product(merge_overrides(_grid_overrides(position, grid), overrides))


def _grid_overrides(position: int, grid: Mapping[Any, Any]) -> Iterable[str]:
    for key, value in grid.items():
        values = value if isinstance(value, list) else [value]
        if not values or any(isinstance(v, dict | list) for v in values):
            raise InputError(f"study.grids[{position}].{key}", value, "a value or a list of plain values")
        yield f"{key}={','.join(_literal(v) for v in values)}"


def _literal(value: object) -> str:
    """A plain value in Hydra's grammar."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
