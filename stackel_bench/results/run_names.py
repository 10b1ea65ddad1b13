"""Names of cells in a list of runs, which shows about two dozen characters: `PES paper trap ε.1`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stackel_bench.errors import InputError
from stackel_bench.families.registry import family_of
from stackel_bench.results.names import CellName, cell_names
from stackel_bench.results.varying import Described

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
        what = " ".join([learners[_learner(cell)], short_game(cell), short_epsilon(name.epsilon)])
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
    known = dict.fromkeys(map(_learner, cells))
    clear = len({algorithm for algorithm, _ in known}) == len(known)
    return {both: both[0] if clear else " ".join(filter(None, both)) for both in known}


def _learner(cell: Described) -> tuple[str, str]:
    return str(cell.description["algorithm"]), str(cell.description.get("explorer") or "")
