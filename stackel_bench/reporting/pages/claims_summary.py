"""What the table of claims says in short: counts, surprises, and what the learners beyond the paper save."""

from collections.abc import Mapping, Sequence
from typing import Any

from stackel_bench.claims.claim import IDENTITY
from stackel_bench.claims.prediction import CONFIRMED, INCONCLUSIVE, REFUTED
from stackel_bench.tolerances import ACCURACY

Row = Mapping[str, Any]


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """How many measured rows have each verdict; computations are no measurements and not counted."""
    measured = [row["verdict"] for row in rows if row["role"] != IDENTITY]
    return {verdict: measured.count(verdict) for verdict in (CONFIRMED, REFUTED, INCONCLUSIVE)}


def unexpected(rows: Sequence[Row]) -> list[Row]:
    """Rows whose verdict is not the expected one."""
    return [row for row in rows if not row["as_expected"]]


def false_alarm_total(rows: Sequence[Row]) -> float:
    """The nominal false-alarm rates of all rows added up; no bound, since some rows use normal intervals."""
    return float(sum(row["false_alarm"] for row in rows))


def expectation(row: Row) -> str:
    """What to add to a verdict that is not simply the confirmation that was expected."""
    if not row["as_expected"]:
        return f" (expected {row['expected']})"
    return "" if row["expected"] == CONFIRMED else " (as expected)"


def by_claim(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each claim, in order."""
    claims: dict[str, list[Row]] = {}
    for row in rows:
        claims.setdefault(row["claim"], []).append(row)
    return claims


def savings(rows: Sequence[Row]) -> list[dict[str, str]]:
    """Per family and learner: samples needed over the paper's, what both ask for, and how often it fails."""
    found = []
    for name, members in by_claim([row for row in rows if row["kind"] == "beyond"]).items():
        by_name = {row["measurement"]: row for row in members}
        for row in members:
            if row["statistic"] != "needed_ratio":
                continue
            learner = row["measurement"].removesuffix("-needs")
            asked, kept = (by_name.get(f"{learner}-{what}") for what in ("asks", "guarantee"))
            found.append(
                {
                    "family": name.removeprefix("beyond-"),
                    "learner": learner,
                    "samples needed / paper's": interval(row),
                    "game by game": row["note"].partition(": ")[2],
                    "asked / paper's": number(asked["measured"]) if asked else "",
                    "fails": number(kept["measured"]) if kept else "",
                }
            )
    return found


def number(value: float | None) -> str:
    """Four digits, as in tables."""
    if value is None:
        return "–"
    return f"{value:.4g}"


def interval(row: Row) -> str:
    """The measured number with its interval where that is wider than rounding; – is an open end."""
    value, low, high = row["measured"], row["low"], row["high"]
    if value is None:
        return number(value)
    rounding = ACCURACY * (1.0 if row["role"] == IDENTITY else abs(value))
    if low is not None and high is not None and abs(high - low) <= rounding:
        return number(value)
    return f"{number(value)} [{number(low)}, {number(high)}]"
