"""The experiment's description in MLflow: what was asked, what the metrics mean, how to look at them."""

from __future__ import annotations

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.templates import fill
from stackel_bench.results.columns import shown_in
from stackel_bench.results.varying import varying_keys


def experiment_description(results: SweepResults) -> str:
    """Markdown for the experiment's page."""
    return fill(
        "description.md",
        study=results.study,
        question=" ".join(results.question.split()),
        varying=varying_keys(results.entries),
        metrics=shown_in("mlflow"),
    )
