"""How hard a game is, on a card: sizes, gaps, leads, near-ties, what learners ask for and none can avoid."""

import math
from importlib import resources
from typing import Any

import numpy as np
import yaml

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.family import Family
from stackel_bench.families.games import load_game
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import make_budget
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.tolerances import VALUE

EPSILON, DELTA = 0.1, 0.05
MEASURED = "samples_needed.yaml"  # by benchmarks/hardness.py
MOST_PAIRS = 64  # up to which the instance's own lower bound is computed


def hardness_card(game: Game, epsilon: float = EPSILON, delta: float = DELTA) -> dict[str, str]:
    """The game's hardness at this accuracy, by short names; what the game does not have is left out."""
    family, oracle = family_of(game.family), oracle_of(game)
    card = {"sizes": ", ".join(f"{family.sizes[key].symbol} = {size}" for key, size in game.sizes.items())}
    for tie in TieBreaking:
        gap = oracle.gap(epsilon, tie)
        card[f"{tie.value} gap / eps"] = _number((gap.low + gap.high) / 2 / epsilon)
    return (
        card | _leads(game, epsilon) | _leader_actions(oracle, epsilon) | _asked(game, family, epsilon, delta)
    )


def samples_needed(name: str) -> dict[str, str]:
    """What learners were measured to need on the named game with its defaults, at EPSILON and DELTA."""
    text = resources.files("stackel_bench.families").joinpath(MEASURED).read_text("utf-8")
    return dict(yaml.safe_load(text).get(name, {}))


def _leads(game: Game, epsilon: float) -> dict[str, str]:
    """How clear the follower's choices are, one by one: what each but the best one loses."""
    losses = _losses(game)
    if not losses or losses[0].size < 2:
        return {}
    # Each list has a loss of 0, that of the best response; the next one is how far that leads.
    leads = [float(np.partition(found, 1)[1]) / epsilon for found in losses]
    near = np.concatenate(losses) <= epsilon
    return {
        "lead of the best response / eps": f"{_number(min(leads))} to {_number(max(leads))}",
        "responses within eps": f"{_number(near.mean() * 100)} %",
    }


def _losses(game: Game) -> list[np.ndarray]:
    """For each leader action, what the follower loses by each response; empty for games without a truth.

    In an MDP a response is the best policy but for one action at one state that it reaches, and the loss is
    weighted by how often it gets there.
    """
    if hasattr(game, "mdps"):
        return [_single_deviations(mdp) for mdp in game.mdps]
    if hasattr(game, "model"):
        model = game.model
        leaders, followers, _ = model.features.shape
        means = model.features.pairs(np.arange(leaders * followers)) @ model.follower_parameters
        means = means.reshape(leaders, followers)
    elif hasattr(game, "table"):
        means = game.table.follower_means
    else:
        return []
    return list(means.max(axis=1, keepdims=True) - means)


def _single_deviations(mdp: FollowerMDP) -> np.ndarray:
    """A zero for the best policy, and the losses of all its deviations at one step and state it reaches."""
    values, lost = np.zeros(mdp.shape[1]), []
    for h in reversed(range(mdp.shape[0])):
        worth = mdp.follower_rewards[h] + mdp.transitions[h] @ values
        values = worth.max(axis=1)
        lost.append(values[:, None] - worth)
    here, found = np.eye(mdp.shape[1])[mdp.initial_state], [np.zeros(1)]
    for h, loss in enumerate(reversed(lost)):
        best = loss.argmin(axis=1)
        others = np.arange(mdp.shape[2]) != best[:, None]
        found.append((here[:, None] * loss)[others & (here > 0)[:, None]])
        here = here @ mdp.transitions[h][np.arange(mdp.shape[1]), best]
    return np.concatenate(found)


def _leader_actions(oracle: Oracle, epsilon: float) -> dict[str, str]:
    """How many leader actions a learner must tell apart, of games with a list of them."""
    values_of = getattr(oracle, "leader_values", None)
    if values_of is None:
        return {}
    at = {slack: values_of(slack, TieBreaking.PESSIMISTIC) for slack in (0.0, epsilon / 2, epsilon)}
    close = at[0.0] >= at[0.0].max() - epsilon
    broken = at[epsilon / 2] < at[epsilon].max() - epsilon - VALUE
    return {
        "leader actions within eps of the best": f"{close.sum()} of {len(close)}",
        "leader actions that break the guarantee": f"{broken.sum()} of {len(broken)}",
    }


def _asked(game: Game, family: Family, epsilon: float, delta: float) -> dict[str, str]:
    """What learners ask for at theory's budget, and what sound learners cannot do without."""
    found = {}
    budget = make_budget(kind="theory", epsilon=epsilon, delta=delta)
    for name, learner in family.learners.items():
        try:
            asked = _number(learner().schedule(game.sampler, budget).theory_samples)
        except InputError as refused:
            if "2**53" not in str(refused):
                continue  # not for this game
            asked = "more than 9e+15"
        found[f"samples asked by {name}"] = asked
    if family.characteristic_time is not None and math.prod(game.sizes.values()) <= MOST_PAIRS:
        time: Any = family.characteristic_time(game, epsilon, TieBreaking.PESSIMISTIC, "gaussian")
        found["samples that sound learners take as delta goes to 0"] = _number(time.samples(delta))
    return found


def card_lines(name: str, epsilon: float = EPSILON, delta: float = DELTA) -> list[str]:
    """The card of a named game with its defaults for a terminal, or why it has none."""
    try:
        card = hardness_card(load_game(name), epsilon, delta)
    except InputError as missing:
        if missing.field == "game":
            return ["hardness: unknown, a program has no truth to compare with"]
        return [f"hardness: set game.{missing.field} first; stackel_bench.families.hardness has its card"]
    card |= {f"samples needed by {learner}": text for learner, text in samples_needed(name).items()}
    width = max(map(len, card))
    return [
        f"hardness at epsilon = {epsilon:g}, delta = {delta:g} (needs are measured):",
        *(f"  {title:<{width}}  {text}" for title, text in card.items()),
    ]


def _number(value: float) -> str:
    return f"{value:.3g}"
