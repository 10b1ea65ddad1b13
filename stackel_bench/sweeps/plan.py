"""From overrides and a study to the ordered list of all cells, validated before anything runs."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.config.compose import Composer
from stackel_bench.config.overrides import merge_overrides, parse, product
from stackel_bench.config.settings import CapSettings, ExecutionSettings, Settings, TrackingSettings
from stackel_bench.errors import InputError, NoEffectError, UnknownKeyError
from stackel_bench.learners.budget import BUDGETS, unused, users_of
from stackel_bench.models import TieBreaking
from stackel_bench.options import options_of
from stackel_bench.results.names import run_names
from stackel_bench.results.varying import varying_keys
from stackel_bench.sweeps.cell import CELL_KEYS, Cell, CellBuilder
from stackel_bench.sweeps.where import split_where
from stackel_bench.text import is_printable, printable

_TELL_SECONDS = 5.0
_MOST_UNFIT = 100  # combinations after which nothing seems to fit
_MOST_LINES = 10
KNOWN_KEYS = (
    *dict.fromkeys(f"budget.{name}" for budget in BUDGETS.values() for name in options_of(budget)),
    *(f"execution.{name}" for name in options_of(ExecutionSettings)),
    *(f"tracking.{name}" for name in options_of(TrackingSettings)),
    *(f"cap.{name}" for name in options_of(CapSettings)),
)


@dataclass(frozen=True, eq=False)
class Plan:
    """The cells of one sweep in a fixed order, and the settings that all of them share."""

    study: str
    question: str
    settings: Settings  # execution, tracking, output and flags
    cells: tuple[Cell, ...]
    left_out: tuple[str, ...] = ()  # combinations that do not fit, each with the reason
    questions: tuple[str, ...] = ()  # what else is answered from its cells, or beside them

    @functools.cached_property
    def sweep_id(self) -> str:
        """Depends on study, cells and questions alone, so that the same command finds its results."""
        text = "\n".join([self.study, *(cell.cell_id for cell in self.cells), *self.questions])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


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
    overrides, where = split_where(products[0][0])
    settings = shared_settings(composer, overrides)
    cells: dict[str, Cell] = {}
    unfit: list[tuple[list[str], InputError]] = []
    for combination, objects in _all_combinations(settings, products):
        if not where.allows_words(combination):
            continue
        try:
            composed = composer.compose(combination) | objects
            if not objects and not where.allows(composed, combination, complete=False):
                continue
            cell = builder.build(composed)
        except InputError as error:
            unfit.append((combination, error))
            if len(unfit) > _MOST_UNFIT and not cells:
                break
            continue
        if where.allows(cell.config, combination, complete=True):
            cells.setdefault(cell.cell_id, cell)
        if time.monotonic() > told + _TELL_SECONDS:
            told = time.monotonic()
            tell(len(cells))
    swapped = [w for w in overrides if settings.study.grids and w.startswith(("game=", "algorithm="))]
    left_out = _left_out(unfit, cells, settings.skip_invalid, swapped)
    if not cells:
        raise InputError("where", str(where), "a pattern that fits", f"no cell matches {where}")
    _require_used(overrides, cells.values())
    study = settings.study
    question = " ".join([study.question, *study.vacuous.values()])
    return Plan(study.name, question, settings, named(tuple(cells.values())), left_out)


def _left_out(
    unfit: Sequence[tuple[list[str], InputError]], cells: Collection[str], skip: bool, swapped: Sequence[str]
) -> tuple[str, ...]:
    """A line for each combination that does not fit; an InputError unless they are to be left out.

    swapped: the words that put another game or learner into all cells of a study.
    """
    if not unfit:
        return ()
    first = unfit[0][1]
    if not cells and len({str(error) for _, error in unfit}) == 1:
        raise first
    common = set.intersection(*({*words} for words, _ in unfit)) if len(unfit) > 1 else set()
    lines = tuple(f"{_told(words, common)}: {error}" for words, error in unfit)
    if skip and cells:
        return lines
    more = f"\n  ... and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    shown = "".join(f"\n  {line}" for line in lines[:_MOST_LINES])
    title = f"{len(lines)} of {len(lines) + len(cells)} cells do not fit (skip_invalid=true leaves them out):"
    advice = "".join(f"\nwhere.{word} keeps the cells of the study that have it" for word in swapped)
    raise InputError(first.field, first.found, first.allowed, f"{title}{shown}{more}{advice}")


def _told(words: Iterable[str], common: Collection[str]) -> str:
    """The words that make a combination, as they are typed: game and learner, and what others have not."""
    shown = [word for word in words if word.startswith(("game=", "algorithm=")) or word not in common]
    own = [word for word in shown if parse(word).key_or_group.partition(".")[0] in CELL_KEYS]
    return " ".join(own).replace("\\:", ":")


def named(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells with labels that tell them apart, and the configuration keys that do."""
    names, varying = run_names(cells), varying_keys(cells)
    return tuple(
        dataclasses.replace(cell, label=printable(names[cell.cell_id]), varying=varying) for cell in cells
    )


def shared_settings(composer: Composer, overrides: Sequence[str]) -> Settings:
    """The configuration of the first cell: what execution, tracking and output say there holds for all."""
    first = next(product(overrides))
    try:
        settings = Settings.of(composer.compose(first))
    except InputError:  # of this cell perhaps, and not of all
        others = [word for word in first if parse(word).key_or_group.split(".")[0] not in CELL_KEYS]
        settings = Settings.of(composer.compose(others))
    if not settings.study.name.strip():
        raise InputError("study.name", settings.study.name, "a name for the results of this sweep")
    if not is_printable(settings.study.name) or "\n" in settings.study.name:
        raise InputError("study.name", settings.study.name, "a name without control characters")
    for override in map(parse, overrides):
        key = override.key_or_group
        if override.is_sweep_override() and key.split(".")[0] not in CELL_KEYS:
            raise InputError(key, override.input_line, "one value for the whole sweep")
    return settings


def _all_combinations(
    settings: Settings, products: Sequence[tuple[Sequence[str], Mapping[str, Any]]]
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    for words, objects in products:
        overrides, _ = split_where(words)
        grids = [grid_overrides(f"study.grids[{n}]", grid) for n, grid in enumerate(settings.study.grids)]
        for grid in grids or [()]:
            yield from ((each, dict(objects)) for each in product(merge_overrides(grid, overrides)))


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


def grid_overrides(field: str, grid: Mapping[Any, Any], settings: bool = False) -> Iterable[str]:
    """The overrides that a grid stands for; field says where it is written, for the error message.

    A grid is about cells, unless it may have keys of settings as well.
    """
    if not isinstance(grid, Mapping):
        raise InputError(field, grid, "a mapping of keys to values or lists of values")
    for key, value in grid.items():
        if not settings and str(key).split(".")[0] not in CELL_KEYS:
            known = (*CELL_KEYS, *(f"{section}.KEY" for section in CELL_KEYS[:3]))
            raise UnknownKeyError(f"{field}.{key}", [f"{field}.{name}" for name in known])
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
