"""The hardness card of every named game, with the samples that learners need: writes docs/hardness.md."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.games import game_names, load_game
from stackel_bench.families.hardness import hardness_card
from stackel_bench.families.registry import FAMILIES
from stackel_bench.games.game import Game

EPSILON, DELTA = 0.1, 0.05
LEARNERS = ("paper", "plug_in")
LADDER: dict[str, Any] = {"rungs": 8, "ratio": 4, "replicates": 60, "epsilon": EPSILON, "delta": DELTA}
INTRODUCTION = """# How hard the games are

The card of every named game with its defaults, at epsilon = 0.1 and delta = 0.05; `stackel-bench list
game=NAME` prints it for one game, with its formula. *gap*: what errors of epsilon can cost, pessimistic and
optimistic, over epsilon. *lead*: how far the best response is ahead of the second best, over epsilon, least
and largest. *near*: responses within epsilon of the best, on average. *close*: leader actions within epsilon
of the best. *wrong*: leader actions that break the guarantee; where there are none, no learner can fail.
*asked*: what the paper's learner asks for. *needed by all*: below it every learner fails on some game that
looks alike. *needed by ...*: samples from which on at most one run in 20 fails, pessimistic, measured with 60
runs a rung; `>` fails too often even at the theorem's number, `<` not even at the smallest rung, a 16,384th
of it. In bandit-RL games that takes minutes a game: `stackel-bench run game=NAME budget=ladder`. Written by
`benchmarks/hardness.py`.
"""
COLUMNS = {
    "sizes": "sizes",
    "gap": ("pessimistic gap / eps", "optimistic gap / eps"),
    "lead": "lead of the best response / eps",
    "near": "responses within eps",
    "close": "leader actions within eps of the best",
    "wrong": "leader actions that break the guarantee",
    "asked": "samples asked by paper",
    "needed by all": "samples that any learner needs",
}


def needed(game: Game) -> dict[str, str]:
    """Samples needed by each learner, as text."""
    found = {}
    for learner in LEARNERS:
        results = sb.sweep(game, learner, budget="ladder", execution="serial", progress=False, **LADDER)
        cell, rungs = results.cells.iloc[0], results.rungs["samples"]
        early = cell["sample_complexity"] <= rungs.min()
        text = f"{cell['sample_complexity']:.2g}"
        if cell["censored"]:
            text = f"> {rungs.max():.2g}"
        found[f"needed by `{learner}`"] = f"< {text}" if early else text
    return found


def row(name: str) -> dict[str, str] | None:
    """The table's row of a game, None where only the user has what makes it."""
    try:
        game = load_game(name)
        card = hardness_card(game, EPSILON, DELTA)
    except InputError:
        return None
    texts = {
        title: ", ".join(card[key] for key in ([keys] if isinstance(keys, str) else keys) if key in card)
        for title, keys in COLUMNS.items()
    }
    return {
        "game": f"`{name.partition('/')[2]}`",
        **texts,
        **(needed(game) if game.family != "bandit_rl" else {}),
    }


def main(target: Path) -> None:
    """Write the page, one table per family, without columns that a family leaves empty."""
    parts = [INTRODUCTION]
    for family in FAMILIES:
        rows = [found for name in game_names() if name.startswith(family + "/") and (found := row(name))]
        titles = [title for title in rows[0] if any(r[title] for r in rows)]
        parts += [f"\n## {family}\n\n| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|\n"]
        parts += ["| " + " | ".join(r[title] for title in titles) + " |\n" for r in rows]
        target.write_text("".join(parts), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path("docs/hardness.md"))
