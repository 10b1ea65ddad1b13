"""The rows of the terminal's table: one per cell, as many columns as there is room for."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from stackel_bench.reporting.tables import headline_table, in_reading_order
from stackel_bench.results.columns import NEEDED, NEEDED_INTERVAL, heading
from stackel_bench.results.numbers import small
from stackel_bench.statistics.verdicts import FAILS, HOLDS, OPEN, VACUOUS

VERDICT_COLOURS = {HOLDS: "green", FAILS: "red", OPEN: "yellow", VACUOUS: "magenta"}
_LEARNER = "learner"
_ROOM = 18  # for learners' names, before columns are dropped; longer names have lines of their own
_COLUMNS = (
    "tie_breaking",
    "epsilon",
    "samples",
    "failures",
    "failure_probability_interval",
    "value_suboptimality",
    "guarantee",
    NEEDED,
    NEEDED_INTERVAL,
    "verdict",
)
_WORDS = ("tie_breaking", "verdict")
_DROPPED_FIRST = (NEEDED_INTERVAL, "failure_probability_interval", "guarantee")


def rows_table(rows: pd.DataFrame, width: int) -> tuple[Group, list[str]]:
    """The rows under one heading with a line per game, and the columns for which there was room.

    Nothing is cut; what is too long is wrapped. A learner's name that is wider than its column has a line of
    its own.
    """
    rows = in_reading_order(rows)
    report = headline_table(rows).to_dict("records")
    shown = [_texts(row, text) for row, text in zip(rows.to_dict("records"), report, strict=True)]
    names = [f"  {name}" for name in rows["learner"]]
    longest = max(len(_LEARNER), *map(len, names))
    fitting, widths, room = _layout(shown, min(longest, _ROOM), width)

    def line(name: str, texts: Mapping[str, Text]) -> Table:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column(width=room, overflow="fold")
        for column in fitting:
            justify: Literal["left", "right"] = "left" if column in _WORDS else "right"
            table.add_column(width=widths[column], justify=justify, overflow="fold")
        table.add_row(Text(name), *(texts[column] for column in fitting))
        return table

    titles = {name: Text(heading(name), style="bold") for name in fitting}
    parts: list[RenderableType] = [line(_LEARNER, titles), Rule(style="dim")]
    above: tuple[str, str] | None = None
    for instance, name, texts in zip(rows["instance"], names, shown, strict=True):
        if above is None or instance != above[0]:
            parts.append(Text(str(instance), style="bold", overflow="fold"))
        if len(name) > room and (instance, name) != above:
            parts.append(Text(name, overflow="fold"))
        parts.append(line(name if len(name) <= room else "", texts))
        above = instance, name
    return Group(*parts, Rule(style="dim")), fitting


def _layout(
    rows: Sequence[Mapping[str, Text]], least: int, width: int
) -> tuple[list[str], dict[str, int], int]:
    """The columns for which there is room beside so much of the names, their widths, and the room left."""
    fitting = [name for name in _COLUMNS if any(row[name].plain != "–" for row in rows)]
    widths = {name: max(len(heading(name)), *(row[name].cell_len for row in rows)) for name in fitting}
    for dropped in [name for name in _DROPPED_FIRST if name in fitting]:
        if width - sum(widths[name] + 1 for name in fitting) - 1 >= least:
            break
        fitting.remove(dropped)
    return fitting, widths, max(4, width - sum(widths[name] + 1 for name in fitting) - 1)


def _texts(row: Mapping[Hashable, Any], shown: Mapping[Hashable, Any]) -> dict[str, Text]:
    """What the report shows of a row, by column; some of it in colour."""
    verdict, too_much = row["verdict"], row["value_suboptimality"] > row["guarantee"]
    texts = {name: Text(str(shown[heading(name)])) for name in _COLUMNS}
    return texts | {
        "failures": Text(f"{row['failures']}/{row['replicates']:.0f}"),
        "value_suboptimality": Text(small(row["value_suboptimality"]), style="red" if too_much else ""),
        "verdict": Text(verdict, style=VERDICT_COLOURS[verdict]),
    }
