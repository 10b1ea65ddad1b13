"""The report's tables: as frames to look at, and as CSV and LaTeX (booktabs) for papers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.reporting.numbers import count, interval, needed, small
from stackel_bench.results.columns import (
    NEEDED_HIGH,
    NEEDED_LOW,
    heading,
)

_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "–": "--",
        "·": r"$\cdot$",
        ">": "$>$",
        "<": "$<$",
        "…": r"\dots{}",
    }
)


def headline_table(cells: pd.DataFrame) -> pd.DataFrame:
    """What the report shows of each cell, as text; cells is judged and labelled."""
    order = list(dict.fromkeys(cells["instance"]))
    cells = cells.sort_values("instance", key=lambda names: names.map(order.index), kind="stable")
    rows = [
        {
            heading("game"): row["instance"],
            heading("algorithm"): row["learner"],
            heading("tie_breaking"): row["tie_breaking"],
            heading("epsilon"): f"{row['epsilon']:g}",
            heading("samples"): count(row["samples"]),
            "of theory": f"{row['samples'] / row['theory_samples']:.3g}",
            heading("failures"): f"{row['failures']} / {row['replicates']:.0f}",
            "95 % interval": interval(row["failure_probability_low"], row["failure_probability_high"]),
            heading("delta"): f"{row['delta']:g}",
            heading("verdict"): row["verdict"],
            "mean loss": small(row["value_suboptimality"]),
            "its 95 % interval": interval(row["value_suboptimality_low"], row["value_suboptimality_high"]),
            heading("value_suboptimality_q95"): small(row["value_suboptimality_q95"]),
            heading("guarantee"): small(row["guarantee"]),
            "samples needed": _needed(row),
            "at least": _at_least(row),
            "at most": _at_most(row),
        }
        for row in cells.to_dict("records")
    ]
    return pd.DataFrame(rows)


def shared_columns(table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The table without columns that hold one value or are for files, and a sentence with the values."""
    constant = [name for name in ("of theory", "delta") if table[name].nunique() == 1 and len(table) > 1]
    says = {"of theory": "largest budget {} times the theorem's", "delta": "delta {}"}
    text = ", ".join(says[name].format(table[name].iloc[0]) for name in constant)
    short = table.drop(columns=[*constant, "at least", "at most"])
    return short, f"All rows: {text}." if text else ""


def _needed(row: Mapping[Hashable, Any]) -> str:
    if row["budget"] != "ladder":
        return "–"
    return needed(row)


def _at_least(row: Mapping[Hashable, Any]) -> str:
    return count(float(row.get(NEEDED_LOW, np.nan)))


def _at_most(row: Mapping[Hashable, Any]) -> str:
    return count(float(row.get(NEEDED_HIGH, np.nan)))


def csv(table: pd.DataFrame) -> bytes:
    """The table as a CSV file."""
    return table.to_csv(index=False, lineterminator="\n").encode()


def latex_table(table: pd.DataFrame, caption: str, label: str) -> str:
    """A booktabs table; needs \\usepackage{booktabs}."""
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption.translate(_LATEX)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(str(name).translate(_LATEX) for name in table.columns) + r" \\",
        r"\midrule",
        *(" & ".join(str(value).translate(_LATEX) for value in row) + r" \\" for row in table.to_numpy()),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"
