"""`stackel-bench reproduce`: every claim of the paper as a study with a verdict."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stackel_bench import checks
from stackel_bench.claims.claim import IDENTITY, PROFILES, claim_names, load_claim
from stackel_bench.claims.claims_plan import ClaimsPlan, plan_claims
from stackel_bench.claims.verdict import Row, judge_claims
from stackel_bench.errors import NoEffectError
from stackel_bench.reporting.pages.claims_page import claims_markdown, claims_page
from stackel_bench.reporting.pages.claims_summary import (
    counts,
    expectation,
    false_alarm_total,
    interval,
    unexpected,
)
from stackel_bench.results import files
from stackel_bench.results.files import write_atomically
from stackel_bench.results.numbers import count
from stackel_bench.sweeps.plan import Plan
from stackel_bench.verbs.steps.publish import Session, reason_of, write_tables
from stackel_bench.verbs.steps.session import command_line, run_session

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

LOCAL_ADDRESS = "http://127.0.0.1:5000"  # where `stackel-bench ui` shows local results
STYLES = {"confirmed": "green", IDENTITY: "dim", "refuted": "red", "inconclusive": "yellow"}


def main(words: list[str]) -> int:
    """Run the cells of all claims (or of claim=NAME,...) as one sweep, then judge; the exit code."""
    profile, names, overrides = _split(words)
    claims = sorted((load_claim(name) for name in names), key=lambda claim: (claim.order, claim.name))
    planned = plan_claims(claims, profile, overrides)
    command = command_line("reproduce", words)
    return run_session(planned.plan, command, functools.partial(publish_claims, planned))


def _split(words: list[str]) -> tuple[str, list[str], list[str]]:
    """Profile, names of the claims, and the overrides that are meant for all cells."""
    own = {"profile": "quick", "claim": ",".join(claim_names())}
    overrides = []
    for word in words:
        key, equals, value = word.partition("=")
        if key in own and equals:
            own[key] = value
        elif key.split(".")[0] in ("study", "game", "tie_breaking"):
            raise NoEffectError(key, "every claim names its own cells (claim=NAME,... chooses)")
        else:
            overrides.append(word)
    profile = checks.choice("profile", own["profile"], PROFILES)
    return profile, list(dict.fromkeys(name.strip() for name in own["claim"].split(","))), overrides


def publish_claims(planned: ClaimsPlan, session: Session) -> bool:
    """Judge all claims from the journal, write files, log them; whether all verdicts are as expected.

    What is left behind: claims.json, claims.md, reproduce.html, and the verdicts on the screen.
    """
    plan, journal, tally = session.plan, session.journal, session.tally
    store, tags, folder = session.store, session.tags, journal.folder
    session.settle()
    results = session.results()
    write_tables(results, tally)
    seed = next((cell.config["seed"] for cell in plan.cells), 0)  # exact claims draw nothing
    facts = {"version": tags["stackel.version"], "commit": tags["stackel.git_commit"], "seed": seed}
    judged = judge_claims(planned, journal.entries, journal.read_records)
    is_local = plan.settings.tracking.kind != "server"
    address = LOCAL_ADDRESS if is_local else (plan.settings.tracking.uri or "").rstrip("/")
    rows = [_with_runs(row, plan, store) | facts | {"address": address} for row in judged]
    shown = {
        "profile": planned.profile,
        "command": session.command,
        "cells": f"{len(results.finished)} finished, {len(results.failed)} failed, {len(plan.cells)} planned",
        "samples": count(results.samples_drawn),
        **{key: str(value) for key, value in facts.items()},
        "links to runs": address + (", where `stackel-bench ui` shows them" if is_local else ""),
    }
    texts = {
        files.CLAIMS: json.dumps(rows, indent=1, allow_nan=False) + "\n",
        files.CLAIMS_TEXT: claims_markdown(rows),
        files.CLAIMS_PAGE: claims_page(rows, shown),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text.encode())
    _print(rows, folder, session.console)
    if store is not None:
        paths = [folder / name for name in (*texts, files.RESULTS_CSV, files.SUMMARY)]
        metrics = {f"claims_{verdict}": float(number) for verdict, number in counts(rows).items()}
        metrics["claims_unexpected"] = float(len(unexpected(rows)))
        problem = reason_of(lambda: store.log_report(plan.sweep_id, tags, metrics, folder, paths))
        if problem or tally.unsynced:
            reason = problem or next(iter(tally.unsynced.values()))
            session.say(f"MLflow did not take everything ({reason}); the same command tries again")
    return not unexpected(rows)


def _with_runs(row: Row, plan: Plan, store: MlflowStore | None) -> dict[str, Any]:
    """The row with the MLflow experiment and run of each of its cells."""
    known: dict[str, Any] = {"experiment": plan.study, "experiment_id": None, "runs": {}}
    if store is not None:
        try:
            known |= {"experiment_id": store.experiment_id, "runs": store.run_ids(row["cells"])}
        except Exception:  # links are missing then, nothing else
            known["runs"] = {}
    return row | known


def _print(rows: list[dict[str, Any]], folder: Path, console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("claim", "measurement", "prediction", "measured", "would have caught", "verdict"):
        table.add_column(title, overflow="fold")
    for row in rows:
        verdict = f"[{STYLES[row['verdict']]}]{row['verdict']}[/]{expectation(row)}"
        predicted, measured = (escape(text) for text in (row["prediction"], interval(row)))
        caught = escape("; ".join(text.partition(": fails")[0] for text in row["power"]))
        table.add_row(row["claim"], row["measurement"], predicted, measured, caught, verdict)
    console.print(table)
    tally = ", ".join(f"{number} {verdict}" for verdict, number in counts(rows).items())
    wrong = len(unexpected(rows))
    identities = sum(row["role"] == IDENTITY for row in rows)
    console.print(
        f"{len(rows) - identities} measurements: {tally}, and {identities} identities; {wrong} not as "
        f"expected; nominal false-alarm rates add up to {false_alarm_total(rows):.2g}\n"
        f"{folder / files.CLAIMS_PAGE}",
        markup=False,
    )
