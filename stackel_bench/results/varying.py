"""The configuration keys that tell the cells of a sweep apart, and their values as columns."""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from stackel_bench.results.columns import SHORT_COLUMNS

_LARGEST_INTEGER = 2**63 - 1  # that a Parquet file holds
DescribedColumns = Mapping[str, Mapping[str, Any]]  # by cell id


class Described(Protocol):
    """A cell of a plan, or the journal's entry of it."""

    @property
    def cell_id(self) -> str:
        """Its id."""

    @property
    def config(self) -> Mapping[str, Any]:
        """What determines its result, defaults spelled out."""

    @property
    def description(self) -> Mapping[str, Any]:
        """The columns that say which cell it is."""


def flat_items(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of a nested configuration."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from flat_items(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


class FlatConfigs(dict[str, dict[str, Any]]):
    """Configurations without nesting by cell id; a part that cells share is taken apart and compared once.

    A part is what one key at the top has: the game, the budget, the seed. Equal ones have one number.
    """

    def __init__(self, cells: Iterable[Described]) -> None:
        super().__init__()
        self.parts: list[dict[str, Any]] = []  # flat, by number
        self.numbers: dict[str, dict[str, int]] = {}  # by cell id and key at the top
        self._known: dict[Hashable, int] = {}
        objects: dict[tuple[str, int], int] = {}
        configs = {cell.cell_id: cell.config for cell in cells}
        for cell_id, config in configs.items():
            own: dict[str, Any] = {}
            numbers: dict[str, int] = {}
            for key, value in config.items():
                number = objects.get((key, id(value)))
                if number is None:
                    number = objects[key, id(value)] = self._number(key, value)
                numbers[key] = number
                own.update(self.parts[number])
            self[cell_id], self.numbers[cell_id] = own, numbers

    def _number(self, key: str, value: Any) -> int:
        number = self._known.setdefault((key, hashable(value)), len(self.parts))
        if number == len(self.parts):
            self.parts.append(dict(flat_items({key: value})))
        return number

    def but(self, cell_id: str, factor: str) -> Hashable:
        """Equal for cells that differ at most in what this key at the top has."""
        return tuple(number for key, number in self.numbers[cell_id].items() if key != factor)

    def differing(self, cell_ids: Iterable[str]) -> set[str]:
        """Keys that do not have the same value in all of these cells, or are missing in some."""
        numbers = [self.numbers[cell_id] for cell_id in cell_ids]
        found: set[str] = set()
        for top in set().union(*numbers):
            parts = [self.parts[n] if n is not None else {} for n in {own.get(top) for own in numbers}]
            for key in set().union(*parts):
                if len({hashable(part[key]) if key in part else None for part in parts}) > 1:
                    found.add(key)
        return found


def varying_keys(cells: Iterable[Described], flat: FlatConfigs | None = None) -> tuple[str, ...]:
    """Keys with different values in these cells, in the order of the configuration.

    A key that only some cells have varies if cells of the same game, learner or budget differ in having it.
    Keys whose values are in a short column (epsilon, explorer, sizes, ...) of every cell are left out.
    """
    cells = list(cells)
    flat = flat or FlatConfigs(cells)
    alike: dict[Hashable, set[int]] = defaultdict(set)  # parts among which keys are compared
    seen: dict[int, None] = {}
    for cell in cells:
        numbers, kinds = flat.numbers[cell.cell_id], _kinds(cell)
        for top, number in numbers.items():
            alike[top, kinds.get(top)].add(number)
        seen |= dict.fromkeys(numbers.values())
    values: dict[str, set[Hashable]] = {}
    for number in seen:
        for key, value in flat.parts[number].items():
            values.setdefault(key, set()).add(hashable(value))
    partly = set()
    for numbers_alike in alike.values():
        own = [flat.parts[number].keys() for number in numbers_alike]
        partly |= set().union(*own) - set(own[0]).intersection(*own)
    varying = [key for key, known in values.items() if len(known) > 1 or key in partly]
    return tuple(key for key in varying if not _has_short_column(key, cells, flat))


def _has_short_column(key: str, cells: Iterable[Described], flat: FlatConfigs) -> bool:
    """Whether a column with another name says the same of every cell that has the key."""
    short = SHORT_COLUMNS.get(key)
    having = ((cell, flat[cell.cell_id][key]) for cell in cells if key in flat[cell.cell_id])
    return short is not None and all((c.description.get(short) or None) == (v or None) for c, v in having)


def described_columns(
    cells: Sequence[Described], flat: FlatConfigs | None = None, keys: Sequence[str] | None = None
) -> DescribedColumns:
    """By cell id: the columns that describe the cell, then the keys, by default those that vary here."""
    flat = flat or FlatConfigs(cells)
    keys = varying_keys(cells, flat) if keys is None else keys
    plain = {key: _fits_a_column([flat[cell.cell_id].get(key) for cell in cells]) for key in keys}
    return {
        cell.cell_id: {
            **cell.description,
            **{key: _plain(flat[cell.cell_id].get(key), plain[key]) for key in keys},
        }
        for cell in cells
    }


def hashable(value: Any) -> Hashable:
    """Equal for values that are written alike; 1, 1.0 and True are three values."""
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, sort_keys=True)
    return type(value).__name__, value


def _kinds(cell: Described) -> dict[str, Hashable]:
    """What is chosen in each group of the configuration; keys are compared among equal choices."""
    game, learner, budget = (cell.config.get(group, {}) for group in ("game", "algorithm", "budget"))
    kind = game.get("name")
    chosen = kind, learner.get("name"), learner.get("explorer")
    return {"game": kind, "algorithm": chosen, "budget": budget.get("kind")}


def _fits_a_column(values: Iterable[Any]) -> bool:
    """Whether a column of a table can hold the values as they are: numbers, or words, or truth values."""
    known = [value for value in values if value is not None]
    if any(isinstance(value, int) and abs(value) > _LARGEST_INTEGER for value in known):
        return False
    kinds = {float if type(value) is int else type(value) for value in known}
    return kinds <= {float} or kinds <= {str} or kinds <= {bool}


def _plain(value: Any, fits: bool) -> Any:
    return value if fits or value is None or isinstance(value, str) else json.dumps(value, sort_keys=True)
