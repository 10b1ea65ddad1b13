"""Addresses inside MLflow's pages, relative to any server."""

import re
from urllib.parse import quote

CHARTS, TABLE = "CHART", "TABLE"
PAIRS_VIEW, CELLS_VIEW = "stackel-pairs", "stackel-cells"


def game_view(game: str) -> str:
    """The id of the view of one game."""
    return "stackel-game-" + re.sub(r"[^A-Za-z0-9]+", "-", game)


def view_query(view: str) -> str:
    """The query that opens a view, all cells as a table, others with charts: no view can say so itself."""
    mode = TABLE if view == CELLS_VIEW else CHARTS
    return f"workflowType=machine_learning&compareRunsMode={mode}&viewStateShareKey={view}"


def runs_link(experiment_id: str, query: str) -> str:
    """The page of an experiment's runs."""
    return f"#/experiments/{experiment_id}/runs?{query}"


def search_link(experiment_id: str, where: str) -> str:
    """The runs that fulfil a condition, as a table."""
    query = f"workflowType=machine_learning&compareRunsMode={TABLE}&searchFilter={quote(where)}"
    return runs_link(experiment_id, query)


def report_link(experiment_id: str, run_id: str) -> str:
    """The report inside the page of its run."""
    return f"#/experiments/{experiment_id}/runs/{run_id}/artifacts/report.html"


def artifact_address(run_id: str, path: str) -> str:
    """A file of a run, as pages embed it."""
    return f"get-artifact?run_uuid={run_id}&path={quote(path)}"


def equals(tag: str, value: str) -> str:
    """A condition of MLflow's search."""
    mark = '"' if "'" in value else "'"
    return f"tags.`{tag}` = {mark}{value}{mark}"


def in_sweep(sweep_id: str) -> str:
    """The tag of every run of a sweep; a cell can be in several."""
    return f"stackel.sweep.{sweep_id}"
