"""The contract of learners, checked on a small game of their family."""

from collections.abc import Sequence
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.families.from_outside import LEARNER_MEMBERS, require_members
from stackel_bench.families.games import load_game
from stackel_bench.families.registry import family_names
from stackel_bench.learners.budget import Budget, FixedBudget, LadderBudget, TheoryBudget
from stackel_bench.learners.guarantee import guarantee_of
from stackel_bench.models import TieBreaking
from stackel_bench.outside.code import code_of
from stackel_bench.testing.common import built, content, contract_of, options_kept, pickles
from stackel_bench.testing.report import Report, require, run_checks
from stackel_bench.testing.trial import Trial, commits, keeps_to_budget
from stackel_bench.trials.encoding import decode, encode

BUDGETS = (
    FixedBudget(epsilon=0.5, samples=1009),
    LadderBudget(epsilon=0.5, samples=3001, rungs=3),
    TheoryBudget(epsilon=0.5),
)


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
    checks = _Checks(thing, [_trial(thing, each, game, budget) for each in families for budget in budgets])
    subject = f"{getattr(thing, 'name', type(thing).__name__)} on {', '.join(families)} games"
    return run_checks(subject, checks, raises)


def _trial(learner: Any, family: str, game: Any, budget: Budget) -> Trial:
    contract = contract_of(family)
    played = load_game(contract.game, **contract.parameters) if game is None else game
    return Trial(learner, played, contract, budget)


class _Checks:
    """The checks by name; each goes through all trials whose budget the learner takes."""

    def __init__(self, learner: Any, trials: Sequence[Trial]) -> None:
        self._learner = learner
        self._trials = trials

    @property
    def _each(self) -> list[Trial]:
        """Those with a schedule; the error of the last one if there is none."""
        kept: list[Trial] = []
        for trial in self._trials:
            try:
                assert trial.schedule
                kept.append(trial)
            except InputError as error:
                refused = error
        if not kept:
            raise refused
        return kept

    def options(self) -> str:
        """They are fields of a frozen dataclass, with defaults."""
        return options_kept(self._learner)

    def guarantee(self) -> str:
        """What it declares is a Guarantee."""
        found = guarantee_of(self._learner)
        lines = ", ".join(found.lines)
        return f"{lines}, {found.when}" if found.promised else "promises nothing"

    def pickles(self) -> str:
        """Learner and schedule travel."""
        again = pickles(self._learner)
        require(content(again) == content(self._learner), "the learner changes on its way to a worker")
        for trial in self._each:
            require(
                pickles(trial.schedule).counts == trial.schedule.counts, "the schedule changes on its way"
            )
        return "learner and schedule reach a worker unchanged"

    def schedule(self) -> str:
        """Schedules are well formed, and within what was asked for."""
        for trial in self._each:
            schedule, budget = trial.schedule, trial.budget
            require(schedule.units >= 1, f"{schedule.units} units")
            require(schedule.theory_samples >= 1, f"theory_samples is {schedule.theory_samples}")
            require(schedule.seconds_per_unit > 0, "seconds_per_unit is not positive")
            counts, samples = list(schedule.counts), list(schedule.samples)
            require(1 <= len(counts) == len(samples), f"counts {counts}, samples {samples}")
            require(counts == sorted(set(counts)), f"counts {counts} do not grow")
            require(samples == sorted(samples) and samples[0] >= 1, f"samples {samples} do not grow")
            if budget.total_is_given and budget.kind == "fixed":
                require(samples[-1] <= (budget.samples or 0), f"{samples[-1]} samples, not {budget.samples}")
        return "; ".join(f"{t.budget.kind}: {', '.join(map(str, t.schedule.samples))}" for t in self._each)

    def determinism(self) -> str:
        """Same key, same findings and decisions."""
        for trial in self._each:
            same = content(trial.explore()) == content(trial.findings)
            require(same, "the same unit and key explored again gives other findings")
            for tie in TieBreaking:
                again = trial.decide(trial.findings, tie)
                require(content(again) == content(trial.decisions[tie]), "the same findings, other decisions")
        return "same key, same findings, same decisions"

    def random_streams(self) -> str:
        """Another key, other samples."""
        for trial in self._each:
            other = content(trial.explore(block=1)) != content(trial.findings)
            require(other, "another key gives the same findings: use streams.generator(*key, ...)")
        return "another key, other samples"

    def order_of_units(self) -> str:
        """The order of the units does not matter."""
        for trial in self._each:
            backwards = trial.explore(backwards=True)
            require(content(backwards) == content(trial.findings), "units explored backwards differ")
        return f"{max(trial.schedule.units for trial in self._each)} units, forwards and backwards"

    def batching(self) -> str:
        """A block in parts is the whole block."""
        size = max(trial.size for trial in self._each)
        for trial in self._each:
            for tie in TieBreaking:
                for start, stop in ((0, 1), (1, min(3, trial.size))):
                    if start < stop:
                        parts = [finding[start:stop] for finding in trial.findings]
                        same = content(trial.decide(parts, tie)) == content(trial.decisions[tie][start:stop])
                        require(same, f"replicates {start} to {stop - 1} alone are decided otherwise")
            alone = content([finding[0] for finding in trial.explore(size=1)])
            whole = content([finding[0] for finding in trial.findings])
            require(alone == whole, "the first replicate alone explores otherwise")
        return f"parts of a block of {size} have its numbers"

    def findings(self) -> str:
        """What is kept on disk and read again decides the same."""
        known = {type(self._learner).__module__.partition(".")[0], *code_of(self._learner).modules}
        for trial in self._each:
            kept = decode(encode(trial.findings), known)
            same = content(trial.decide(kept, TieBreaking.PESSIMISTIC))
            require(same == content(trial.decisions[TieBreaking.PESSIMISTIC]), "once kept, others")
        return "kept and read again, they decide the same"

    def both_tie_breakings(self) -> str:
        """Decisions for either tie-breaking, one per rung."""
        for trial in self._each:
            for tie in TieBreaking:
                for rungs in trial.decisions[tie]:
                    require(
                        len(rungs) == len(trial.schedule.samples),
                        f"{len(rungs)} decisions for {len(trial.schedule.samples)} rungs",
                    )
                    wrong = [each.tie_breaking for each in rungs if each.tie_breaking is not tie]
                    require(not wrong, f"asked for {tie}, decided {wrong[:1]}")
        return "one decision per rung for each"

    def commitments(self) -> str:
        """What is decided can be played and judged."""
        return " ".join(dict.fromkeys(commits(trial) for trial in self._each))

    def budget(self) -> str:
        """No decision rests on more samples than the schedule says."""
        return "; ".join(keeps_to_budget(trial) for trial in self._each)

    def samples_counted(self) -> str:
        """What is counted is what was drawn."""
        told = []
        for trial in self._each:
            drawn, claimed = trial.drawn, trial.claimed
            if trial.contract.exact:
                require(abs(drawn - claimed) < 0.5, f"draws {drawn:.0f} samples and counts {claimed}")
            require(drawn < claimed + 0.5, f"draws {drawn:.0f} samples and counts {claimed} only")
            told.append(f"{trial.budget.kind}: {drawn:.0f} drawn, {claimed} counted")
        return "; ".join(told)

    def truth_unseen(self) -> str:
        """Only public members of the sampler are used."""
        for trial in self._each:
            assert trial.decisions
            looked = list(dict.fromkeys(trial.ledger.looked))
            require(not looked, f"looks at {', '.join(looked)} of the sampler, which is not for learners")
        return "public members of the sampler only"
