"""The report's tables: as frames to look at, and as CSV and LaTeX (booktabs) for papers."""

from __future__ import annotations

import pandas as pd

from stackel_bench.reporting.numbers import count, interval, needed, needed_interval, small
from stackel_bench.results.columns import CENSORED, NEEDED, NEEDED_HIGH, NEEDED_INTERVAL, NEEDED_LOW, heading
from stackel_bench.statistics.verdicts import FAILS, HOLDS, VACUOUS, clean_replicates_needed

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
        "≤": r"$\leq$",
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
            "game": row["instance"],
            "algorithm": row["learner"],
            "tie_breaking": row["tie_breaking"],
            "epsilon": f"{row['epsilon']:g}",
            "samples": count(row["samples"]),
            "samples_over_theory": f"{row['samples'] / row['theory_samples']:.3g}",
            "failures": f"{row['failures']} / {row['replicates']:.0f}",
            "failure_probability_interval": interval(
                row["failure_probability_low"], row["failure_probability_high"]
            ),
            "delta": f"{row['delta']:g}",
            "verdict": row["verdict"],
            "value_suboptimality": small(row["value_suboptimality"]),
            "value_suboptimality_interval": interval(
                row["value_suboptimality_low"], row["value_suboptimality_high"]
            ),
            "value_suboptimality_q95": small(row["value_suboptimality_q95"]),
            "guarantee": small(row["guarantee"]),
            NEEDED: needed(row),
            NEEDED_INTERVAL: needed_interval(row),
            NEEDED_LOW: count(row[NEEDED_LOW]),
            NEEDED_HIGH: count(row[NEEDED_HIGH]),
        }
        for row in cells.to_dict("records")
    ]
    return pd.DataFrame(rows).rename(columns=heading)


def verdict_counts(cells: pd.DataFrame) -> dict[str, float]:
    """How many of the judged cells are censored, vacuous, too small, or claims that stand together."""
    ladders = cells[cells["budget"] == "ladder"]
    claims = cells[cells["verdict"].isin((HOLDS, FAILS))]
    delta = float(cells["delta"].min())
    return {
        "cells": len(cells),
        "ladders": len(ladders),
        "censored": int((ladders[CENSORED] == 1).sum()),
        "vacuous": int((cells["verdict"] == VACUOUS).sum()),
        "too_few": int((cells["replicates"] < cells["delta"].map(clean_replicates_needed)).sum()),
        "claims": len(claims),
        "stand": int((claims["verdict"] == claims["verdict_adjusted"]).sum()),
        "delta": delta,
        "clean": clean_replicates_needed(delta),
    }


def shared_columns(table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The table without columns that hold one value or are for files, and a sentence with the values."""
    says = {"samples_over_theory": "largest budget {} times the theorem's", "delta": "delta {}"}
    constant = [name for name in says if table[heading(name)].nunique() == 1 and len(table) > 1]
    text = ", ".join(says[name].format(table[heading(name)].iloc[0]) for name in constant)
    short = table.drop(columns=[heading(name) for name in (*constant, NEEDED_LOW, NEEDED_HIGH)])
    return short, f"All rows: {text}." if text else ""


def csv(table: pd.DataFrame) -> bytes:
    """The table as a CSV file."""
    return table.to_csv(index=False, lineterminator="\n").encode()


def latex_table(table: pd.DataFrame, caption: str, label: str) -> str:
    """A booktabs table; needs \\usepackage{booktabs}."""
    plain = table.map(lambda value: str(value).translate(_LATEX))
    plain = plain.rename(columns=lambda name: str(name).translate(_LATEX))
    return plain.style.hide(axis="index").to_latex(
        hrules=True,
        position_float="centering",
        column_format="l" * len(table.columns),
        caption=caption.translate(_LATEX),
        label=f"tab:{label}",
    )
