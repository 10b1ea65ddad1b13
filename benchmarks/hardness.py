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
from stackel_bench.families.card_texts import is_number
from stackel_bench.families.games import game_names, load_game
from stackel_bench.families.hardness import (
    DELTA,
    EPSILON,
    MEASURED,
    hardness_card,
    learners_of,
    samples_asked,
    samples_needed,
)
from stackel_bench.families.registry import FAMILIES, family_of
from stackel_bench.games.game import Game

ROOT = Path(__file__).parents[1]
MEASUREMENTS = ROOT / "stackel_bench" / "families" / MEASURED
MANY_TARGETS = 100  # S H from which the published explorer takes ten seconds a run
STOPPING = {"certified": 5, "successive_elimination": 60}  # replicates of learners that stop by themselves
LADDER: dict[str, Any] = {"rungs": 8, "ratio": 4, "replicates": 60, "epsilon": EPSILON, "delta": DELTA}
INTRODUCTION = """# How hard the games are

The card of every named game with its defaults, at epsilon = 0.1 and delta = 0.05; `stackel-bench list
game=NAME` prints it for one game, with its formula.

- *gap*: what errors of epsilon can cost, pessimistic and optimistic, over epsilon.
- *lead*: how far the best response is ahead of the second best, over epsilon, least and largest over
  leader actions (in bandit-RL: of the best policy over one that deviates once); 0 is a tie.
- *near*: share of these responses within epsilon of the best.
- *close*: leader actions within epsilon of the best. *wrong*: leader actions that break the guarantee;
  where there are none, only a wrong answer of the follower can.
- *T\\**: of docs/certified.md, the certified interval, pessimistic and optimistic, for Gaussian noise of
  the game's scale. Where several answers are right it is that of the easiest.
- *lower bound*: T\\* kl(delta, 1 - delta), pessimistic, for Gaussian and for Bernoulli noise: what
  learners that are sound on all games take in the mean as delta goes to 0, so that one with a fixed
  budget may need less here.
- *worst case*: samples below which every learner fails on some game of these sizes: AB/(864 eps^2), in
  bandit-RL of games that end after a step.
- *asked*: what the paper's learner asks for.
- *needed by ...*: samples from which on at most one run in 20 fails, pessimistic, measured with 60 runs
  a rung; `>` fails too often even at the largest rung, `<` not even at the smallest. Rungs go down in
  steps of 4 from the number that the learner asks for, in bandit-RL from 4 million episodes. Each
  learner is judged by what it promises. Learners that stop by themselves need what they use on average
  (`certified`: of five runs). In bandit-RL the paper's learner is run with each explorer, given the
  rung's episodes: the published one (on four_rooms and frozen_lake three rungs of 20 runs), `rf_ucrl`,
  which would stop by itself much later, and uniform play. `nash` looks for something else and is not
  measured.

Written by `benchmarks/hardness.py`, which measures what is missing with `--measure`.
"""
COLUMNS = {
    "sizes": ("sizes",),
    "gap": ("pessimistic gap / eps", "optimistic gap / eps"),
    "lead": ("lead of the best response / eps",),
    "near": ("responses within eps",),
    "close": ("leader actions within eps of the best",),
    "wrong": ("leader actions that break the guarantee",),
    "T\\*": ("T*, pessimistic", "T*, optimistic"),
    "lower bound": ("lower bound, Gaussian noise", "lower bound, Bernoulli noise"),
    "worst case": ("worst case",),
}


def learners(game: Game) -> dict[str, tuple[Any, dict[str, Any]]]:
    """By name: what to run, and its ladder."""
    found = {}
    for name, learner in learners_of(family_of(game.family)).items():
        ladder = LADDER | {"replicates": STOPPING.get(name, LADDER["replicates"])}
        if game.family == "bandit_rl" and name not in STOPPING:
            ladder |= {"samples": 4**11}
            if (
                name == "reward_free_explore"
                and game.sizes["num_states"] * game.sizes["horizon"] > MANY_TARGETS
            ):
                ladder |= {"rungs": 3, "replicates": 20}
        found[name] = (learner, ladder)
    return found


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
        title: "; ".join(card[key] for key in keys if key in card) or "as T\\*"
        for title, keys in COLUMNS.items()
    }
    texts |= {"asked": next(iter(samples_asked(game).values()))}
    known = samples_needed(name)
    needs = {
        f"needed by `{learner}`": known.get(learner, "not measured")
        for learner in learners_of(family_of(game.family))
    }
    return {"game": f"`{name.partition('/')[2]}`", **texts, **needs}


def table(rows: list[dict[str, str]]) -> str:
    """One line per game; what is the same reason for all of them is said once, above."""
    reasons = {
        title: texts.pop()
        for title in rows[0]
        if len(texts := {one.get(title, "") for one in rows}) == 1 and not any(map(is_number, texts))
    }
    titles = [title for title in rows[0] if title not in reasons and any(one[title] for one in rows)]
    said = [f"*{title}*: {text}.\n" for title, text in reasons.items()]
    lines = ["| " + " | ".join(titles) + " |\n", "|---" * len(titles) + "|\n"]
    lines += ["| " + " | ".join(one[title] for title in titles) + " |\n" for one in rows]
    return "\n".join([*said, "".join(lines)])


def main(measure: bool) -> None:
    """Write the page, one table per family."""
    parts = [INTRODUCTION]
    for family in FAMILIES:
        names = [name for name in game_names() if name.startswith(family + "/")]
        rows = [found for name in names if (found := row(name, measure))]
        parts += [f"\n## {family}\n\n", table(rows)]
    (ROOT / "docs" / "hardness.md").write_text("".join(parts), "utf-8")


if __name__ == "__main__":
    main("--measure" in sys.argv)
