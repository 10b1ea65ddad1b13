"""The experiment's description in MLflow: what was asked, what the metrics mean, how to look at them."""

from __future__ import annotations

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.columns import shown_in
from stackel_bench.results.varying import varying_keys


def experiment_description(results: SweepResults) -> str:
    """Markdown for the experiment's page."""
    study, question = results.study, results.question
    legend = "\n".join(f"| `{c.name}` | {c.unit} | {c.definition} |" for c in shown_in("mlflow"))
    varying = "".join(f", `{key}`" for key in varying_keys(results.entries))
    return f"""# {study}

**{" ".join(question.split())}**

One run per cell (game, learner, budget, tie-breaking); replicates are inside the cell. The run called
`report` has the whole study on one page: open it, then *Artifacts*, then `report.html`.

## How to look at it
- **Runs**: group or filter by the tags `family`, `game`, `algorithm`, `explorer`, `tie_breaking`, \
`epsilon`{varying}, for example `tags.tie_breaking = "pessimistic"`; sort by `failure_probability`.
- **Charts**: for cells with a ladder of budgets the step is the number of samples, so that a metric is \
its learning curve. The x axis starts out linear: switch it to log in the chart's settings, or look at the \
figures of the report.
- A cell does what its learner promises if the tag `verdict` says `holds`; `vacuous` means that no output \
could have broken the leader's lines on this game, so that nothing was tested.
- Its loss is within bounds if `value_suboptimality` is at most `guarantee`.

## Metrics
| metric | unit | meaning |
|---|---|---|
{legend}
"""
