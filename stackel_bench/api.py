"""The library's front door: load a game, ask what it is worth, learn on it, see how good the answer is."""

import dataclasses
import inspect
import warnings
from typing import Any, Literal, overload

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError, UnknownKeyError
from stackel_bench.evaluation.certificate import Certificate, certificate_of
from stackel_bench.evaluation.characteristic_time import CharacteristicTime
from stackel_bench.evaluation.oracle import Oracle, require_commitment, values_by_leader_action
from stackel_bench.evaluation.verdict import Verdict, judge
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.registry import all_families, family_names, family_of
from stackel_bench.games.game import Game
from stackel_bench.learners.blocks import run_block
from stackel_bench.learners.budget import FixedBudget, make_budget
from stackel_bench.learners.decision import Decision, require_playable
from stackel_bench.learners.learner import Learner, scheduled
from stackel_bench.models import TieBreaking
from stackel_bench.planning.bounds import Bounds

CLOSE_ENOUGH = 1.05  # the two ends of a characteristic time, as a ratio


def leader_values(game: Game, slack: float = 0.0, tie_breaking: str = "pessimistic") -> np.ndarray:
    """phi_slack or psi_slack of each leader action [A]; for families with a finite leader."""
    oracle, slack = _oracle(game), checks.real("slack", slack, least=0)
    return values_by_leader_action(oracle, game.name, slack, TieBreaking.parse(tie_breaking))


def stackelberg_value(game: Game, slack: float = 0.0, tie_breaking: str = "pessimistic") -> float:
    """max of phi_slack or psi_slack, over leader actions or (sup) over the simplex."""
    oracle, slack = _oracle(game), checks.real("slack", slack, least=0)
    bounds = oracle.stackelberg_value(slack, TieBreaking.parse(tie_breaking))
    return _told("the Stackelberg value", bounds).low


def gap(game: Game, epsilon: float, tie_breaking: str = "pessimistic") -> float:
    """The paper's gap at accuracy epsilon for this tie rule; the upper end of its certified interval.

    The loss that no learner can avoid on every game that looks alike at accuracy epsilon: a statement about
    the worst game, not about this one, on which a learner may lose nothing.
    """
    epsilon = checks.real("epsilon", epsilon, least=0)
    return _told("the gap", _oracle(game).gap(epsilon, TieBreaking.parse(tie_breaking))).high


def _told(what: str, bounds: Bounds) -> Bounds:
    """The bounds, with a warning if they are too far apart for one end to stand for the number."""
    if not bounds.finished:
        sentence = f"{what} is only known to lie in [{bounds.low:g}, {bounds.high:g}]"
        warnings.warn(f"{sentence}: near ties, or a search that ran out of time", stacklevel=3)
    return bounds


@overload
def learn(
    game: Game,
    algorithm: str | Learner = ...,
    *,
    epsilon: float,
    budget: Literal["theory", "scaled", "fixed"] = ...,
    replicates: None = ...,
    **more: Any,
) -> Decision: ...
@overload
def learn(
    game: Game, algorithm: str | Learner = ..., *, epsilon: float, replicates: int | None = ..., **more: Any
) -> list[Any]: ...
def learn(
    game: Game,
    algorithm: str | Learner = "paper",
    *,
    epsilon: float,
    delta: float = 0.05,
    tie_breaking: str = "pessimistic",
    seed: int = 0,
    budget: str = "theory",
    samples: int | None = None,
    scale: float | None = None,
    rungs: int | None = None,
    ratio: float | None = None,
    replicates: int | None = None,
    **options: Any,
) -> Decision | list[Any]:
    """What the algorithm, a name or a learner object, decides from one fresh set of samples of the game.

    Keywords are the words of the configuration: budget="fixed", samples=200_000, explorer="rf_ucrl", ...
    budget="ladder" gives a list with one decision per rung, the smallest budget first. replicates=R gives a
    list over R independent repetitions, the same ones as in a sweep with this seed, of what one would be.
    """
    _require_game(game)
    tie = TieBreaking.parse(tie_breaking)
    checks.integer("seed", seed, least=0)
    if replicates is not None:
        checks.integer("replicates", replicates, least=1, most=checks.MAX_REPLICATES)
    given = {"epsilon": epsilon, "delta": delta, "samples": samples}
    given |= {"scale": scale, "rungs": rungs, "ratio": ratio}
    try:
        learner = make_learner(game.family, algorithm, **options)
    except UnknownKeyError as error:  # it may be a keyword of this function
        raise UnknownKeyError(error.field, error.names, inspect.signature(learn).parameters) from error
    plan = make_budget(budget, **{key: value for key, value in given.items() if value is not None})
    sampler = game.sampler
    schedule = scheduled(learner, sampler, plan, learner.name)
    found: list[Any] = []
    for first in range(0, replicates or 1, sampler.block_size):
        size = min(sampler.block_size, (replicates or 1) - first)
        block = first // sampler.block_size
        decided = run_block(learner, sampler, schedule, seed, game.identity, block, tie, size)
        for replicate in range(size):
            ladder = [decided.at(replicate, rung) for rung in range(decided.shape[1])]
            found.append(ladder if budget == "ladder" else ladder[-1])
    return found[0] if replicates is None else found


def evaluate(game: Game, result: Decision, epsilon: float) -> Verdict:
    """What the decision loses on the true game, and which lines of its learner's guarantee held; exact."""
    oracle = _oracle(game)
    _require_decision(result)
    require_commitment(oracle, result, "result")
    require_playable(result, game.sizes, "result")
    return judge(oracle, result, epsilon)


def characteristic_time(
    game: Game, *, epsilon: float, tie_breaking: str = "pessimistic", divergence: str = "gaussian"
) -> CharacteristicTime:
    """What this very game asks of every learner, as delta -> 0: samples per ln(1/delta), with an allocation.

    divergence: "gaussian" rewards of the game's sub-Gaussian scale, or "bernoulli" ones.
    """
    _require_game(game)
    epsilon = checks.real("epsilon", epsilon, least=0)
    compute = _brought_by(game.family, "characteristic_time", "one whose characteristic time is known")
    found: CharacteristicTime = compute(game, epsilon, TieBreaking.parse(tie_breaking), divergence)
    if found.high > CLOSE_ENOUGH * found.low:
        sentence = f"the characteristic time is only known to lie in [{found.low:g}, {found.high:g}]"
        warnings.warn(f"{sentence}: the search ended before the ends were close", stacklevel=2)
    return found


def certificate(
    game: Game,
    result: Decision,
    *,
    epsilon: float,
    delta: float = 0.05,
    tie_breaking: str | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Certificate:
    """What fresh samples prove about a decision, however it was found; all there is without a known truth.

    Samples until both lines of the theorem are proven for this decision, at most `samples` of them (None: as
    many as the decision took). tie_breaking: as the decision has it, if not said otherwise.
    """
    _require_game(game)
    _require_decision(result)
    confidence = _brought_by(game.family, "confidence", "one whose decisions can be certified")
    require_playable(result, game.sizes, "result")
    if tie_breaking is not None:
        result = dataclasses.replace(result, tie_breaking=TieBreaking.parse(tie_breaking))
    checks.integer("seed", seed, least=0)
    most = result.samples if samples is None else samples
    budget = FixedBudget(epsilon=epsilon, delta=delta, samples=most)
    return certificate_of(confidence(), game.sampler, result, budget, seed)


def _brought_by(family: str, part: str, allowed: str) -> Any:
    """A part of the family's record that not every family has."""
    found = getattr(family_of(family), part)
    if found is None:
        able = [each.name for each in all_families() if getattr(each, part) is not None]
        raise InputError("game.family", family, f"{allowed}: {', '.join(able)}")
    return found


def _oracle(game: Game) -> Oracle:
    _require_game(game)
    return oracle_of(game)


def _require_game(game: object) -> None:
    if getattr(game, "family", None) not in family_names():
        families = ", ".join(family_names())
        allowed = f"a game: load_game(NAME), BlackBoxGame(...), or an object of a family: {families}"
        raise InputError("game", type(game).__name__, allowed)


def _require_decision(result: object) -> None:
    if not isinstance(result, Decision):
        raise InputError("result", type(result).__name__, "a decision, as `learn` returns it")
