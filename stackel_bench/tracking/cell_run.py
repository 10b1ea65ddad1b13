"""The run of a cell: its name, tags, parameters, metrics and files in MLflow."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from stackel_bench.results.columns import shown_in
from stackel_bench.results.entry import FAILED, FINISHED, Entry, Head
from stackel_bench.results.frames import entry_verdict
from stackel_bench.results.varying import flat_items
from stackel_bench.tracking.run_record import Point, RunRecord

KIND = "cell"
ENTRY_FILE = "cell.json"
CONFIG_FILE = "config.yaml"
RECORDS_FILE = "records.parquet"
ACTIONS_FILE = "actions.parquet"


def cell_run(
    entry: Entry, tags: Mapping[str, str], records: bytes | None = None, actions: bytes | None = None
) -> RunRecord:
    """The run of a finished or failed cell with its tables (Parquet)."""
    stamp = round(entry.finished_at * 1000)
    finished = entry.state == FINISHED
    verdict = {"verdict": entry_verdict(entry)} if finished else {}
    return RunRecord(
        kind=KIND,
        key=entry.cell_id,
        name=entry.label,
        tags={**cell_tags(entry), **tags, **verdict},
        params={key: str(value) for key, value in flat_items(entry.config) if value is not None},
        points=_points(entry),
        artifacts=_artifacts(entry, records, actions),
        finished=finished,
        start=stamp - round(entry.wall_seconds * 1000),
        end=stamp,
    )


def expected_artifacts(head: Head) -> set[str]:
    """The files that the run of a finished cell has."""
    names = {ENTRY_FILE, CONFIG_FILE}
    names |= {RECORDS_FILE} if head.records_digest else set()
    return names | ({ACTIONS_FILE} if head.actions_digest else set())


def cell_tags(entry: Entry) -> dict[str, str]:
    """What the cell is, and the configuration keys that tell the cells of its sweep apart."""
    described = [column.name for column in shown_in("tag") if entry.description.get(column.name)]
    tags = {name: str(entry.description[name]) for name in described}
    values = dict(flat_items(entry.config))
    varying = {key: str(values[key]) for key in entry.varying if values.get(key) is not None}
    return tags | varying | {"stackel.seed": str(entry.description["seed"])}


def _artifacts(entry: Entry, records: bytes | None, actions: bytes | None) -> dict[str, bytes]:
    files = {
        ENTRY_FILE: entry.to_line(),
        CONFIG_FILE: yaml.safe_dump(dict(entry.config), sort_keys=False).encode(),
    }
    if records is not None:
        files[RECORDS_FILE] = records
    if actions is not None:
        files[ACTIONS_FILE] = actions
    if entry.state == FAILED:
        files["failure.txt"] = f"{entry.error}\n\n{entry.traceback}\n".encode()
    return files


def _points(entry: Entry) -> list[Point]:
    """Headline numbers, and the learning curve with the sample count as step where there is one."""
    headline = {key: value for key, value in entry.metrics.items() if key != "samples"}
    curves = entry.rungs if len(entry.rungs) > 1 else ()
    along = set(curves[0]) if curves else set()
    points = [Point(key, value) for key, value in headline.items() if key not in along]
    points.append(Point("wall_seconds", entry.wall_seconds))
    points.append(Point("busy_seconds", entry.busy_seconds))
    for rung in curves:
        step = round(rung["samples"])
        points += [Point(key, value, step) for key, value in rung.items() if key != "samples"]
    return points
