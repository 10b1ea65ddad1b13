"""Names of cells: game, learner and what else varies within the sweep, short enough for a list of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.families.sizes import SIZES
from stackel_bench.results.varying import Described, differing_keys, flat_configs, hashable

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
    flat = flat_configs(cells)
    by_game, by_learner = defaultdict(list), defaultdict(list)
    for cell in cells:
        by_game[_game(cell)].append(flat[cell.cell_id])
        by_learner[_game(cell), _learner(cell)].append(flat[cell.cell_id])
    game_keys = {game: differing_keys(configs) - _OWN_PLACE for game, configs in by_game.items()}
    learner_keys = {learner: differing_keys(configs) - _OWN_PLACE for learner, configs in by_learner.items()}
    told = set().union(*game_keys.values(), *learner_keys.values(), ["budget.epsilon"])
    texts = _texts(flat.values(), told)
    all_leaves = {}
    game_names, learner_names = _short_games(by_game), _short_learners(cells)
    instances, learners, parts = {}, {}, {}
    for cell in cells:
        values, game, learner = flat[cell.cell_id], _game(cell), _learner(cell)
        keys = tuple(values)
        if keys not in all_leaves:
            all_leaves[keys] = Counter(key.rpartition(".")[2] for key in keys)
        others = {key for key in learner_keys[game, learner] if not key.startswith("game.")}
        own = {key for key in game_keys[game] if key.startswith("game.")}
        spelled = {
            key: f"{_field(key, all_leaves[keys])}={texts[key][hashable(values[key])]}"
            for key in keys
            if key in own or key in others
        }
        inside = [text for key, text in spelled.items() if key in own]
        outside = [text for key, text in spelled.items() if key in others]
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


def _field(key: str, leaves: Mapping[str, int]) -> str:
    """The last word of a key or its symbol; the whole key where another one ends alike."""
    leaf = key.rpartition(".")[2]
    return key if leaves[leaf] > 1 and leaf != "name" else SYMBOLS.get(leaf, leaf)


def _texts(configs: Iterable[Mapping[str, Any]], keys: set[str]) -> dict[str, dict[Hashable, str]]:
    """Short texts of all values of each of these keys, different for different values."""
    values: dict[str, dict[Hashable, Any]] = defaultdict(dict)
    for config in configs:
        for key in keys & config.keys():
            values[key][hashable(config[key])] = config[key]
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
