"""Whether the replicates support that a cell fails with probability at most delta."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrc

SIGNIFICANCE = 0.05
HOLDS, OPEN, FAILS, VACUOUS = "holds", "open", "fails", "vacuous"
UNKNOWN = ""  # without a truth nobody can say what failed


def verdict(failures: int, trials: int, delta: float, vacuous: bool = False) -> str:
    """holds, fails, or open where the replicates support neither; exact one-sided tests at 5 %.

    A clean record supports delta = 5 % from 59 replicates on: 0.95**59 <= 0.05 < 0.95**58. vacuous instead of
    holds or open where no output at all could have broken the leader's lines: nothing was tested.
    """
    p_holds, p_fails = bdtr(failures, trials, delta), bdtrc(failures - 1, trials, delta)
    return str(_decided(p_holds, p_fails, vacuous))


def clean_replicates_needed(delta: float) -> int:
    """How many replicates without a failure support that the failure probability is at most delta."""
    return int(np.ceil(np.log(SIGNIFICANCE) / np.log1p(-delta)))


def judged(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with columns failures, verdict, and verdict_adjusted for all cells judged together (Holm).

    Vacuous cells make no claim, so they are not among those that are judged together. Cells of games whose
    truth nobody knows have neither failures nor a verdict.
    """
    known = cells["failure_probability"].notna()
    if not known.all():
        words = {name: np.full(len(cells), UNKNOWN, dtype=object) for name in ("verdict", "verdict_adjusted")}
        columns = {"failures": np.full(len(cells), np.nan), **words}
        if known.any():
            found = judged(cells[known])
            for name, values in columns.items():
                values[known.to_numpy()] = found[name]
        return cells.assign(**columns)
    trials = cells["replicates"].round().astype(int)
    failures = (cells["failure_probability"] * trials).round().astype(int)
    p_holds = bdtr(failures, trials, cells["delta"])
    p_fails = bdtrc(failures - 1, trials, cells["delta"])
    vacuous = cells["vacuous"].to_numpy() == 1
    tested = np.concatenate([~vacuous, np.ones_like(vacuous)])
    strict = np.ones(len(tested))
    strict[tested] = holm(np.concatenate([p_holds, p_fails])[tested])
    strict_holds, strict_fails = np.split(strict, 2)
    return cells.assign(
        failures=failures,
        verdict=_decided(p_holds, p_fails, vacuous),
        verdict_adjusted=_decided(strict_holds, strict_fails, vacuous),
    )


def _decided(p_holds: ArrayLike, p_fails: ArrayLike, vacuous: ArrayLike) -> np.ndarray:
    others = np.where(vacuous, VACUOUS, np.where(np.less_equal(p_holds, SIGNIFICANCE), HOLDS, OPEN))
    return np.where(np.less_equal(p_fails, SIGNIFICANCE), FAILS, others)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values: at most 5 % chance of any false claim among all of them."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted
