"""The report's tables: as frames to look at, and as CSV and LaTeX (booktabs) for papers."""

import numpy as np
import pandas as pd

from stackel_bench.reporting.versus.paired import PESSIMISTIC
from stackel_bench.results.columns import CENSORED, NEEDED, NEEDED_HIGH, NEEDED_INTERVAL, NEEDED_LOW, heading
from stackel_bench.results.frames import rows_of
from stackel_bench.results.numbers import count, enough, figures, interval, needed, needed_interval, small
from stackel_bench.statistics.verdicts import FAILS, HOLDS, VACUOUS, clean_replicates_needed
from stackel_bench.text import plural

MOST_LATEX_ROWS = 200  # nobody prints more
_SIGNS = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "…": r"\dots{}"}
_SIGNS |= {"–": "--", "·": r"$\cdot$", ">": "$>$", "≤": r"$\leq$", "<": "$<$"}
_LATEX = str.maketrans({sign: rf"\{sign}" for sign in "&%$#_{}"} | _SIGNS)


def headline_table(cells: pd.DataFrame) -> pd.DataFrame:
    """What the report shows of each cell, as text; cells is judged and labelled."""
    rows = [
        {
            "game": row["instance"],
            "algorithm": row["learner"],
            "tie_breaking": row["tie_breaking"],
            "epsilon": f"{row['epsilon']:g}",
            "samples": count(row["samples"]),
            "samples_over_theory": figures(row["samples"] / row["theory_samples"]),
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
        for row in rows_of(in_reading_order(cells))
    ]
    return pd.DataFrame(rows).rename(columns=heading)


def in_reading_order(cells: pd.DataFrame) -> pd.DataFrame:
    """By game and learner as they were planned, by accuracy, pessimistic first."""
    game, learner = (pd.factorize(cells[name])[0] for name in ("instance", "learner"))
    is_second = (cells["tie_breaking"] != PESSIMISTIC).to_numpy()
    return cells.iloc[np.lexsort([is_second, cells["epsilon"].to_numpy(), learner, game])]


def learner_lines(cells: pd.DataFrame) -> list[str]:
    """What the judged cells say in short, a line per learner."""
    lines = []
    for learner, rows in cells.groupby("learner", sort=False):
        tested = rows[rows["verdict"] != VACUOUS]
        holds, fails = ((tested["verdict"] == verdict).sum() for verdict in (HOLDS, FAILS))
        failing = f", fails in {fails}" if fails else ""
        reached, share = enough(tested)
        needs = f"; needs {share} of the theorem's samples (median of {reached})" if reached else ""
        lines.append(f"{learner}: holds in {holds} of {plural(len(tested), 'cell')}{failing}{needs}")
    return lines


def verdict_counts(cells: pd.DataFrame) -> dict[str, float]:
    """How many of the judged cells are censored, vacuous, too small, or claims that stand together."""
    ladders = cells[cells["budget"] == "ladder"]
    claims = cells[cells["verdict"].isin((HOLDS, FAILS))]
    delta = float(cells["delta"].min())
    least = {each: clean_replicates_needed(each) for each in cells["delta"].unique()}
    return {
        "cells": len(cells),
        "ladders": len(ladders),
        "censored": int((ladders[CENSORED] == 1).sum()),
        "vacuous": int((cells["verdict"] == VACUOUS).sum()),
        "too_few": int((cells["replicates"] < cells["delta"].map(least)).sum()),
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


def latex_table(table: pd.DataFrame, caption: str, label: str) -> str:
    """A booktabs table of the first rows; needs \\usepackage{booktabs}."""
    if len(table) > MOST_LATEX_ROWS:
        caption += f" The first {MOST_LATEX_ROWS} of {len(table)} rows; {label}.csv has all."
    plain = table.head(MOST_LATEX_ROWS).map(lambda value: str(value).translate(_LATEX))
    plain = plain.rename(columns=lambda name: str(name).translate(_LATEX))
    return plain.style.hide(axis="index").to_latex(
        hrules=True,
        position_float="centering",
        column_format="l" * len(table.columns),
        caption=caption.translate(_LATEX),
        label=f"tab:{label}",
    )
