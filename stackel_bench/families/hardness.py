"""How hard a game is, on a card: sizes, gaps, leads, near-ties, what learners ask for and none can avoid."""

from collections.abc import Iterator
from importlib import resources

import numpy as np
import yaml

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.card_texts import MEANINGS, is_number, needed_text, number
from stackel_bench.families.family import Family
from stackel_bench.families.games import load_game
from stackel_bench.families.instance_bound import lower_bounds
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import make_budget
from stackel_bench.learners.guarantee import guarantee_of
from stackel_bench.learners.learner import Learner
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.tolerances import VALUE

EPSILON, DELTA = 0.1, 0.05
MEASURED = "samples_needed.yaml"  # by benchmarks/hardness.py
EXPLORERS = ("reward_free_explore", "rf_ucrl", "uniform")  # that the paper's learner is measured with


def hardness_card(game: Game, epsilon: float = EPSILON, delta: float = DELTA) -> dict[str, str]:
    """The game's hardness at this accuracy, by short names; what cannot be said is why it cannot."""
    family, oracle = family_of(game.family), oracle_of(game)
    card = {"sizes": ", ".join(f"{family.sizes[key].symbol} = {size}" for key, size in game.sizes.items())}
    for tie in TieBreaking:
        gap = oracle.gap(epsilon, tie)
        card[f"{tie.value} gap / eps"] = number((gap.low + gap.high) / 2 / epsilon)
    return (
        card | _leads(game, epsilon) | _leader_actions(oracle, epsilon) | lower_bounds(game, epsilon, delta)
    )


def learners_of(family: Family) -> dict[str, Learner]:
    """The learners whose needs are measured; where there are explorers, the paper's with some of them."""
    first, *others = (name for name in family.learners if name != "nash")  # who looks for something else
    if not family.explorers:
        return {name: make_learner(family.name, name) for name in (first, *others)}
    explored = {name: make_learner(family.name, first, explorer=name) for name in EXPLORERS}
    return explored | {"certified": make_learner(family.name, "certified")}


def samples_asked(game: Game, epsilon: float = EPSILON, delta: float = DELTA) -> dict[str, str]:
    """What these learners ask for at theory's budget, by name."""
    budget, found = make_budget(kind="theory", epsilon=epsilon, delta=delta), {}
    for name, learner in learners_of(family_of(game.family)).items():
        if not guarantee_of(learner).promised:
            found[name] = "it promises nothing"
            continue
        try:
            found[name] = number(learner.schedule(game.sampler, budget).theory_samples)
        except InputError as refused:
            if "larger value" not in refused.allowed:
                raise
            found[name] = f"more than {number(checks.MAX_EXACT_COUNT)}"
    return found


def samples_needed(name: str) -> dict[str, str]:
    """What learners were measured to need on the named game with its defaults, at EPSILON and DELTA."""
    text = resources.files("stackel_bench.families").joinpath(MEASURED).read_text("utf-8")
    return {learner: needed_text(found) for learner, found in yaml.safe_load(text).get(name, {}).items()}


def _leads(game: Game, epsilon: float) -> dict[str, str]:
    """How clear the follower's choices are, one by one: what each but the best one loses."""
    losses = _losses(game)
    if not losses or losses[0].size < 2:
        return {"lead of the best response / eps": "none: there is one response only"}
    # Each list has a loss of 0, that of the best response; the next one is how far that leads.
    leads = [float(np.partition(found, 1)[1]) / epsilon for found in losses]
    near = np.concatenate(losses) <= epsilon
    return {
        "lead of the best response / eps": f"{number(min(leads))} to {number(max(leads))}",
        "responses within eps": f"{number(near.mean() * 100)} %",
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
    close, broken = "leader actions within eps of the best", "leader actions that break the guarantee"
    values_of = getattr(oracle, "leader_values", None)
    if values_of is None:
        return dict.fromkeys((close, broken), "not counted: the leader mixes, there is no list")
    at = {slack: values_of(slack, TieBreaking.PESSIMISTIC) for slack in (0.0, epsilon / 2, epsilon)}
    near = at[0.0] >= at[0.0].max() - epsilon
    wrong = at[epsilon / 2] < at[epsilon].max() - epsilon - VALUE
    return {close: f"{near.sum()} of {len(near)}", broken: f"{wrong.sum()} of {len(wrong)}"}


def card_lines(name: str, epsilon: float = EPSILON, delta: float = DELTA) -> list[str]:
    """The card of a named game with its defaults for a terminal, or why it has none."""
    try:
        game = load_game(name)
        card = hardness_card(game, epsilon, delta)
    except InputError as missing:
        if missing.field == "game":
            return ["hardness: unknown, a program has no truth to compare with"]
        return [f"hardness: set game.{missing.field} first; stackel_bench.families.hardness has its card"]
    sizes = family_of(game.family).sizes
    meanings = MEANINGS | {
        "sizes": ", ".join(f"{sizes[key].symbol}: {sizes[key].definition}" for key in game.sizes)
    }
    rows = [(title, text, meanings.get(title, "") if is_number(text) else "") for title, text in card.items()]
    return [f"hardness at eps = {epsilon:g}, delta = {delta:g}:", *_aligned(rows), "", *_needs(name, game)]


def _needs(name: str, game: Game) -> list[str]:
    """A line per learner: what it asks for, and what it was measured to need."""
    asked, needed = samples_asked(game), samples_needed(name)
    explored = family_of(game.family).explorers
    rows = [("learner", "asks for", "needs")]
    for learner, text in asked.items():
        title = f"paper with {learner}" if learner in explored else learner
        rows.append((title, text, needed.get(learner, "not measured")))
    return [
        "samples (bandit-RL: episodes) that learners ask for, and from which on at most 1 run in 20 failed,",
        "pessimistic; >: more failed even with that many, <: fewer even with that few",
        *_aligned(rows),
    ]


def _aligned(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    """Lines of three columns; a row without a third one may be as long as it is."""
    widths = [max(len(row[column]) for row in rows if row[2]) for column in (0, 1)]
    for first, second, third in rows:
        yield f"  {first:<{widths[0]}}  {second:<{widths[1]}}  {third}".rstrip()
