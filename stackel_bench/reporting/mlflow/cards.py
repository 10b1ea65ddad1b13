"""Charts and sections of a saved view, in the words of MLflow's own pages."""

from collections.abc import Sequence
from typing import Any

from stackel_bench.tracking.cell_run import KIND as CELL
from stackel_bench.tracking.links import equals
from stackel_bench.tracking.run_record import PAIR, SERIES

Json = dict[str, Any]

# MLflow adds a chart for every metric that no card names, in sections of these names: they start closed.
CLOSED = {
    CELL: ("Model metrics", "diagnostic"),
    PAIR: ("samples", "log10_samples", "loss", "failure", "difference", "ratio"),
    SERIES: ("scaling",),
}


Section = tuple[Json, list[Json]]  # and its cards


def section(uid: str, name: str, *cards: Json, columns: int = 3, height: int = 360) -> Section:
    """A section that is open, and its cards."""
    look = {"display": True, "isReordered": True, "columns": columns, "cardHeight": height}
    owned = [
        {**card, "metricSectionId": uid, "uuid": f"{uid}-{position}"} for position, card in enumerate(cards)
    ]
    return {"uuid": uid, "name": name, **look}, owned


def line(*metrics: str, y: str = "linear", x: str = "log") -> Json:
    """Metrics against their step: the first solid, the second dashed, the third dotted."""
    return _card(
        "LINE",
        metricKey=metrics[0],
        selectedMetricKeys=list(metrics),
        xAxisKey="step",
        xAxisScaleType=x,
        scaleType=y,
        useGlobalXaxisKey=False,
        useGlobalLineSmoothing=False,
        lineSmoothness=0,
        range={},
        yAxisKey="metric",
        yAxisExpressions=[],
        selectedXAxisMetricKey="",
        ignoreOutliers=False,
        displayPoints=True,
    )


def bars(metric: str, title: str = "") -> Json:
    """A metric's last value for each run, in the run's colour."""
    named = {"metricKey": title, "dataAccessKey": metric} if title else {"metricKey": metric}
    return _card("BAR", **named)


def grouped_bars(*metrics: str) -> Json:
    """Several metrics for each run: the first blue, the second orange."""
    return _card("BAR", metricKey=metrics[0], selectedMetricKeys=list(metrics))


def scatter(x: str, x_title: str, y: str, y_title: str) -> Json:
    """One point per run."""
    axes = {
        "xaxis": {"key": x_title, "dataAccessKey": x, "type": "METRIC"},
        "yaxis": {"key": y_title, "dataAccessKey": y, "type": "METRIC"},
    }
    return _card("SCATTER", runsCountToCompare=100, **axes)


def _card(kind: str, **settings: Any) -> Json:
    return {"type": kind, "deleted": False, "isGenerated": False, **settings}


def view_state(
    kind: str,
    where: Sequence[str],
    order_by: str,
    columns: Sequence[tuple[str, int]],
    sections: Sequence[Section],
) -> Json:
    """The state of a page of runs of a kind that fulfil all conditions; columns: (canonical key, width)."""
    run = "attributes.`Run Name`"
    closed = [{"uuid": f"rest-{n}", "name": n, "display": False, "isReordered": False} for n in CLOSED[kind]]
    return {
        "searchFilter": " and ".join([*where, equals("stackel.kind", kind)]),
        "orderByKey": order_by,
        "orderByAsc": True,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "datasetsFilter": [],
        "modelVersionFilter": "All Runs",
        "selectedColumns": [key for key, _ in columns],
        "columnOrder": [run, *(key for key, _ in columns)],
        "columnWidths": {run: 260, **dict(columns)},
        "runsHiddenMode": "SHOW_ALL",
        "compareRunCharts": [card for _, cards in sections for card in cards],
        "compareRunSections": [*(look for look, _ in sections), *closed],
        "isAccordionReordered": True,
        "hideEmptyCharts": True,
        "globalLineChartConfig": {"xAxisKey": "step", "lineSmoothness": 0, "selectedXAxisMetricKey": ""},
    }
