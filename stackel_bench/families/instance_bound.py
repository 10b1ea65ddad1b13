"""Lower bounds on a hardness card: T* of the game and the worst game of its sizes, or why there is none."""

import math
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.card_texts import number
from stackel_bench.families.games import load_game
from stackel_bench.families.registry import family_of
from stackel_bench.families.tables.theory import lower_bound_pulls
from stackel_bench.games.game import Game
from stackel_bench.models import TieBreaking
from stackel_bench.tolerances import TIME_RATIO

MOST_PAIRS = 250  # a few seconds
UNKNOWN = {
    "linear": "not known: features tie the means together, which the search for wrong games does not do",
    "bandit_rl": "not known: responses are policies, which the search for wrong games does not know",
    "simultaneous": "not known: commitments are mixtures, which the search for wrong games does not know",
}
LEAST_DIMENSION = 9  # of three leader and three follower actions


def lower_bounds(game: Game, epsilon: float, delta: float) -> dict[str, str]:
    """T* with its certified interval, the samples that it means, and the bound for the worst game."""
    return _own(game, epsilon, delta) | {"worst case": _worst(game, epsilon)}


def _own(game: Game, epsilon: float, delta: float) -> dict[str, str]:
    table_game = _as_bandit(game)
    if table_game is None:
        return {"T*, pessimistic": UNKNOWN[game.family]}
    if math.prod(table_game.table.shape) > MOST_PAIRS:
        return {
            "T*, pessimistic": f"not computed for more than {MOST_PAIRS} pairs; sb.characteristic_time does"
        }
    found = {
        f"T*, {tie.value}": _time_text(_time(table_game, epsilon, tie, "gaussian")) for tie in TieBreaking
    }
    for noise in ("gaussian", "bernoulli"):
        try:
            time = _time(table_game, epsilon, TieBreaking.PESSIMISTIC, noise)
            text = number(time.samples(delta))
        except InputError:
            text = "none: means outside [0, 1] are those of no Bernoulli rewards"
        found[f"lower bound, {noise.title()} noise"] = text
    return found


def _time(game: Any, epsilon: float, tie: TieBreaking, noise: str) -> Any:
    compute = family_of(game.family).characteristic_time
    assert compute is not None
    return compute(game, epsilon, tie, noise)


def _time_text(time: Any) -> str:
    if time.high == 0:
        return "0: every answer is right whatever the samples say"
    if math.isinf(time.low):
        return "infinite: every right answer is tied with a wrong one"
    text = f"{number(time.low)} to {number(time.high)}"
    return text if time.high <= TIME_RATIO * time.low else f"{text}, not settled"


def _as_bandit(game: Any) -> Any:
    """The game as a table of free means, if it is one: also linear games with as many dimensions as pairs."""
    if family_of(game.family).characteristic_time is not None:
        return game
    if not hasattr(game, "model"):
        return None
    model = game.model
    leaders, followers, dimension = model.features.shape
    features = (
        model.features.pairs(np.arange(leaders * followers)) if dimension == leaders * followers else None
    )
    if features is None or np.linalg.matrix_rank(features) < dimension:
        return None
    means = {
        f"{player}_means": (features @ getattr(model, f"{player}_parameters"))
        .reshape(leaders, followers)
        .tolist()
        for player in ("leader", "follower")
    }
    return load_game("bandit/explicit", noise=game.noise.kind, noise_scale=game.noise.scale, **means)


def _worst(game: Game, epsilon: float) -> str:
    """Of tables with these actions; a linear game's table has no more pairs than dimensions."""
    if game.family == "simultaneous":
        return "not known: the paper has no lower bound for commitments to mixtures"
    sizes = game.sizes
    leaders, followers = sizes["num_leader_actions"], sizes["num_follower_actions"]
    most = sizes.get("dimension", leaders * followers)
    if most < LEAST_DIMENSION and "dimension" in sizes:
        return f"none: the theorem needs d >= {LEAST_DIMENSION}"
    widths = range(3, followers + 1)
    found = max(
        (lower_bound_pulls(epsilon, min(leaders, most // width), width) for width in widths), default=0
    )
    return number(found) if widths else "none: the theorem needs B >= 3"
