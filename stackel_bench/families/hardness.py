"""How hard a game is, on a card: sizes, gaps, leads, near-ties, what learners ask for and none can avoid."""

import math
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.family import Family
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import make_budget
from stackel_bench.models import TieBreaking
from stackel_bench.tolerances import VALUE

EPSILON, DELTA = 0.1, 0.05
MOST_PAIRS = 64  # up to which the instance's own lower bound is computed


def hardness_card(game: Game, epsilon: float = EPSILON, delta: float = DELTA) -> dict[str, str]:
    """The game's hardness at this accuracy, by short names; what the game does not have is left out."""
    family, oracle = family_of(game.family), oracle_of(game)
    card = {"sizes": ", ".join(f"{family.sizes[key].symbol} = {size}" for key, size in game.sizes.items())}
    for tie in TieBreaking:
        gap = oracle.gap(epsilon, tie)
        card[f"{tie.value} gap / eps"] = _number((gap.low + gap.high) / 2 / epsilon)
    card |= _leads(game, oracle, epsilon)
    card |= _samples(game, family, epsilon, delta)
    return card


def _leads(game: Game, oracle: Oracle, epsilon: float) -> dict[str, str]:
    """How clear the follower's choices are, and how many leader actions a learner must tell apart."""
    found = {}
    means = getattr(getattr(game, "table", None), "follower_means", None)
    if means is not None and means.shape[1] > 1:
        ordered = np.sort(means, axis=1)
        leads = ordered[:, -1] - ordered[:, -2]
        found["lead of the best response / eps"] = (
            f"{_number(leads.min() / epsilon)} to {_number(leads.max() / epsilon)}"
        )
        near = (ordered[:, -1:] - ordered <= epsilon).sum(axis=1)
        found["responses within eps"] = f"{_number(near.mean())} of {means.shape[1]}"
    values_of = getattr(oracle, "leader_values", None)
    if values_of is not None:
        values = values_of(0.0, TieBreaking.PESSIMISTIC)
        found["leader actions within eps of the best"] = (
            f"{(values >= values.max() - epsilon).sum()} of {len(values)}"
        )
        wanted = values_of(epsilon, TieBreaking.PESSIMISTIC).max() - epsilon
        broken = values_of(epsilon / 2, TieBreaking.PESSIMISTIC) < wanted - VALUE
        found["leader actions that break the guarantee"] = f"{broken.sum()} of {len(values)}"
    return found


def _samples(game: Game, family: Family, epsilon: float, delta: float) -> dict[str, str]:
    """What learners ask for at theory's budget, and what nobody can do without."""
    found = {}
    budget = make_budget(kind="theory", epsilon=epsilon, delta=delta)
    for name, learner in family.learners.items():
        try:
            asked = learner().schedule(game.sampler, budget).theory_samples
        except InputError:  # more than can be run, or not for this game
            continue
        found[f"samples asked by {name}"] = _number(asked)
    if family.characteristic_time is not None and math.prod(game.sizes.values()) <= MOST_PAIRS:
        time: Any = family.characteristic_time(game, epsilon, TieBreaking.PESSIMISTIC, "gaussian")
        found["samples that any learner needs"] = _number(time.samples(delta))
    return found


def card_lines(card: dict[str, str], epsilon: float = EPSILON, delta: float = DELTA) -> list[str]:
    """The card for a terminal; what takes long to measure is named with the command that measures it."""
    width = max(map(len, card))
    return [
        f"hardness at epsilon = {epsilon:g}, delta = {delta:g}:",
        *(f"  {name:<{width}}  {text}" for name, text in card.items()),
        "  samples that a learner needs here: stackel-bench run game=NAME algorithm=LEARNER budget=ladder",
    ]


def _number(value: float) -> str:
    return f"{value:.3g}"
