"""The index of studies, and what makes MLflow's own page open with our columns in a new browser."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stackel_bench.reporting.mlflow.views import TAG, is_own
from stackel_bench.reporting.templates import fill
from stackel_bench.results.files import FIGURES
from stackel_bench.tracking.links import artifact_address, report_link, runs_link, view_query

# What MLflow's page keeps in the browser: pages of runs, and no assistant that opens by itself.
_SETTINGS = {
    "mlflow.workflowType_v1": '"machine_learning"',
    "mlflow.assistant.fab.autoOpenedOnFirstLoad_v1": "true",
    "mlflow.assistant.panelOpen_v1": "false",
}
_PAGE_STATE = 'MLflowLocalStorage-1.1-ExperimentPage-["{}"]-ReactComponentState'
# Written once, and again when we want something else; in between a person's own changes stay.
# Who types the bare address sees the studies first.
_SCRIPT = """<script>if (location.pathname === "/" && ["", "#", "#/"].includes(location.hash)) {
  location.replace("/studies");
}
for (const [key, value, version] of %s) {
  if (localStorage.getItem("stackel " + key) !== version) {
    localStorage.setItem(key, value);
    localStorage.setItem("stackel " + key, version);
  }
}</script><style>[data-assistant-ui] { display: none !important }</style>"""


@dataclass(frozen=True)
class Experiment:
    """An experiment in MLflow, one per study."""

    experiment_id: str
    name: str
    tags: Mapping[str, str]

    @property
    def views(self) -> list[tuple[str, str, str]]:
        """(id, name, state) of the views that were made here, the one to begin with first."""
        found = [(key.removeprefix(TAG), json.loads(self.tags[key])) for key in self.tags if is_own(key)]
        found.sort(key=lambda view: -view[1]["createdAt"])
        return [(view_id, view["name"], view["state"]) for view_id, view in found]

    @property
    def link(self) -> str:
        """Where to begin: the first view, or all runs."""
        views = self.views
        return runs_link(
            self.experiment_id, view_query(views[0][0]) if views else "workflowType=machine_learning"
        )


def seeded_page(page: str, experiments: Sequence[Experiment]) -> str:
    """MLflow's page with a script before its own; as it was where it has no place for one."""
    wanted = dict(_SETTINGS)
    for experiment in experiments:
        for _, _, state in experiment.views[:1]:
            wanted[_PAGE_STATE.format(experiment.experiment_id)] = state
    seeds = [(k, v, hashlib.sha256(v.encode()).hexdigest()[:12]) for k, v in wanted.items()]
    script = _SCRIPT % json.dumps(seeds).replace("<", "\\u003c")
    return page.replace("<head>", "<head>" + script, 1)


def studies_page(experiments: Sequence[Experiment]) -> str:
    """HTML: every study with its question, its answer, and links to views and report."""
    studies = [
        {
            "name": experiment.name,
            "question": experiment.tags.get("stackel.question", ""),
            "headline": experiment.tags.get("stackel.headline", "").splitlines(),
            "cells": experiment.tags.get("stackel.cells", ""),
            "link": "/" + experiment.link,
            "views": [
                (name, "/" + runs_link(experiment.experiment_id, view_query(view_id)))
                for view_id, name, _ in experiment.views
            ],
            **_report(experiment),
        }
        for experiment in experiments
    ]
    return fill("studies.html", studies=studies)


def _report(experiment: Experiment) -> dict[str, str]:
    """Where the report and its first figure are, if there is one."""
    run_id = experiment.tags.get("stackel.report_run", "")
    if not run_id:
        return {"report": "", "picture": ""}
    picture = artifact_address(run_id, f"{FIGURES}/answer.png")
    return {"report": f"/{report_link(experiment.experiment_id, run_id)}", "picture": f"/{picture}"}
