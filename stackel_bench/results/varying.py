"""The configuration keys that tell the cells of a sweep apart, and their values as columns."""

import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from stackel_bench.results.columns import SHORT_COLUMNS

_LARGEST_INTEGER = 2**63 - 1  # that a Parquet file holds
FlatConfigs = Mapping[str, Mapping[str, Any]]  # by cell id
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


def flat_configs(cells: Iterable[Described]) -> dict[str, dict[str, Any]]:
    """Flat configurations by cell id; a section that cells share is flattened once."""
    known: dict[int, dict[str, Any]] = {}
    flat: dict[str, dict[str, Any]] = {}
    for cell in cells:
        own = flat[cell.cell_id] = {}
        for key, value in cell.config.items():
            if isinstance(value, Mapping):
                if id(value) not in known:
                    known[id(value)] = dict(flat_items(value, f"{key}."))
                own.update(known[id(value)])
            else:
                own[key] = value
    return flat


def differing_keys(configs: Iterable[Mapping[str, Any]]) -> set[str]:
    """Keys of flat configurations that do not have the same value everywhere, or are missing somewhere."""
    configs = list(configs)
    shared = dict(configs[0])
    differing: set[str] = set()
    for config in configs[1:]:
        differing.update(shared.keys() ^ config.keys() - differing)
        for key in [key for key in shared if key not in differing]:
            value, other = shared[key], config[key]
            if value is not other and hashable(value) != hashable(other):
                differing.add(key)
        shared = {key: value for key, value in shared.items() if key not in differing}
    return differing


def varying_keys(cells: Iterable[Described], flat: FlatConfigs | None = None) -> tuple[str, ...]:
    """Keys with different values in these cells, in the order of the configuration.

    A key that only some cells have varies if cells of the same game, learner or budget differ in having it.
    Keys whose values are in a short column (epsilon, explorer, sizes, ...) of every cell are left out.
    """
    cells = list(cells)
    if not cells:
        return ()
    flat = flat or flat_configs(cells)
    differing = differing_keys(flat[cell.cell_id] for cell in cells)
    values: dict[str, set[Hashable]] = defaultdict(set)
    having: dict[str, Counter[Hashable]] = defaultdict(Counter)
    kinds: Counter[Hashable] = Counter()
    not_short: set[str] = set()
    for cell in cells:
        kind_of = _kinds(cell)
        kinds.update(kind_of.items())
        own = flat[cell.cell_id]
        for key in own:
            values.setdefault(key, set())
        for key in differing & own.keys():
            value, group = own[key], key.partition(".")[0]
            values[key].add(hashable(value))
            having[key][group, kind_of.get(group)] += 1
            short = SHORT_COLUMNS.get(key)
            if short is None or (cell.description.get(short) or None) != (value or None):
                not_short.add(key)
    return tuple(
        key
        for key, seen in values.items()
        if key in not_short
        and (len(seen) > 1 or any(count < kinds[kind] for kind, count in having[key].items()))
    )


def described_columns(
    cells: Sequence[Described], flat: FlatConfigs | None = None, keys: Sequence[str] | None = None
) -> DescribedColumns:
    """By cell id: the columns that describe the cell, then the keys, by default those that vary here."""
    flat = flat or flat_configs(cells)
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
    config = cell.config
    chosen = {group: config.get(group, {}) for group in ("game", "algorithm", "budget")}
    kinds: dict[str, Hashable] = dict.fromkeys(config)
    kinds["game"] = chosen["game"].get("name")
    kinds["algorithm"] = kinds["game"], chosen["algorithm"].get("name"), chosen["algorithm"].get("explorer")
    kinds["budget"] = chosen["budget"].get("kind")
    return kinds


def _fits_a_column(values: Iterable[Any]) -> bool:
    """Whether a column of a table can hold the values as they are: numbers, or words, or truth values."""
    known = [value for value in values if value is not None]
    if any(isinstance(value, int) and abs(value) > _LARGEST_INTEGER for value in known):
        return False
    kinds = {float if type(value) is int else type(value) for value in known}
    return kinds <= {float} or kinds <= {str} or kinds <= {bool}


def _plain(value: Any, fits: bool) -> Any:
    return value if fits or value is None or isinstance(value, str) else json.dumps(value, sort_keys=True)
