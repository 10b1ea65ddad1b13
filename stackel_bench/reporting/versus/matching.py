"""Which cells of two sweeps are about the same thing."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.results.entry import Entry
from stackel_bench.results.varying import FlatConfigs, hashable

SEED = "seed"


@dataclass(frozen=True)
class Matching:
    """Pairs of cells (of A, of B), cells without a partner, and the keys in which all of A differs from B.

    differing: by key, its value in A and in B; None where a sweep does not have the key.
    """

    pairs: tuple[tuple[Entry, Entry], ...]
    only_a: tuple[Entry, ...]
    only_b: tuple[Entry, ...]
    keys: tuple[str, ...]  # that cells were matched on: they vary within A or within B
    differing: Mapping[str, tuple[Any, Any]]


def match_cells(a: Sequence[Entry], b: Sequence[Entry]) -> Matching:
    """Match on all keys but the seed and those with one value in A and one value, or none, in B.

    Cells that then agree are matched by seed, the remaining ones in the order of their seeds.
    """
    flat = FlatConfigs([*a, *b])
    values = [_values(flat[entry.cell_id] for entry in entries) for entries in (a, b)]
    every = dict.fromkeys(key for side in values for key in side if key != SEED)
    keys = tuple(key for key in every if any(len(side.get(key, ())) > 1 for side in values))
    single = {key: [next(iter(side.get(key, {None: None}).values())) for side in values] for key in every}
    differing = {
        key: (first, second)
        for key, (first, second) in single.items()
        if key not in keys and hashable(first) != hashable(second)
    }
    groups: dict[Hashable, tuple[list[Entry], list[Entry]]] = defaultdict(lambda: ([], []))
    for side, entries in enumerate((a, b)):
        for entry in entries:
            own = flat[entry.cell_id]
            groups[tuple(hashable(own[key]) if key in own else None for key in keys)][side].append(entry)
    pairs: list[tuple[Entry, Entry]] = []
    for first_cells, second_cells in groups.values():
        pairs += _by_seed(first_cells, second_cells)
    matched = {id(entry) for pair in pairs for entry in pair}
    only_a, only_b = (tuple(entry for entry in side if id(entry) not in matched) for side in (a, b))
    return Matching(tuple(pairs), only_a, only_b, keys, differing)


def _values(configs: Iterable[Mapping[str, Any]]) -> dict[str, dict[Hashable, Any]]:
    """The values of each key, among the cells that have it."""
    found: dict[str, dict[Hashable, Any]] = defaultdict(dict)
    for config in configs:
        for key, value in config.items():
            found[key][hashable(value)] = value
    return found


def _by_seed(a: list[Entry], b: list[Entry]) -> list[tuple[Entry, Entry]]:
    """Cells that agree in everything but the seed: equal seeds first, then in the order of seeds."""
    partners = {entry.config[SEED]: entry for entry in reversed(b)}
    pairs = [(e, partners.pop(e.config[SEED])) for e in a if e.config[SEED] in partners]
    taken = {id(entry) for pair in pairs for entry in pair}
    rest = ([e for e in sorted(side, key=lambda e: e.config[SEED]) if id(e) not in taken] for side in (a, b))
    return [*pairs, *zip(*rest, strict=False)]
