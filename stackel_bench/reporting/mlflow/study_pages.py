"""All that MLflow shows of a sweep beside its cells: pairs, series, report, views, description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stackel_bench.reporting.headline import headline
from stackel_bench.reporting.mlflow.pair_runs import pair_runs
from stackel_bench.reporting.mlflow.series_runs import series_runs, series_steps
from stackel_bench.reporting.mlflow.views import View, is_own, make_views, view_tags
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.templates import fill
from stackel_bench.reporting.versus.paired import pairs
from stackel_bench.results.columns import shown_in
from stackel_bench.results.varying import varying_keys
from stackel_bench.tracking.links import PAIRS_VIEW, report_link, runs_link, view_query
from stackel_bench.tracking.run_record import PAIR, SERIES, prefix

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_LONGEST = 4500  # letters of a tag of an experiment that every release of MLflow takes


def study_views(results: SweepResults) -> list[View]:
    """The views, the one to begin with first."""
    varying, paired = varying_keys(results.entries, results.flat), len(pairs(results)[0]) > 0
    return make_views(results.sweep_id, results.entries, varying, paired, series_steps(results))


def first_query(results: SweepResults) -> str:
    """What opens the first view."""
    return view_query(study_views(results)[0].view_id)


def log_study(
    results: SweepResults, store: MlflowStore, tags: Mapping[str, str], paths: Sequence[Path]
) -> None:
    """Write all of it, with these files of the sweep's folder; again changes nothing."""
    store.replace(PAIR, prefix(results.sweep_id), pair_runs(results, tags))
    store.replace(SERIES, prefix(results.sweep_id), series_runs(results, tags))
    counts = {"cells_finished": len(results.finished), "cells_failed": len(results.failed)}
    report = store.log_report(results.sweep_id, tags, counts, results.folder, paths)
    views, told = study_views(results), headline(results)
    described = {
        "mlflow.note.content": experiment_description(results, told, views, store.experiment_id, report),
        "stackel.question": " ".join(results.question.split())[:_LONGEST],
        "stackel.headline": "\n".join(told)[:_LONGEST],
        "stackel.report_run": report,
        "stackel.cells": f"{len(results.finished)} of {results.planned}",
    }
    store.describe({**described, **view_tags(views)}, is_own)


def experiment_description(
    results: SweepResults, told: Sequence[str], views: Sequence[View], experiment_id: str, report_run: str
) -> str:
    """Markdown for the experiment's page, whose first line alone is always visible; told: the headline."""
    links = [(view.name, runs_link(experiment_id, view_query(view.view_id))) for view in views]
    return fill(
        "description.md",
        links=links,
        paired=any(view.view_id == PAIRS_VIEW for view in views),
        report=report_link(experiment_id, report_run),
        study=results.study,
        question=" ".join(results.question.split()),
        headline=told,
        varying=varying_keys(results.entries, results.flat),
        metrics=shown_in("mlflow"),
    )
