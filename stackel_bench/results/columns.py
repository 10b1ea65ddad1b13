"""Every column and number that is shown anywhere, defined once: tables, terminal, report, MLflow, docs."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from stackel_bench.families.sizes import SIZES

# Where a number is shown: results.csv, results.parquet and cells of Results (results), its other frames, the
# table of the terminal and of the report, MLflow's metrics and tags.
PLACES = {
    "results": "results, `cells`",
    "rung": "`rungs`",
    "replicate": "`records`",
    "action": "`actions`",
    "terminal": "terminal",
    "report": "report",
    "mlflow": "MLflow metric",
    "tag": "MLflow tag",
}

# Names that change together with how samples needed are estimated; everybody reads them from here.
NEEDED = "sample_complexity"
NEEDED_LOW = "samples_needed_low"
NEEDED_HIGH = "samples_needed_high"
NEEDED_INTERVAL = "samples_needed_interval"
CENSORED = "censored"
AT_MOST = "at_most"


@dataclass(frozen=True)
class Column:
    """A number or word, in one sentence that a stranger understands; a name with * stands for several."""

    name: str
    unit: str
    definition: str
    better: Literal["lower", "higher", ""]
    shown: frozenset[str]
    heading: str = ""  # where the name is too long for a table on the screen


def _column(
    name: str,
    unit: str,
    definition: str,
    shown: str,
    better: Literal["lower", "higher", ""] = "",
    heading: str = "",
) -> Column:
    return Column(name, unit, definition, better, frozenset(shown.split()), heading or name)


_ALL = "results rung replicate action"
_RUNG = "results rung mlflow"
_EVERY_RUNG = f"{_RUNG} replicate"
_SCREEN = "terminal report"

COLUMNS = (
    # Which cell it is.
    _column("cell_id", "", "hash of everything that determines the cell's result", _ALL),
    _column("family", "", "family of games: what is sampled and how", f"{_ALL} tag"),
    _column("game", "", "name of the game", f"{_ALL} {_SCREEN} tag"),
    _column("algorithm", "", "name of the learner", f"{_ALL} {_SCREEN} tag", heading="learner"),
    _column("explorer", "", "how episodes are explored; empty where none are", f"{_ALL} tag"),
    _column(
        "tie_breaking",
        "",
        "what the follower does among almost best responses: worst or best for the leader",
        f"{_ALL} {_SCREEN} tag",
        heading="tie-breaking",
    ),
    _column("budget", "", "how samples are budgeted: theory, scaled, fixed or ladder", f"{_ALL} tag"),
    _column("epsilon", "reward", "accuracy that is asked for", f"{_ALL} {_SCREEN} tag", "", heading="eps"),
    _column("delta", "probability", "failure probability that is allowed", f"{_ALL} report tag"),
    _column("replicates", "count", "independent repetitions of the cell", f"{_ALL} report tag"),
    _column("seed", "", "root of all random streams", _ALL),
    *(_column(name, "count", size.definition, f"{_ALL} tag") for name, size in SIZES.items()),
    _column("game.*", "", "option of the game that varies within the sweep", f"{_ALL} tag"),
    _column("algorithm.*", "", "option of the learner that varies within the sweep", f"{_ALL} tag"),
    _column("budget.*", "", "option of the budget that varies within the sweep", f"{_ALL} tag"),
    # Which row of a cell it is.
    _column("replicate", "", "number of the replicate, from 0", "replicate action"),
    _column("rung", "", "number of the budget within its ladder, 0 is the smallest", "rung replicate action"),
    _column("action", "", "number of the leader action", "action"),
    # What was used, and what came of it.
    _column(
        "samples",
        "samples",
        "samples that one replicate used (mean over replicates; in actions those on this leader action)",
        f"{_ALL} {_SCREEN}",
        "lower",
    ),
    _column("theory_samples", "samples", "samples that the theorem asks for", f"{_RUNG} report"),
    _column("failures", "count", "replicates that missed the guarantee", _SCREEN, "lower", "failed"),
    _column(
        "failure_probability",
        "probability",
        "share of replicates whose decision missed a line that the learner is judged by: those it promises, "
        "or the paper's",
        f"{_RUNG}",
        "lower",
    ),
    _column(
        "failure_probability_low",
        "probability",
        "lower end of its exact 95 % interval",
        f"{_RUNG} {_SCREEN}",
        "lower",
    ),
    _column(
        "failure_probability_high",
        "probability",
        "upper end of its exact 95 % interval",
        f"{_RUNG} {_SCREEN}",
        "lower",
    ),
    _column(
        "loss_failure_probability",
        "probability",
        "share of replicates whose commitment lost more than gap + eps",
        "results rung",
        "lower",
    ),
    _column(
        "robustness_failure_probability",
        "probability",
        "share of replicates whose commitment misses that limit against a follower who errs by eps/2; empty "
        "with optimistic tie-breaking, which has no such line",
        "results rung",
        "lower",
    ),
    _column(
        "follower_failure_probability",
        "probability",
        "share of replicates that predicted a response further than eps from the follower's best",
        "results rung",
        "lower",
    ),
    _column(
        "verdict",
        "",
        "is the failure probability at most delta? holds, fails, or open (exact one-sided tests at 5 %); "
        "vacuous where no output could have broken the leader's lines, so that nothing was tested",
        f"results {_SCREEN} tag",
    ),
    _column(
        "vacuous",
        "0 or 1",
        "1 if no output at all can break a line for the leader that the learner is judged by, on this game",
        "results replicate",
    ),
    _column(
        "loss_vacuous",
        "0 or 1",
        "1 if no commitment loses more than gap + eps",
        "results replicate",
    ),
    _column(
        "robustness_vacuous",
        "0 or 1",
        "1 if none does against a follower who errs by eps/2; empty with optimistic tie-breaking",
        "results replicate",
    ),
    _column(
        "follower_vacuous",
        "0 or 1",
        "1 if no response is further than eps from the follower's best",
        "results replicate",
    ),
    _column(
        "value_suboptimality",
        "reward",
        "value that the commitment loses on the true game (mean over replicates)",
        f"{_EVERY_RUNG} {_SCREEN}",
        "lower",
        "loss",
    ),
    _column(
        "value_suboptimality_low",
        "reward",
        "lower end of the 95 % interval of the mean loss, valid also where losses are rare",
        f"{_RUNG} report",
        "lower",
    ),
    _column(
        "value_suboptimality_high",
        "reward",
        "upper end of the 95 % interval of the mean loss, valid also where losses are rare",
        f"{_RUNG} report",
        "lower",
    ),
    _column("value_suboptimality_median", "reward", "median loss over replicates", "results rung", "lower"),
    _column(
        "value_suboptimality_q95",
        "reward",
        "95 % quantile of the loss over replicates",
        f"{_RUNG} report",
        "lower",
        "95 % quantile",
    ),
    _column(
        "follower_suboptimality",
        "reward",
        "how far the predicted response is from the follower's best one (mean over replicates)",
        _EVERY_RUNG,
        "lower",
    ),
    _column(
        "gap",
        "reward",
        "value that a follower's errors of up to eps can cost on this game; exact, no samples involved",
        _EVERY_RUNG,
    ),
    _column(
        "largest_loss",
        "reward",
        "largest loss that any commitment could have on this game",
        "replicate",
    ),
    _column(
        "guarantee",
        "reward",
        "gap + eps, the loss that the theorem allows",
        f"{_EVERY_RUNG} {_SCREEN}",
        heading="allowed",
    ),
    _column(
        NEEDED,
        "samples",
        "samples needed: on a ladder the budget from which on the failure probability stays at most delta "
        "(between the last one that failed more often and the next); with one budget the samples used",
        f"results mlflow {_SCREEN}",
        "lower",
        "needs",
    ),
    _column(
        CENSORED,
        "0 or 1",
        "1 if the largest budget, or the only one, failed more often than delta: more samples are needed",
        f"results mlflow {_SCREEN}",
        "lower",
    ),
    _column(
        NEEDED_LOW,
        "samples",
        "last budget that is shown to fail more often than delta; empty if none is",
        "results mlflow report",
        "lower",
        "needs at least",
    ),
    _column(
        NEEDED_HIGH,
        "samples",
        "first budget from which on all are shown to fail at most delta often; empty if none is",
        "results mlflow report",
        "lower",
        "enough from",
    ),
    _column(
        AT_MOST,
        "0 or 1",
        "1 if the smallest budget never failed, and no larger one too often: fewer samples may do",
        "results terminal report",
    ),
    _column(
        "samples_median",
        "samples",
        "median of the samples used, of learners that stop by themselves",
        "results mlflow",
        "lower",
    ),
    _column(
        "samples_q90",
        "samples",
        "90 % quantile of the samples used, of learners that stop by themselves",
        "results mlflow",
        "lower",
    ),
    _column(
        "lower_bound_samples",
        "samples",
        "samples that any sound learner takes on this very game in the mean, as delta goes to 0: T* times "
        "kl(delta, 1 - delta); no theorem at this delta where several answers are correct; empty where it "
        "is not known (small bandit games, the first dozen of a sweep)",
        "results mlflow",
    ),
    _column(
        "samples_over_lower_bound",
        "ratio",
        "samples needed over lower_bound_samples",
        "results mlflow",
        "lower",
    ),
    _column("samples_drawn", "samples", "samples that all replicates drew together", "results", "lower"),
    # One decision.
    _column("leader_action", "", "leader action that was committed to", "replicate report"),
    _column(
        "strategy_*", "probability", "committed probability of a leader action (of up to three)", "replicate"
    ),
    _column("follower_response", "", "predicted response; empty where it is a policy", "replicate"),
    _column("estimated_value", "reward", "what the learner expected its commitment to be worth", "replicate"),
    _column("value", "reward", "what the commitment is really worth; exact", "replicate", "higher"),
    _column("loss_guarantee_held", "", "whether the loss is at most gap + eps", "replicate", "higher"),
    _column(
        "robustness_guarantee_held",
        "",
        "whether it is so also against a follower who errs by eps/2; empty with optimistic tie-breaking",
        "replicate",
        "higher",
    ),
    _column(
        "follower_guarantee_held", "", "whether the predicted response is within eps", "replicate", "higher"
    ),
    _column(
        "guarantee_held", "", "whether all lines hold that the learner is judged by", "replicate", "higher"
    ),
    # What is known of one leader action.
    _column("chosen", "probability", "how often, or how likely, the leader action was chosen", "action"),
    _column("estimated_phi", "reward", "estimated value with pessimistic tie-breaking", "action"),
    _column("estimated_psi", "reward", "estimated value with optimistic tie-breaking", "action"),
    _column("estimated_*_std", "reward", "standard deviation of the estimate over replicates", "action"),
    _column("episodes_*", "episodes", "episodes of one phase of exploration", "action", "lower"),
    _column("policies", "count", "policies that were played while exploring", "action"),
    _column(
        "certificate", "reward", "bound on every value's error that the explorer proves", "action report"
    ),
    _column("coverage", "ratio", "worst ratio of reachable to achieved visits; exact", "action", "lower"),
    _column("coverage_bound", "ratio", "largest coverage that the theorem allows", "action"),
    _column("uniform_error", "reward", "largest error of any policy's estimated value", "action", "lower"),
    # What a decision earned when it was played out, where nobody knows the truth.
    *(
        column
        for player in ("leader", "follower")
        for column in (
            _column(
                f"played_{player}_value",
                "reward",
                f"what the {player} earned per fresh episode or pull of the decision (mean over replicates); "
                "only where the truth is unknown",
                f"{_EVERY_RUNG} report",
                "higher" if player == "leader" else "",
                heading=f"{player} earns",
            ),
            _column(
                f"played_{player}_value_low", "reward", "lower end of its 95 % interval (mean)", _EVERY_RUNG
            ),
            _column(
                f"played_{player}_value_high", "reward", "upper end of its 95 % interval (mean)", _EVERY_RUNG
            ),
        )
    ),
    # What learner and explorer say about themselves, and what it cost.
    _column(
        "certified",
        "share",
        "replicates that stopped because they had proven both lines; empty for learners that prove nothing",
        "results rung mlflow report",
        "higher",
    ),
    _column(
        "diagnostic_*",
        "",
        "what learner or explorer report about themselves: episodes of a phase, coverage, certificate, ...",
        "results rung replicate",
    ),
    _column("diagnostic/*", "", "the same in MLflow, where a slash makes a section", "mlflow"),
    _column(
        "wall_seconds",
        "seconds",
        "from the cell's first task to its end, in the run that finished it",
        "mlflow",
        "lower",
    ),
    _column(
        "log10_sample_complexity",
        "",
        "decimal logarithm of the samples needed; absent where no budget sufficed, or there is one budget",
        "mlflow",
        "lower",
    ),
    _column("log10_theory_samples", "", "decimal logarithm of theory_samples", "mlflow"),
    _column("cells_finished", "count", "cells of the sweep with results (run `report`)", "mlflow"),
    _column("cells_failed", "count", "cells of the sweep with an error (run `report`)", "mlflow", "lower"),
    # What people read in MLflow's table of runs.
    _column("failure", "probability", "failure probability with its exact 95 % interval", "tag", "lower"),
    _column("loss", "reward", "mean loss with its 95 % interval", "tag", "lower"),
    _column("allowed", "reward", "gap + eps, the loss that the theorem allows", "tag"),
    _column("needs", "samples", "samples needed with their interval, or those used", "tag", "lower"),
    _column("earns", "reward", "played_leader_value with its 95 % interval", "tag", "higher"),
    # Runs `PAIR ...` of MLflow: two cells that differ in tie-breaking alone.
    _column("loss/*", "reward", "loss of one tie-breaking along the budgets", "mlflow", "lower"),
    _column("failure/*", "probability", "failure probability of one tie-breaking", "mlflow", "lower"),
    _column("samples/*", "samples", "samples needed with one tie-breaking", "mlflow", "lower"),
    _column("log10_samples/*", "", "decimal logarithm of samples/*", "mlflow", "lower"),
    _column("difference/*", "", "optimistic minus pessimistic, with ends of its 95 % interval", "mlflow"),
    _column("ratio/*", "", "samples needed, pessimistic over optimistic, and its logarithm", "mlflow"),
    # Runs `... along ...` of MLflow: cells that differ in one swept number alone, which is the step.
    _column("scaling/*", "", "the number of that name along the swept number", "mlflow"),
    # What tables alone show.
    _column(
        "samples_over_theory",
        "ratio",
        "samples at the largest budget over those that the theorem asks for",
        "report",
        "lower",
        "of theory",
    ),
    _column(
        "failure_probability_interval",
        "probability",
        "exact 95 % interval of the failure probability",
        _SCREEN,
        heading="95 % interval",
    ),
    _column(
        NEEDED_INTERVAL,
        "samples",
        "interval of the samples needed: the last budget that is shown to fail more often than delta, and "
        "the first from which on all are shown not to",
        _SCREEN,
        heading="needs within",
    ),
    _column(
        "value_suboptimality_interval",
        "reward",
        "95 % interval of the mean loss, valid also where losses are rare",
        "report",
        heading="its 95 % interval",
    ),
    _column("parameter", "", "size of the game, or accuracy, along which cells are compared", "report"),
    _column("cells_of", "", "game, learner and options that these cells share", "report", heading="cells of"),
    _column(
        "exponent",
        "",
        "power of the parameter with which samples needed grow, from all failures of all these cells (for "
        "learners that stop by themselves: mean samples used); too uncertain if its interval is wider than 1",
        "report",
    ),
    _column(
        "exponent_low",
        "",
        "lower end of its 95 % interval, which counts games, not replicates",
        "report",
        heading="exponent at least",
    ),
    _column(
        "exponent_high",
        "",
        "upper end of its 95 % interval, which counts games, not replicates",
        "report",
        heading="exponent at most",
    ),
    _column(
        "theorem_exponent",
        "",
        "power of the parameter in the samples that the theorem asks for, without logarithms",
        "report",
        heading="theorem's exponent",
    ),
    _column("cells", "count", "cells behind the exponent, random instances included", "report"),
    _column(
        "cells_outside",
        "count",
        "those of them in which all budgets fail more often than delta, or none does",
        "report",
        "lower",
        "outside the ladder",
    ),
)

_BY_NAME = {column.name: column for column in COLUMNS}
_PATTERNS = tuple(column for column in COLUMNS if "*" in column.name)
_POSITIONS = {column.name: position for position, column in enumerate(COLUMNS)}

# Configuration keys whose value has a column with a shorter name.
SHORT_COLUMNS = {
    **{"game.name": "game", "algorithm.name": "algorithm", "algorithm.explorer": "explorer"},
    **{"budget.kind": "budget", "budget.epsilon": "epsilon", "budget.delta": "delta"},
    **{name: name for name in ("tie_breaking", "replicates", "seed")},
    **{f"game.{name}": name for name in SIZES},
}


def lookup(name: str) -> Column:
    """The definition of a column; a KeyError where there is none."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    for column in _PATTERNS:
        if fnmatch.fnmatchcase(name, column.name):
            return column
    raise KeyError(name)


def heading(name: str) -> str:
    """The column's name in tables on the screen."""
    return lookup(name).heading


def ordered(names: Iterable[str]) -> list[str]:
    """The names in the order of the table; those of one pattern as they come, unknown ones last."""

    def position(name: str) -> int:
        try:
            return _POSITIONS[lookup(name).name]
        except KeyError:
            return len(COLUMNS)

    return sorted(names, key=position)


def shown_in(place: str) -> tuple[Column, ...]:
    """The columns that are shown in a place."""
    assert place in PLACES
    return tuple(column for column in COLUMNS if place in column.shown)


def markdown() -> str:
    """The table of all columns for the docs."""
    lines = ["| column | unit | meaning | where |", "|---|---|---|---|"]
    for column in COLUMNS:
        where = ", ".join(text for place, text in PLACES.items() if place in column.shown)
        better = f" ({column.better} is better)" if column.better else ""
        lines.append(f"| `{column.name}` | {column.unit} | {column.definition}{better} | {where} |")
    return "\n".join(lines)
