"""Cells that differ in one number of their configuration, and in the random instance of their game, alone."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from stackel_bench.results.entry import Entry
from stackel_bench.results.varying import FlatConfigs

INSTANCE = "game.instance_seed"
NO_AXES = ("seed", "replicates", INSTANCE)

Line = dict[float, list[Entry]]  # by value of the key


def lines(
    entries: Sequence[Entry],
    least: int,
    left_out: Collection[str] = NO_AXES,
    flat: FlatConfigs | None = None,
) -> dict[str, list[Line]]:
    """By key, games' own first: every line with so many values at least; a cell can be on several."""
    flat, by_id = flat or FlatConfigs(entries), {entry.cell_id: entry for entry in entries}
    numbers: dict[str, dict[str, float]] = defaultdict(dict)
    for cell_id in by_id:
        config = flat[cell_id]
        for key, value in config.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and key not in left_out:
                numbers[key][cell_id] = float(value)
    found: dict[str, list[Line]] = {}
    for key in sorted(numbers, key=lambda key: not key.startswith("game.")):
        if len(set(numbers[key].values())) < least:
            continue
        for members in alike(flat, numbers[key], (key, INSTANCE)):
            line: Line = defaultdict(list)
            for cell_id in members:
                line[numbers[key][cell_id]].append(by_id[cell_id])
            if len(line) >= least:
                found.setdefault(key, []).append(line)
    return found


def alike(flat: FlatConfigs, cell_ids: Iterable[str], but: Collection[str]) -> list[list[str]]:
    """Cells that agree in every key but these, group by group."""
    rests = [{key: value for key, value in part.items() if key not in but} for part in flat.parts]
    texts = [json.dumps(rest, sort_keys=True, default=str) for rest in rests]
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for cell_id in cell_ids:
        groups[tuple(texts[number] for number in flat.numbers[cell_id].values())].append(cell_id)
    return list(groups.values())
