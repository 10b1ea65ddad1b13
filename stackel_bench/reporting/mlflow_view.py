"""The view of an experiment that MLflow's link opens: columns that matter, curves on a logarithmic axis."""

from __future__ import annotations

import json
from typing import Any

VIEW_NAME = "stackel"
VIEW_TAG = f"mlflow.sharedViewState.{VIEW_NAME}"  # where MLflow's pages keep views that were shared
VIEW_QUERY = f"workflowType=machine_learning&compareRunsMode=CHART&viewStateShareKey={VIEW_NAME}"

_TAGS = ("family", "game", "algorithm", "explorer", "tie_breaking", "epsilon")
_METRICS = (
    "failure_probability",
    "failure_probability_high",
    "value_suboptimality",
    "guarantee",
    "sample_complexity",
    "theory_samples",
)
_SECTION = "stackel"


def view_state() -> str:
    """The value of the experiment's tag VIEW_TAG, in the words of MLflow's own pages."""
    charts = [
        _curve("failure_probability", "failure probability"),
        _curve("value_suboptimality", "value suboptimality"),
        _bars("sample_complexity", "samples needed"),
        _scatter("theory_samples", "sample_complexity", "samples needed against the theorem's budget"),
    ]
    state = {
        "selectedColumns": [*(f"tags.`{tag}`" for tag in _TAGS), *(f"metrics.`{name}`" for name in _METRICS)],
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
