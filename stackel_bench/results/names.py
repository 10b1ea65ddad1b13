"""Names of cells: game, learner and what else varies within the sweep, short enough for a list of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.families.sizes import SIZES
from stackel_bench.results.varying import Described, flat_items, hashable

SYMBOLS = {
    **{name: size.symbol for name, size in SIZES.items()},
    "epsilon": "eps",
    "instance_seed": "instance",
    "kind": "budget",
}
LONGEST_NAME = 60  # beyond that, tie-breakings are shortened; nothing is ever cut off
_OWN_PLACE = {"game.name", "algorithm.name", "algorithm.explorer", "budget.epsilon", "tie_breaking"}
_SHORT_TIES = {"pessimistic": "pess", "optimistic": "opt"}
_LONGEST_VALUE = 24


@dataclass(frozen=True)
class CellName:
    """What a cell is called in tables and figures (instance, learner) and in a list of runs (name)."""

    instance: str
    learner: str
    name: str


def cell_names(cells: Sequence[Described]) -> dict[str, CellName]:
    """The names by cell id, different for cells whose configurations differ."""
    flat = {cell.cell_id: dict(flat_items(cell.config)) for cell in cells}
    by_game, by_learner = defaultdict(list), defaultdict(list)
    for cell in cells:
        by_game[_game(cell)].append(flat[cell.cell_id])
        by_learner[_game(cell), _learner(cell)].append(flat[cell.cell_id])
    game_keys = {game: _differing(configs) for game, configs in by_game.items()}
    learner_keys = {learner: _differing(configs) for learner, configs in by_learner.items()}
    texts = _texts(flat.values())
    game_names, learner_names = _short_games(by_game), _short_learners(cells)
    instances, learners, parts = {}, {}, {}
    for cell in cells:
        values, game, learner = flat[cell.cell_id], _game(cell), _learner(cell)
        leaves = Counter(key.rpartition(".")[2] for key in values)
        spelled = {
            key: f"{_field(key, leaves)}={texts[key][hashable(value)]}" for key, value in values.items()
        }
        inside = [spelled[key] for key in values if key.startswith("game.") and key in game_keys[game]]
        others = learner_keys[game, learner]
        outside = [spelled[key] for key in values if not key.startswith("game.") and key in others]
        instances[cell.cell_id] = " ".join([game, *inside])
        learners[cell.cell_id] = " ".join([learner, *outside])
        epsilon = texts["budget.epsilon"][hashable(values["budget.epsilon"])]
        first = [" ".join([*inside, *outside])] if inside or outside else []
        tie = str(cell.description["tie_breaking"])
        parts[cell.cell_id] = (*first, game_names[game], learner_names[learner], tie, f"eps {epsilon}")
    if any(len(" · ".join(words)) > LONGEST_NAME for words in parts.values()):
        parts = {i: tuple(_SHORT_TIES.get(word, word) for word in words) for i, words in parts.items()}
    return {i: CellName(instances[i], learners[i], " · ".join(words)) for i, words in parts.items()}


def _game(cell: Described) -> str:
    return str(cell.description["game"])


def _learner(cell: Described) -> str:
    explorer = cell.description.get("explorer")
    return str(cell.description["algorithm"]) + (f" ({explorer})" if explorer else "")


def _short_games(games: Iterable[str]) -> dict[str, str]:
    """Games without their family where no two of them would be confused."""
    short = {game: game.rpartition("/")[2] for game in games}
    return short if len(set(short.values())) == len(short) else {game: game for game in short}


def _short_learners(cells: Iterable[Described]) -> dict[str, str]:
    """Learners without their explorer where each of them has one only."""
    algorithms = {_learner(cell): str(cell.description["algorithm"]) for cell in cells}
    clear = len(set(algorithms.values())) == len(algorithms)
    return algorithms if clear else {learner: learner for learner in algorithms}


def _differing(configs: Sequence[Mapping[str, Any]]) -> set[str]:
    """Keys that do not have the same value everywhere, without those that have a place of their own."""
    values: dict[str, set[Hashable]] = defaultdict(set)
    having: Counter[str] = Counter()
    for config in configs:
        having.update(config.keys())
        for key, value in config.items():
            values[key].add(hashable(value))
    return {key for key in values if len(values[key]) > 1 or having[key] < len(configs)} - _OWN_PLACE


def _field(key: str, leaves: Mapping[str, int]) -> str:
    """The last word of a key or its symbol; the whole key where another one ends alike."""
    leaf = key.rpartition(".")[2]
    return key if leaves[leaf] > 1 and leaf != "name" else SYMBOLS.get(leaf, leaf)


def _texts(configs: Iterable[Mapping[str, Any]]) -> dict[str, dict[Hashable, str]]:
    """Short texts of all values of each key, different for different values."""
    values: dict[str, dict[Hashable, Any]] = defaultdict(dict)
    for config in configs:
        for key, value in config.items():
            values[key][hashable(value)] = value
    texts = {}
    for key, found in values.items():
        short = dict(zip(found, _shortened(list(found.values())), strict=True))
        clear = len(set(short.values())) == len(short)
        texts[key] = short if clear else {known: str(value) for known, value in found.items()}
    return texts


def _shortened(values: Sequence[Any]) -> list[str]:
    texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    if any("/" in text for text in texts):
        texts = _without_common_folders(texts)
        return [text if len(text) <= _LONGEST_VALUE else _both_ends(text) for text in texts]
    return [text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…" for text in texts]


def _without_common_folders(paths: Sequence[str]) -> list[str]:
    """Paths from the first folder on in which they differ; if that is long, up to the last such part."""
    parts = [path.split("/") for path in paths]
    room = min(len(words) for words in parts) - 1
    first = max(n for n in range(room + 1) if len({tuple(words[:n]) for words in parts}) == 1)
    texts = ["/".join(words[first:]) for words in parts]
    if max(map(len, texts)) <= _LONGEST_VALUE:
        return texts
    tail = max(n for n in range(room - first + 1) if len({tuple(w[len(w) - n :]) for w in parts}) == 1)
    return ["/".join(words[first : len(words) - tail]) for words in parts]


def _both_ends(text: str) -> str:
    half = _LONGEST_VALUE // 2
    return f"{text[: half - 1]}…{text[-half:]}"
