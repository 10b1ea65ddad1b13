"""The contract of learners, checked on a small game of their family."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import require_commitment
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.from_outside import LEARNER_MEMBERS, require_members
from stackel_bench.families.games import load_game
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.registry import family_names
from stackel_bench.learners.blocks import decide_block
from stackel_bench.learners.budget import Budget, FixedBudget, LadderBudget, TheoryBudget
from stackel_bench.learners.decision import require_playable
from stackel_bench.learners.guarantee import guarantee_of
from stackel_bench.models import TieBreaking
from stackel_bench.outside.code import code_of
from stackel_bench.testing.common import built, content, contract_of, options_kept, sent
from stackel_bench.testing.report import Report, require, run_checks
from stackel_bench.testing.trial import Trial
from stackel_bench.tolerances import VALUE
from stackel_bench.trials.encoding import decode, encode

BUDGETS = (
    FixedBudget(epsilon=0.5, samples=1009),
    LadderBudget(epsilon=0.5, samples=3001, rungs=3),
    TheoryBudget(epsilon=0.5),
)
_JUDGED = 3  # replicates; judging is exact and may take a while


def check_learner(
    learner: Any,
    family: str | None = None,
    *,
    game: Any = None,
    budgets: Sequence[Budget] = BUDGETS[:2],
    raises: bool = True,
) -> Report:
    """The report on a class of learners, or on one of them; a ContractError if a check fails.

    family is needed unless the learner has an attribute of that name; game is a small one of the family, its
    truth known. Budgets that the learner refuses are left out, as long as one is left.
    """
    require_members("algorithm", learner, LEARNER_MEMBERS, "learner")
    named = getattr(learner, "family", None) if game is None else game.family
    families = [family] if family else [named] if isinstance(named, str) else list(named or ())
    if not families:
        raise InputError("family", family, "one of " + ", ".join(family_names()))
    thing = built(learner, "algorithm")
    trials = [_trial(thing, each, game, budget) for each in families for budget in budgets]
    taken = [trial for trial in trials if not trial.is_refused] or trials[-1:]
    subject = f"{getattr(thing, 'name', type(thing).__name__)} on {', '.join(families)} games"
    return run_checks(subject, CHECKS, taken, raises)


def _trial(learner: Any, family: str, game: Any, budget: Budget) -> Trial:
    contract = contract_of(family)
    played = load_game(contract.game, **contract.parameters) if game is None else game
    return Trial(learner, played, contract, budget)


def options(trial: Trial) -> str:
    """They are fields of a frozen dataclass, with defaults."""
    return options_kept(trial.learner)


def guarantee(trial: Trial) -> str:
    """What it declares is a Guarantee."""
    found = guarantee_of(trial.learner)
    lines = ", ".join(found.lines)
    return f"{lines}, {found.when}" if found.promised else "promises nothing"


def pickles(trial: Trial) -> str:
    """Learner and schedule travel."""
    same = content(sent(trial.learner)) == content(trial.learner)
    require(same, "the learner changes on its way to a worker")
    require(sent(trial.schedule).counts == trial.schedule.counts, "the schedule changes on its way")
    return "learner and schedule reach a worker unchanged"


def schedule(trial: Trial) -> str:
    """Schedules are well formed, and within what was asked for."""
    found, budget = trial.schedule, trial.budget
    require(found.units >= 1, f"{found.units} units")
    require(found.theory_samples >= 1, f"theory_samples is {found.theory_samples}")
    require(found.seconds_per_unit > 0, "seconds_per_unit is not positive")
    counts, samples = list(found.counts), list(found.samples)
    require(1 <= len(counts) == len(samples), f"counts {counts}, samples {samples}")
    require(counts == sorted(set(counts)), f"counts {counts} do not grow")
    require(samples == sorted(samples) and samples[0] >= 1, f"samples {samples} do not grow")
    if budget.total_is_given and budget.kind == "fixed":
        require(samples[-1] <= (budget.samples or 0), f"{samples[-1]} samples, not {budget.samples}")
    return f"{budget.kind}: {', '.join(map(str, samples))}"


def determinism(trial: Trial) -> str:
    """Same key, same findings and decisions."""
    same = content(trial.explore()) == content(trial.findings)
    require(same, "the same unit and key explored again gives other findings")
    for tie in TieBreaking:
        again = trial.decide(trial.findings, tie)
        require(content(again) == content(trial.decisions[tie]), "the same findings, other decisions")
    return "same key, same findings, same decisions"


def random_streams(trial: Trial) -> str:
    """Another key, other samples."""
    other = content(trial.explore(block=1)) != content(trial.findings)
    require(other, "another key gives the same findings: use streams.generator(*key, ...)")
    return "another key, other samples"


def order_of_units(trial: Trial) -> str:
    """The order of the units does not matter."""
    backwards = trial.explore(backwards=True)
    require(content(backwards) == content(trial.findings), "units explored backwards differ")
    return f"{trial.schedule.units} units, forwards and backwards"


def batching(trial: Trial) -> str:
    """A block in parts is the whole block."""
    for tie, whole in trial.decisions.items():
        for start, stop in ((0, 1), (1, min(3, trial.size))):
            if start < stop:
                part = trial.decide([finding[start:stop] for finding in trial.findings], tie)
                same = content(part) == content(whole[start:stop])
                require(same, f"replicates {start} to {stop - 1} alone are decided otherwise")
    alone = content([finding[0] for finding in trial.explore(size=1)])
    first = content([finding[0] for finding in trial.findings])
    require(alone == first, "the first replicate alone explores otherwise")
    return f"parts of a block of {trial.size} have its numbers"


def findings(trial: Trial) -> str:
    """What is kept on disk and read again decides the same."""
    known = {type(trial.learner).__module__.partition(".")[0], *code_of(trial.learner).modules}
    kept = trial.decide(decode(encode(trial.findings), known), TieBreaking.PESSIMISTIC)
    require(content(kept) == content(trial.decisions[TieBreaking.PESSIMISTIC]), "once kept, others")
    return "kept and read again, they decide the same"


def both_tie_breakings(trial: Trial) -> str:
    """Decisions for either tie-breaking, one per rung."""
    wanted = len(trial.schedule.samples)
    for tie, replicate in trial.each_replicate:
        require(len(replicate) == wanted, f"{len(replicate)} decisions for {wanted} rungs")
        wrong = [each.tie_breaking for each in replicate if each.tie_breaking is not tie]
        require(not wrong, f"asked for {tie}, decided {wrong[:1]}")
    return "one decision per rung for each"


def commitments(trial: Trial) -> str:
    """Every decision is one of the game's, and the truth can judge it."""
    oracle = oracle_of(trial.game)
    for tie in TieBreaking:
        found = decide_block(trial.learner, trial.sampler, trial.schedule, trial.findings, tie)
        require_playable(found, trial.game.sizes, "decision")
        for position, rungs in enumerate(trial.decisions[tie]):
            for decision in rungs:
                require_commitment(oracle, decision, "decision")
                told = {"estimated_value": decision.estimated_value, **decision.diagnostics}
                strange = [f"{name} {value}" for name, value in told.items() if not np.isfinite(value)]
                require(not strange, ", ".join(strange))
                if position < _JUDGED:
                    verdict = judge(oracle, decision, trial.budget.epsilon)
                    losses = (verdict.value_suboptimality, verdict.follower_suboptimality)
                    require(min(losses) >= -VALUE, f"better than the optimum by {-min(losses)}")
    return "leader and follower can play them, and the truth judges them"


def budget(trial: Trial) -> str:
    """No decision and no draw beyond the schedule."""
    allowed = trial.schedule.samples
    for _, replicate in trial.each_replicate:
        for decision, most in zip(replicate, allowed, strict=False):
            require(1 <= decision.samples <= most, f"{decision.samples} samples where {most} are allowed")
    runs = trial.size * (1 if trial.schedule.shared else len(TieBreaking))
    most = trial.schedule.drawn_at_most * runs
    require(trial.drawn < most + 0.5, f"draws {trial.drawn:.0f} samples where {most} are allowed")
    return f"{trial.budget.kind}: at most {allowed[-1]} samples"


def samples_counted(trial: Trial) -> str:
    """What is counted is what was drawn."""
    drawn, claimed = trial.drawn, trial.claimed
    if trial.contract.exact:
        require(abs(drawn - claimed) < 0.5, f"draws {drawn:.0f} samples and counts {claimed}")
    require(drawn < claimed + 0.5, f"draws {drawn:.0f} samples and counts {claimed} only")
    return f"{trial.budget.kind}: {drawn:.0f} drawn, {claimed} counted"


def truth_unseen(trial: Trial) -> str:
    """Only public members of the sampler are used."""
    assert trial.decisions
    looked = list(dict.fromkeys(trial.ledger.looked))
    require(not looked, f"looks at {', '.join(looked)} of the sampler, which is not for learners")
    return "public members of the sampler only"


CHECKS = (
    *(options, guarantee, pickles, schedule, determinism, random_streams, order_of_units, batching),
    *(findings, both_tie_breakings, commitments, budget, samples_counted, truth_unseen),
)
