"""Two sweeps cell by cell: does B fail more often than A, and what else differs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.errors import InputError
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.matching import SEED, Matching, match_cells
from stackel_bench.results.columns import NEEDED, NEEDED_HIGH, NEEDED_LOW, heading
from stackel_bench.results.entry import Entry
from stackel_bench.results.numbers import count, interval, small
from stackel_bench.statistics.differences import (
    paired_difference,
    paired_p_value,
    unpaired_difference,
    unpaired_p_value,
)
from stackel_bench.statistics.verdicts import SIGNIFICANCE, holm

WORSE, BETTER, OPEN = "worse", "better", "open"
PAIRED, UNPAIRED = "McNemar", "Fisher"


@dataclass(frozen=True, eq=False)
class Comparison:
    """One row per matched cell: failures of A and B, the test, the verdict on B; and what did not match."""

    matching: Matching
    rows: pd.DataFrame

    @property
    def worse(self) -> int:
        """The matched cells in which B is shown to fail more often, all cells judged together."""
        return int((self.rows["verdict"] == WORSE).sum())

    def table(self) -> pd.DataFrame:
        """The rows as text, as page and terminal show them."""
        return pd.DataFrame([_shown(row) for row in self.rows.to_dict("records")])


def compare_sweeps(a: SweepResults, b: SweepResults) -> Comparison:
    """Match the cells and test in each whether B fails more often; an InputError if nothing matches.

    Exact one-sided tests, adjusted over all cells (Holm): at most 5 % chance of any false "worse", and at
    most 5 % of any false "better", whatever the cells share.
    """
    a, b = a.judged_part, b.judged_part
    matching = match_cells(a.finished, b.finished)
    if not matching.pairs:
        keys = ", ".join(matching.keys) or "any key: one of them has no finished cell with a known truth"
        raise InputError(
            "compare", f"{a.folder.name}, {b.folder.name}", f"sweeps whose cells agree in {keys}"
        )
    rows = []
    for first, second in matching.pairs:
        told = (a.label_of[first.cell_id], b.label_of[second.cell_id])
        cells = (first, second)
        described = {
            "game": _both(name["instance"] for name in told),
            "algorithm": _both(name["learner"] for name in told),
            **{key: _both(cell.description[key] for cell in cells) for key in ("tie_breaking", "epsilon")},
            "cell_a": first.cell_id,
            "cell_b": second.cell_id,
        }
        rows.append(described | measured(first, second, a, b) | _needed_ratio(first.metrics, second.metrics))
    return Comparison(matching, _judged(pd.DataFrame(rows)))


def measured(first: Entry, second: Entry, a: SweepResults, b: SweepResults) -> dict[str, Any]:
    """Failures and losses at the largest budget that both have, or else at the largest of each."""
    budgets = [[rung["samples"] for rung in entry.rungs] for entry in (first, second)]
    common = max(set(budgets[0]) & set(budgets[1]), default=None)
    places = [len(own) - 1 if common is None else own.index(common) for own in budgets]
    records = [a.tables.read_records(first.cell_id), b.tables.read_records(second.cell_id)]
    at = [table[table["rung"] == place] for table, place in zip(records, places, strict=True)]
    failed = [~table["guarantee_held"].to_numpy(dtype=bool) for table in at]
    failures = [int(column.sum()) for column in failed]
    drawn = [table[["replicate", "samples"]].to_numpy() for table in at]
    equal = all(first.config[key] == second.config[key] for key in ("game", SEED))
    paired = equal and np.array_equal(drawn[0], drawn[1])
    if paired:
        only = [int((failed[0] & ~failed[1]).sum()), int((failed[1] & ~failed[0]).sum())]
        p_worse, p_better = paired_p_value(*only), paired_p_value(*only[::-1])
        failure = paired_difference(failed[0], failed[1], 0.0, 1.0)
        largest = float(max(table["largest_loss"].max() for table in at))
        losses = [table["value_suboptimality"].to_numpy() for table in at]
        loss = paired_difference(losses[0], losses[1], 0.0, largest)
    else:
        counts = [(k, len(column)) for k, column in zip(failures, failed, strict=True)]
        p_worse = unpaired_p_value(*counts[0], *counts[1])
        p_better = unpaired_p_value(*counts[1], *counts[0])
        rungs = [entry.rungs[place] for entry, place in zip((first, second), places, strict=True)]
        failure = unpaired_difference(*(_limits(rung, "failure_probability") for rung in rungs))
        loss = unpaired_difference(*(_limits(rung, "value_suboptimality") for rung in rungs))
    return {
        **{f"samples_{side}": own[place] for side, own, place in zip("ab", budgets, places, strict=True)},
        **{f"failures_{side}": number for side, number in zip("ab", failures, strict=True)},
        **{f"replicates_{side}": len(column) for side, column in zip("ab", failed, strict=True)},
        **{f"failure_difference{end}": value for end, value in _ends(failure)},
        "test": PAIRED if paired else UNPAIRED,
        "p_worse": p_worse,
        "p_better": p_better,
        **{f"loss_difference{end}": value for end, value in _ends(loss)},
    }


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with p-values adjusted over all of them, and a verdict on B."""
    worse, better = (holm(rows[name].to_numpy()) for name in ("p_worse", "p_better"))
    verdict = np.select([worse <= SIGNIFICANCE, better <= SIGNIFICANCE], [WORSE, BETTER], OPEN)
    return rows.assign(p_worse_adjusted=worse, p_better_adjusted=better, verdict=verdict)


def _needed_ratio(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    """Samples needed by B over those of A, where both intervals close; both hold together in 90 %."""
    ends = [[metrics.get(name, math.nan) for name in (NEEDED_LOW, NEEDED_HIGH)] for metrics in (a, b)]
    closed = bool(np.isfinite(ends).all())
    (low_a, high_a), (low_b, high_b) = ends
    ratios = (b[NEEDED] / a[NEEDED], low_b / high_a, high_b / low_a) if closed else (math.nan,) * 3
    return dict(zip(("needed_ratio", "needed_ratio_low", "needed_ratio_high"), ratios, strict=True))


def _shown(row: Mapping[Any, Any]) -> dict[str, str]:
    direction = BETTER if row["failure_difference"] < 0 else WORSE
    ratio = row["needed_ratio"]
    ratio_ends = f"{row['needed_ratio_low']:.2g}, {row['needed_ratio_high']:.2g}"
    return {
        **{heading(key): str(row[key]) for key in ("game", "algorithm", "tie_breaking", "epsilon")},
        "samples": _both(count(row[f"samples_{side}"]) for side in "ab"),
        **{
            f"failed {side.upper()}": f"{row[f'failures_{side}']}/{row[f'replicates_{side}']}"
            for side in "ab"
        },
        "difference": _with_interval(row, "failure_difference"),
        "test": row["test"],
        "p": f"{row[f'p_{direction}_adjusted']:.2g}",
        "verdict": row["verdict"],
        "needs B / A": f"{ratio:.3g} [{ratio_ends}]" if math.isfinite(ratio) else "–",
        "loss B - A": _with_interval(row, "loss_difference"),
    }


def _with_interval(row: Mapping[Any, Any], name: str) -> str:
    return f"{small(row[name])} {interval(row[f'{name}_low'], row[f'{name}_high'])}"


def _ends(found: Any) -> tuple[tuple[str, float], ...]:
    return ("", found.difference), ("_low", found.low), ("_high", found.high)


def _limits(rung: Mapping[str, float], name: str) -> tuple[float, float, float]:
    return rung[f"{name}_low"], rung[name], rung[f"{name}_high"]


def _both(values: Any) -> Any:
    """The value that A and B share, or both."""
    first, second = values
    return first if first == second else f"{first} → {second}"
