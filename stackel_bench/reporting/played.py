"""What is shown of games whose truth nobody knows: what was decided, and what it earned when played out."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.columns import heading
from stackel_bench.results.numbers import count, interval, small
from stackel_bench.text import plural

WHY = (
    "Nobody knows the truth of these games, so that there is no loss, no failure and no verdict. Shown is "
    "what the decision earned when it was played out in fresh episodes or pulls (rewards scaled to [0,1]), "
    "averaged over replicates, with the ends of its 95 % interval."
)


def played_table(results: SweepResults) -> pd.DataFrame:
    """One row per cell without a known truth, as text."""
    rows = []
    for entry in results.unjudged:
        row: dict[str, str] = {
            "game": results.label_of[entry.cell_id]["instance"],
            "algorithm": results.label_of[entry.cell_id]["learner"],
            "tie_breaking": str(entry.description["tie_breaking"]),
            "epsilon": f"{entry.description['epsilon']:g}",
            "samples": count(entry.metrics["samples"]),
            "leader_action": _chosen(results.tables.read_records(entry.cell_id)),
            "played_leader_value": _value(entry.metrics, "played_leader_value"),
            "played_follower_value": _value(entry.metrics, "played_follower_value"),
            "certified": _value(entry.metrics, "certified"),
            "certificate": _value(entry.metrics, "diagnostic_certificate"),
        }
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.drop(columns=[name for name in table if not table[name].any()]).rename(columns=heading)


def told(results: SweepResults) -> list[str]:
    """A sentence where there are such cells."""
    cells = len(results.unjudged)
    if not cells:
        return []
    are = "is of a game" if cells == 1 else "are of games"
    return [
        f"{plural(cells, 'cell')} {are} whose truth nobody knows: played out, neither judged nor compared."
    ]


def _value(metrics: Mapping[str, float], name: str) -> str:
    if name not in metrics:
        return ""
    ends = [metrics.get(f"{name}_{end}") for end in ("low", "high")]
    known = "" if None in ends else f" {interval(*ends)}"  # type: ignore[arg-type]
    return f"{small(metrics[name])}{known}"


def _chosen(records: pd.DataFrame) -> str:
    """The leader action that most replicates chose at the largest budget, and how many did."""
    last = records[records["rung"] == records["rung"].max()]
    chosen: Any = last["leader_action"].dropna()
    if chosen.empty:
        return "mixed"
    tally = chosen.value_counts()
    return f"{int(tally.index[0])} ({tally.iloc[0]} of {len(last)})"
