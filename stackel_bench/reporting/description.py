"""The experiment's description in MLflow: what was asked, what the metrics mean, how to look at them."""

from __future__ import annotations

from stackel_bench.reporting.sweep_results import SweepResults

_METRICS = (
    ("failure_probability", "share of replicates whose decision missed the theorem's guarantee"),
    ("failure_probability_low, _high", "its exact 95 % interval"),
    ("leader_, follower_failure_probability", "the guarantee's two lines, counted separately"),
    ("value_suboptimality", "what the commitment loses on the true game, mean over replicates"),
    ("value_suboptimality_low, _high", "95 % interval of that mean"),
    ("value_suboptimality_median, _q95", "median and 95 % quantile over replicates"),
    ("follower_suboptimality", "how far the predicted response is from the follower's best one"),
    ("gap", "the paper's gap at this eps, exact: a loss that no learner avoids in the worst case over games"),
    ("guarantee", "gap + eps, the loss that the theorem allows"),
    ("sample_complexity", "smallest budget of the ladder that failed in at most delta of the replicates"),
    ("censored", "1 if the largest budget still failed too often: the true number is larger"),
    ("theory_samples", "the number of samples that the theorem asks for"),
    ("diagnostic_*", "what the explorer reports about itself"),
)


def experiment_description(results: SweepResults) -> str:
    """Markdown for the experiment's page."""
    study, question = results.study, results.question
    legend = "\n".join(f"| `{name}` | {text} |" for name, text in _METRICS)
    return f"""# {study}

**{" ".join(question.split())}**

One run per cell (game, learner, budget, tie-breaking); replicates are inside the cell. The run called
`report` has the whole study on one page: open it, then *Artifacts*, then `report.html`.

## How to look at it
- **Runs**: group or filter by the tags `family`, `game`, `algorithm`, `explorer`, `tie_breaking`, \
`epsilon`, for example `tags.tie_breaking = "pessimistic"`; sort by `failure_probability`.
- **Charts**: for cells with a ladder of budgets the step is the number of samples, so that a metric is \
its learning curve. The x axis starts out linear: switch it to log in the chart's settings, or look at the \
figures of the report.
- A cell does what the theorem promises if `failure_probability_high` is at most delta, and its loss is \
within bounds if `value_suboptimality` is at most `guarantee`.

## Metrics
| metric | meaning |
|---|---|
{legend}
"""
