"""The ui verb's mistakes, the view that its link opens, and the experiment's description."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from stackel_bench.errors import InputError
from stackel_bench.reporting.mlflow.description import experiment_description
from stackel_bench.reporting.mlflow.ui_server import running_server
from stackel_bench.reporting.mlflow.view import VIEW_NAME, VIEW_QUERY, view_state
from stackel_bench.verbs.ui import main
from tests.reporting.fixture_sweeps import troubled_sweep


@pytest.mark.parametrize("word", ["prot=5000", "port=abc", "port=80", "open=maybe", "output"])
def test_wrong_options(word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        main([f"output={tmp_path}", word])


def test_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a folder with mlflow\.db"):
        main([f"output={tmp_path}"])


def test_taken_port(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match="a port that is free"), running_server(tmp_path, port=port):
            pass


def test_view_has_log_curves_and_columns() -> None:
    state = json.loads(view_state())
    curves = [chart for chart in state["compareRunCharts"] if chart["type"] == "LINE"]
    assert {chart["metricKey"] for chart in curves} == {"failure_probability", "value_suboptimality"}
    assert all(chart["xAxisScaleType"] == "log" for chart in curves)
    sections = {section["uuid"] for section in state["compareRunSections"]}
    assert {chart["metricSectionId"] for chart in state["compareRunCharts"]} <= sections
    assert "metrics.`failure_probability`" in state["selectedColumns"]
    assert VIEW_QUERY.endswith(f"viewStateShareKey={VIEW_NAME}")


def test_description_explains_every_headline_metric(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    text = experiment_description(results)
    assert text.startswith("# troubled")
    assert results.question in text
    for metric in ("failure_probability", "value_suboptimality", "gap", "guarantee", "sample_complexity"):
        assert f"`{metric}`" in text
    assert "a smaller budget may fail without breaking a promise" in text
    assert "does what its learner promises" not in text
