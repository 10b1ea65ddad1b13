"""Results as tables: one row per cell, per rung, per leader action, and the files that hold them."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from stackel_bench.results import files
from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED_HIGH, NEEDED_LOW, ordered
from stackel_bench.results.entry import FINISHED, Entry
from stackel_bench.results.files import write_atomically
from stackel_bench.results.journal import Journal
from stackel_bench.results.varying import DescribedColumns, described_columns
from stackel_bench.statistics.verdicts import UNKNOWN, judged, verdict

# Metrics of ladders, of learners that stop by themselves, of games whose own bound is known: columns of every
# sweep, empty elsewhere.
_NOT_IN_EVERY_CELL = (
    *(NEEDED_LOW, NEEDED_HIGH, AT_MOST, "samples_median", "samples_q90"),
    *("lower_bound_samples", "samples_over_lower_bound"),
)
# Metrics that need the truth: empty in cells of games whose truth nobody knows.
NEED_TRUTH = (
    *("failure_probability", "failure_probability_low", "failure_probability_high", "follower_suboptimality"),
    *("value_suboptimality", "value_suboptimality_low", "value_suboptimality_high"),
    *("value_suboptimality_median", "value_suboptimality_q95", "gap", "guarantee", "vacuous", CENSORED),
)


def cells_frame(entries: Iterable[Entry], described: DescribedColumns | None = None) -> pd.DataFrame:
    """One row per finished cell: which one it is, then its metrics. No timings, so equal runs are equal."""
    finished = [entry for entry in entries if entry.state == FINISHED]
    described = described or described_columns(finished)
    frame = pd.DataFrame([{**described[entry.cell_id], **entry.metrics} for entry in finished])
    if frame.empty:
        return frame
    frame = with_absent(frame, (*_NOT_IN_EVERY_CELL, *NEED_TRUTH))
    return in_order(frame.assign(verdict=judged(frame)["verdict"]))


def with_absent(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """The frame with these columns, empty where it lacked one."""
    return frame.assign(**{name: math.nan for name in names if name not in frame})


def entry_verdict(entry: Entry) -> str:
    """The verdict on a finished cell by itself."""
    if "failure_probability" not in entry.metrics:
        return UNKNOWN
    trials, delta = entry.description["replicates"], entry.description["delta"]
    failures = round(entry.metrics["failure_probability"] * trials)
    return verdict(failures, trials, delta, entry.metrics["vacuous"] == 1)


def rungs_frame(entries: Iterable[Entry], described: DescribedColumns | None = None) -> pd.DataFrame:
    """One row per finished cell and rung of its budget: the learning curves."""
    finished = [entry for entry in entries if entry.state == FINISHED]
    described = described or described_columns(finished)
    rows = [
        {
            **described[entry.cell_id],
            "rung": position,
            **rung,
            "theory_samples": entry.metrics["theory_samples"],
        }
        for entry in finished
        for position, rung in enumerate(entry.rungs)
    ]
    rungs = pd.DataFrame(rows)
    return in_order(rungs if rungs.empty else with_absent(rungs, set(NEED_TRUTH) - {"vacuous", CENSORED}))


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A dictionary per row; pandas' own way takes several times as long where there is text."""
    names = [str(name) for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in frame.to_numpy(dtype=object).tolist()]


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its columns in the order in which they are documented."""
    return frame[ordered(frame.columns)]


def write_results(folder: Path, cells: pd.DataFrame, summary: Mapping[str, Any]) -> None:
    """results.csv and results.parquet from the frame of cells, and summary.json, each complete or absent."""
    write_atomically(folder / files.RESULTS_CSV, csv_bytes(cells))
    write_atomically(folder / files.RESULTS_PARQUET, parquet_bytes(cells))
    text = json.dumps(summary, indent=2, allow_nan=False, default=str)
    write_atomically(folder / files.SUMMARY, (text + "\n").encode())


def saved_summary(folder: Path) -> Mapping[str, Any]:
    """What summary.json says; nothing where it is absent or damaged, since it is written anew each time."""
    try:
        saved = json.loads((folder / files.SUMMARY).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return saved if isinstance(saved, dict) else {}


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """The frame as a Parquet file; the same bytes for the same frame and versions of pandas and pyarrow."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, compression="zstd")
    return buffer.getvalue()


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """The frame as a CSV file, every number with all its digits; as pandas writes it, in half the time."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(frame.astype(object).where(frame.notna(), None).to_numpy().tolist())
    return text.getvalue().encode()


def write_actions(journal: Journal, cell_ids: Iterable[str]) -> None:
    """actions.parquet: the tables of actions of these cells, if there are any."""
    table = journal.actions_table(cell_ids)
    if table is not None:
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        write_atomically(journal.folder / files.ACTIONS_PARQUET, buffer.getvalue())
