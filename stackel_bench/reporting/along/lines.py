"""Cells that differ in one number of their configuration, and in the random instance of their game, alone."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from stackel_bench.results.entry import Entry
from stackel_bench.results.varying import FlatConfigs

INSTANCE = "game.instance_seed"
NO_AXES = ("seed", "replicates", INSTANCE)

Line = dict[float, list[Entry]]  # by value of the key


def lines(
    entries: Iterable[Entry], flat: FlatConfigs, least: int, left_out: Collection[str] = NO_AXES
) -> dict[str, list[Line]]:
    """By key, games' own first: every line with so many values at least; a cell can be on several."""
    by_id = {entry.cell_id: entry for entry in entries}
    values: dict[str, set[float]] = defaultdict(set)
    for part in flat.parts:
        for key, value in part.items():
            if _is_number(value) and key not in left_out:
                values[key].add(value)
    found: dict[str, list[Line]] = {}
    for key in sorted(values, key=lambda key: not key.startswith("game.")):
        if len(values[key]) < least:
            continue
        having = [cell_id for cell_id in by_id if _is_number(flat[cell_id].get(key))]
        for members in alike(flat, having, (key, INSTANCE)):
            line: Line = defaultdict(list)
            for cell_id in members:
                line[float(flat[cell_id][key])].append(by_id[cell_id])
            if len(line) >= least:
                found.setdefault(key, []).append(line)
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def alike(flat: FlatConfigs, cell_ids: Iterable[str], but: Collection[str]) -> list[list[str]]:
    """Cells that agree in every key but these, group by group."""
    rests = [{key: value for key, value in part.items() if key not in but} for part in flat.parts]
    texts = [json.dumps(rest, sort_keys=True, default=str) for rest in rests]
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for cell_id in cell_ids:
        groups[tuple(texts[number] for number in flat.numbers[cell_id].values())].append(cell_id)
    return list(groups.values())
