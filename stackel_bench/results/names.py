"""What cells are called in tables and figures: game, learner and what else varies within the sweep."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.families.registry import family_of
from stackel_bench.families.sizes import SIZES
from stackel_bench.results.varying import Described, FlatConfigs, hashable

SYMBOLS = {
    **{name: size.symbol for name, size in SIZES.items()},
    "epsilon": "eps",
    "instance_seed": "instance",
    "kind": "budget",
}
_OWN_PLACE = {"game.name", "algorithm.name", "algorithm.explorer", "budget.epsilon", "tie_breaking"}
_LONGEST_VALUE = 24


@dataclass(frozen=True)
class CellName:
    """Game and learner with the options that vary, those options alone, and the accuracy."""

    instance: str
    learner: str
    options: tuple[tuple[str, str], ...]  # (name, value)
    epsilon: str


def cell_names(cells: Sequence[Described], flat: FlatConfigs | None = None) -> dict[str, CellName]:
    """The names by cell id, different for cells whose configurations differ."""
    flat = flat or FlatConfigs(cells)
    by_game, by_learner = defaultdict(list), defaultdict(list)
    kinds = {cell.cell_id: (_game(cell), _learner(cell)) for cell in cells}
    for cell_id, (game, learner) in kinds.items():
        by_game[game].append(cell_id)
        by_learner[game, learner].append(cell_id)
    game_keys, learner_keys = (
        {kind: flat.differing(members) - _OWN_PLACE for kind, members in groups.items()}
        for groups in (by_game, by_learner)
    )
    told = set().union(*game_keys.values(), *learner_keys.values(), ["budget.epsilon"])
    texts = _texts(flat.parts, told)
    fields: dict[Hashable, dict[str, str]] = {}  # the keys that are told, and what they are called
    names = {}
    for cell_id, (game, learner) in kinds.items():
        values = flat[cell_id]
        kind = game, learner, tuple(values)
        if kind not in fields:
            leaves = Counter(key.rpartition(".")[2] for key in values)
            own = {key for key in game_keys[game] if key.startswith("game.")}
            own |= {key for key in learner_keys[game, learner] if not key.startswith("game.")}
            fields[kind] = {key: _field(key, leaves) for key in values if key in own}
        spelled = {key: (name, texts[key][hashable(values[key])]) for key, name in fields[kind].items()}
        words: tuple[list[str], list[str]] = [game], [learner]
        for key, (name, text) in spelled.items():
            words[not key.startswith("game.")].append(f"{name}={text}")
        names[cell_id] = CellName(
            instance=" ".join(words[0]),
            learner=" ".join(words[1]),
            options=tuple(spelled.values()),
            epsilon=texts["budget.epsilon"][hashable(values["budget.epsilon"])],
        )
    return names


def _game(cell: Described) -> str:
    return str(cell.description["game"])


def _learner(cell: Described) -> str:
    explorer = cell.description.get("explorer")
    return str(cell.description["algorithm"]) + (f" ({explorer})" if explorer else "")


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


ROOM = 24  # characters that MLflow's list of runs shows beside its charts
SHORT_TIES = {"pessimistic": "PES", "optimistic": "OPT"}


def run_names(cells: Sequence[Described]) -> dict[str, str]:
    """By cell id: tie-breaking first, since it must survive any cut; different for different cells.

    Options that vary come last, or right after the tie-breaking where the list would cut them off.
    """
    names, learners = cell_names(cells), _learners(cells)
    parts = {}
    for cell in cells:
        name, tie = names[cell.cell_id], str(cell.description["tie_breaking"])
        what = " ".join(
            [learners[_algorithm_and_explorer(cell)], short_game(cell), short_epsilon(name.epsilon)]
        )
        parts[cell.cell_id] = SHORT_TIES.get(tie, tie), what, short_options(name)
    fits = all(len(" ".join(words)) <= ROOM for words in parts.values())
    ordered = {i: (tie, what, how) if fits else (tie, how, what) for i, (tie, what, how) in parts.items()}
    return {cell_id: " ".join(filter(None, words)) for cell_id, words in ordered.items()}


def short_game(cell: Described) -> str:
    """The game's name with the short word for its family, if that has one."""
    game, family = str(cell.description["game"]), str(cell.description.get("family", ""))
    if not game.startswith(f"{family}/"):
        return game
    try:
        prefix = family_of(family).prefix
    except InputError:  # of a plug-in that is not installed here
        prefix = None
    return game if prefix is None else prefix + game.removeprefix(f"{family}/")


def short_epsilon(text: str) -> str:
    """ε and the accuracy without its zero."""
    return f"ε{text.removeprefix('0')}"


def short_options(name: CellName) -> str:
    """The options that vary: symbols and their numbers as one word, others with an equals sign."""
    signs = ["" if len(key) == 1 and value.isdigit() else "=" for key, value in name.options]
    return " ".join(f"{key}{sign}{value}" for sign, (key, value) in zip(signs, name.options, strict=True))


def _learners(cells: Iterable[Described]) -> dict[tuple[str, str], str]:
    """Learners without their explorer where each of them has one only."""
    known = dict.fromkeys(map(_algorithm_and_explorer, cells))
    clear = len({algorithm for algorithm, _ in known}) == len(known)
    return {both: both[0] if clear else " ".join(filter(None, both)) for both in known}


def _algorithm_and_explorer(cell: Described) -> tuple[str, str]:
    return str(cell.description["algorithm"]), str(cell.description.get("explorer") or "")
