"""MLflow's web application with our index of studies, and pages that open with our columns.

A plug-in of MLflow (entry point `mlflow.app`), which `stackel-bench ui` starts. It rests on MLflow's insides:
whatever is not as expected is served untouched, and if this module cannot be imported, `ui` does without it.
"""

import logging
from pathlib import Path
from typing import Any

from mlflow.server import app as flask_app
from mlflow.server.fastapi_app import app
from mlflow.server.handlers import _get_tracking_store
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from stackel_bench.reporting.mlflow.studies import Experiment, seeded_page, studies_page

__all__ = ["app"]


def _experiments() -> list[Experiment]:
    """All experiments, the one that changed last first, without MLflow's empty default."""
    store: Any = _get_tracking_store()
    found = store.search_experiments(max_results=1000, order_by=["last_update_time DESC"])
    return [Experiment(e.experiment_id, e.name, dict(e.tags)) for e in found if e.experiment_id != "0"]


def _index(request: Request) -> Response:
    page = Path(flask_app.static_folder or "", "index.html").read_text("utf-8")
    try:
        page = seeded_page(page, _experiments())
    except Exception:  # MLflow's own page is better than none
        logging.getLogger(__name__).exception("MLflow's page is served as it is")
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})


def _studies(request: Request) -> Response:
    return HTMLResponse(studies_page(_experiments()), headers={"Cache-Control": "no-store"})


app.router.routes[:0] = [Route("/", _index), Route("/studies", _studies)]
