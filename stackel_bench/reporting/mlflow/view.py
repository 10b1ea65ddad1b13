"""The view of an experiment that MLflow's link opens: columns that matter, curves on a logarithmic axis."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from stackel_bench.results.columns import NEEDED, shown_in

VIEW_NAME = "stackel"
VIEW_TAG = f"mlflow.sharedViewState.{VIEW_NAME}"  # where MLflow's pages keep views that were shared
VIEW_QUERY = f"workflowType=machine_learning&compareRunsMode=CHART&viewStateShareKey={VIEW_NAME}"

_SECTION = "stackel"


def view_state(varying: Sequence[str] = ()) -> str:
    """The value of the experiment's tag VIEW_TAG, in the words of MLflow's own pages.

    varying: the configuration keys that tell the runs apart; columns as well.
    """
    shown = [column for column in shown_in("view") if "*" not in column.name]
    tags = [column.name for column in shown if "tag" in column.shown]
    metrics = [column.name for column in shown if "mlflow" in column.shown]
    charts = [
        _curve("failure_probability", "failure probability"),
        _curve("value_suboptimality", "value suboptimality"),
        _bars(NEEDED, "samples needed"),
        _scatter("theory_samples", NEEDED, "samples needed against the theorem's budget"),
    ]
    state = {
        "selectedColumns": [
            *(f"tags.`{tag}`" for tag in [*tags, *varying]),
            *(f"metrics.`{name}`" for name in metrics),
        ],
        "runsHiddenMode": "FIRST_20_RUNS",
        "compareRunCharts": charts,
        "compareRunSections": [
            {"uuid": _SECTION, "name": "Study", "display": True, "isReordered": True},
        ],
        "isAccordionReordered": True,
    }
    return json.dumps(state)


def _card(kind: str, name: str, title: str, **settings: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"{_SECTION}-{kind.lower()}-{name}",
        "metricSectionId": _SECTION,
        "deleted": False,
        "isGenerated": False,
        "displayName": title,
        **settings,
    }


def _curve(metric: str, title: str) -> dict[str, Any]:
    """A metric against samples; MLflow's own default is a linear axis, on which all curves are vertical."""
    return _card(
        "LINE",
        metric,
        title,
        metricKey=metric,
        selectedMetricKeys=[metric],
        xAxisKey="step",
        xAxisScaleType="log",
        scaleType="linear",
        useGlobalXaxisKey=False,
        useGlobalLineSmoothing=True,
        lineSmoothness=0,
        range={},
        yAxisKey="metric",
        yAxisExpressions=[],
        selectedXAxisMetricKey="",
        ignoreOutliers=False,
    )


def _bars(metric: str, title: str) -> dict[str, Any]:
    return _card("BAR", metric, title, metricKey=metric)


def _scatter(x: str, y: str, title: str) -> dict[str, Any]:
    axes = {"xaxis": {"key": x, "type": "METRIC"}, "yaxis": {"key": y, "type": "METRIC"}}
    return _card("SCATTER", y, title, runsCountToCompare=100, **axes)
