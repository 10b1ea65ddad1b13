"""The hardness card of every named game with the samples that learners need.

Writes docs/hardness.md from the cards and families/samples_needed.yaml (shown by `stackel-bench list`, too).
With --measure it first adds what that file lacks, game by game: delete what is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.learners import Paper
from stackel_bench.families.games import game_names, load_game
from stackel_bench.families.hardness import DELTA, EPSILON, MEASURED, hardness_card
from stackel_bench.families.registry import FAMILIES, family_of
from stackel_bench.games.game import Game

ROOT = Path(__file__).parents[1]
MEASUREMENTS = ROOT / "stackel_bench" / "families" / MEASURED
EXPLORERS = ("reward_free_explore", "rf_ucrl", "uniform")
MOST_TARGETS = 100  # S H up to which the published explorer takes less than minutes here
STOPPING = {"certified": 5, "successive_elimination": 60}  # replicates of learners that stop by themselves
LADDER: dict[str, Any] = {"rungs": 8, "ratio": 4, "replicates": 60, "epsilon": EPSILON, "delta": DELTA}
INTRODUCTION = """# How hard the games are

The card of every named game with its defaults, at epsilon = 0.1 and delta = 0.05; `stackel-bench list
game=NAME` prints it for one game, with its formula. *gap*: what errors of epsilon can cost, pessimistic and
optimistic, over epsilon. *lead*: how far the best response is ahead of the second best, over epsilon, least
and largest over leader actions (in bandit-RL: of the best policy over one that deviates once). *near*:
share of these responses within epsilon of the best. *close*: leader actions within epsilon of the best.
*wrong*: leader actions that break the guarantee; where there are none, only a wrong answer of the
follower can. *asked*: what the paper's learner asks for. *lower bound*: T* kl(delta, 1 - delta) of
docs/certified.md, for Gaussian noise of deviation 1/2: what learners that are sound on all games take in
the mean as delta goes to 0, so that one with a fixed budget may need less here; empty where it is not
computed.

*needed by ...*: samples from which on at most one run in 20 fails, pessimistic, measured with 60 runs a
rung; `>` fails too often even at the largest rung, `<` not even at the smallest. Rungs go down in steps
of 4 from the number that the learner asks for, in bandit-RL from 4 million episodes. Each learner is
judged by what it promises. Learners that stop by themselves need what they use on average (`certified`:
of five runs). In bandit-RL the paper's learner is run with each explorer: the published one (not on the two
largest games, where it takes too long), `rf_ucrl` and uniform play. Empty where it was not measured, which
`benchmarks/hardness.py --measure` does. Written by that script.
"""
COLUMNS = {
    "sizes": "sizes",
    "gap": ("pessimistic gap / eps", "optimistic gap / eps"),
    "lead": "lead of the best response / eps",
    "near": "responses within eps",
    "close": "leader actions within eps of the best",
    "wrong": "leader actions that break the guarantee",
    "asked": "samples asked by paper",
    "lower bound": "samples that sound learners take as delta goes to 0",
}


def learners(game: Game) -> dict[str, tuple[Any, dict[str, Any]]]:
    """By name: what to run, and its ladder."""
    if game.family == "bandit_rl":
        large = game.sizes["num_states"] * game.sizes["horizon"] > MOST_TARGETS
        explored = {
            explorer: (Paper(explorer=explorer), LADDER | {"samples": 4**11})
            for explorer in EXPLORERS[1 if large else 0 :]
        }
        return explored | {"certified": ("certified", LADDER | {"replicates": STOPPING["certified"]})}
    names = [name for name in family_of(game.family).learners if name != "nash"]
    return {name: (name, LADDER | {"replicates": STOPPING.get(name, 60)}) for name in names}


def needed(game: Game, known: dict[str, str]) -> dict[str, str]:
    """Samples needed by each learner, as text."""
    found = dict.fromkeys(learners(game), "") | known
    for name, (learner, ladder) in learners(game).items():
        if known.get(name):
            continue
        results = sb.sweep(game, learner, budget="ladder", execution="serial", progress=False, **ladder)
        cell, rungs = results.cells.iloc[0], results.rungs["samples"]
        text = f"{cell['sample_complexity']:.2g}"
        if cell["censored"]:
            text = f"> {rungs.max():.2g}"
        elif len(rungs) > 1 and cell["sample_complexity"] <= rungs.min():
            text = f"< {text}"
        found[name] = text
    return found


def row(name: str, measure: bool) -> dict[str, str] | None:
    """The table's row of a game, None where only the user has what makes it."""
    try:
        game = load_game(name)
        card = hardness_card(game, EPSILON, DELTA)
    except InputError:
        return None
    measured = yaml.safe_load(MEASUREMENTS.read_text("utf-8")) or {}
    if measure:
        measured[name] = needed(game, measured.get(name, {}))
        MEASUREMENTS.write_text(yaml.safe_dump(measured), "utf-8")
    texts = {
        title: ", ".join(card[key] for key in ([keys] if isinstance(keys, str) else keys) if key in card)
        for title, keys in COLUMNS.items()
    }
    known = measured.get(name, {})
    needs = {f"needed by `{learner}`": known[learner] for learner in learners(game) if learner in known}
    return {"game": f"`{name.partition('/')[2]}`", **texts, **needs}


def main(measure: bool) -> None:
    """Write the page, one table per family, without columns that a family leaves empty."""
    parts = [INTRODUCTION]
    for family in FAMILIES:
        names = [name for name in game_names() if name.startswith(family + "/")]
        rows = [found for name in names if (found := row(name, measure))]
        known = dict.fromkeys(title for one in rows for title in one)
        titles = [title for title in known if any(one.get(title) for one in rows)]
        parts += [f"\n## {family}\n\n| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|\n"]
        parts += ["| " + " | ".join(one.get(title, "") for title in titles) + " |\n" for one in rows]
    (ROOT / "docs" / "hardness.md").write_text("".join(parts), "utf-8")


if __name__ == "__main__":
    main("--measure" in sys.argv)
