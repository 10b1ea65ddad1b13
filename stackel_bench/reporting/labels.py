"""Short names of games and learners: only those parameters are spelled out that vary within the sweep."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from stackel_bench.results.entry import Entry

SYMBOLS = {
    "num_leader_actions": "A",
    "num_follower_actions": "B",
    "num_states": "S",
    "horizon": "H",
    "dimension": "d",
    "epsilon": "eps",
    "instance_seed": "instance",
}
_OWN_COLUMN = {"game.name", "algorithm.name", "algorithm.explorer", "budget.epsilon", "tie_breaking"}
_LONGEST_VALUE = 24


def flat_items(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of a nested configuration."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from flat_items(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def label_cells(entries: Iterable[Entry]) -> pd.DataFrame:
    """cell_id, instance (game), learner (algorithm and settings), pair (equal where samples are shared)."""
    entries = list(entries)
    flat = {entry.cell_id: dict(flat_items(entry.config)) for entry in entries}
    by_game, by_learner = defaultdict(list), defaultdict(list)
    for entry in entries:
        by_game[_game(entry)].append(flat[entry.cell_id])
        by_learner[_game(entry), _learner(entry)].append(flat[entry.cell_id])
    game_varying = {game: _varying(configs) for game, configs in by_game.items()}
    learner_varying = {learner: _varying(configs) for learner, configs in by_learner.items()}
    rows = []
    for entry in entries:
        values, game, learner = flat[entry.cell_id], _game(entry), _learner(entry)
        inside = [key for key in values if key.startswith("game.") and key in game_varying[game]]
        varying = learner_varying[game, learner]
        outside = [key for key in values if not key.startswith("game.") and key in varying]
        rows.append(
            {
                "cell_id": entry.cell_id,
                "instance": " ".join([game, *(_spell(key, values[key]) for key in inside)]),
                "learner": " ".join([learner, *(_spell(key, values[key]) for key in outside)]),
                "pair": pair_key(entry),
            }
        )
    return pd.DataFrame(rows, columns=["cell_id", "instance", "learner", "pair"])


def pair_key(entry: Entry) -> str:
    """Equal for cells that differ in tie-breaking alone: they saw the same samples."""
    shared = {key: value for key, value in entry.config.items() if key != "tie_breaking"}
    return json.dumps(shared, sort_keys=True)


def _game(entry: Entry) -> str:
    return str(entry.description["game"])


def _learner(entry: Entry) -> str:
    explorer = entry.description.get("explorer")
    return str(entry.description["algorithm"]) + (f" ({explorer})" if explorer else "")


def _varying(configs: Iterable[Mapping[str, Any]]) -> set[str]:
    """Keys that do not have the same value everywhere, without those that have a column of their own."""
    values: dict[str, set[str]] = defaultdict(set)
    for config in configs:
        for key, value in config.items():
            values[key].add(json.dumps(value, sort_keys=True))
    return {key for key, seen in values.items() if len(seen) > 1} - _OWN_COLUMN


def _spell(key: str, value: Any) -> str:
    name = key.rpartition(".")[2]
    text = f"{value:g}" if isinstance(value, float) else str(value)
    if len(text) > _LONGEST_VALUE:
        text = text[: _LONGEST_VALUE - 1] + "…"
    return f"{SYMBOLS.get(name, name)}={text}"
