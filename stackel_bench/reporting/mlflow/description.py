"""The experiment's description in MLflow: where to click, what was asked, what came out, what words mean."""

from __future__ import annotations

from collections.abc import Sequence

from stackel_bench.reporting.mlflow.view_pages import View
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.templates import fill
from stackel_bench.results.columns import shown_in
from stackel_bench.results.varying import varying_keys
from stackel_bench.tracking.links import report_link, runs_link, view_query


def experiment_description(
    results: SweepResults, told: Sequence[str], views: Sequence[View], experiment_id: str, report_run: str
) -> str:
    """Markdown for the experiment's page, whose first line alone is always visible; told: the headline."""
    links = [(view.name, runs_link(experiment_id, view_query(view.view_id))) for view in views]
    return fill(
        "description.md",
        links=links,
        report=report_link(experiment_id, report_run),
        study=results.study,
        question=" ".join(results.question.split()),
        headline=told,
        varying=varying_keys(results.entries),
        metrics=shown_in("mlflow"),
    )
