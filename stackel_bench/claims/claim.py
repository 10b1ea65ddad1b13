"""A claim as its file describes it: statement, source, and measurements with cells, statistic, prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import yaml

from stackel_bench import checks
from stackel_bench.claims.cell_statistics import (
    failure_rate,
    mean_value,
    needed_ratio,
    needed_samples,
    paired_difference,
    sample_ratio,
)
from stackel_bench.claims.evidence import Measured
from stackel_bench.claims.exact_value import drawn_share, exact_share, exact_value
from stackel_bench.claims.exponent import exponent
from stackel_bench.claims.prediction import CONFIRMED, INCONCLUSIVE, REFUTED, Prediction
from stackel_bench.errors import InputError, UnknownNameError

EXACT = (exact_value, exact_share, drawn_share)  # computed on true games, without a learner
SAMPLED = (failure_rate, exponent, needed_samples, needed_ratio, mean_value, paired_difference, sample_ratio)
STATISTICS: Mapping[str, Callable[..., Measured]] = {f.__name__: f for f in (*EXACT, *SAMPLED)}
PROFILES = ("quick", "full")
KINDS = ("theorem", "lemma", "remark", "figure", "table", "erratum", "correction", "beyond")
IDENTITY, GUARANTEE, MEASURED = "identity", "guarantee", "measured"  # what a row is

Grid = Mapping[str, Any]


@dataclass(frozen=True)
class Measurement:
    """One row of the table: what is asked, the grids of cells it is asked of, and the answer predicted."""

    name: str
    asks: str
    statistic: str
    prediction: Prediction
    cells: list[Grid]
    options: Mapping[str, Any] = field(default_factory=dict)  # of the statistic
    false_alarm: float = 1e-4
    expected: str = CONFIRMED
    would_catch: Mapping[str, Grid] = field(default_factory=dict)  # what fails there: name, changed settings
    quick: Grid | list[Grid] = field(default_factory=dict)  # set in every grid, or grids in place of cells
    full: Grid | list[Grid] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"measurement {self.name}"
        checks.choice(f"{where}: statistic", self.statistic, [*STATISTICS])
        checks.choice(f"{where}: expected", self.expected, (CONFIRMED, REFUTED, INCONCLUSIVE))
        checks.real(f"{where}: false_alarm", self.false_alarm, least=0, most=0.05, open_least=True)
        wrong = self.would_catch
        shaped = isinstance(wrong, Mapping) and all(isinstance(v, Mapping) and v for v in wrong.values())
        if not shaped or bool(wrong) != (self.role == GUARANTEE):
            allowed = "for each wrong learner that fails here, its name and the settings that make it"
            if self.role != GUARANTEE:
                allowed = "nothing: only rows that promise rare failures, and keep that, have it"
            raise InputError(f"{where}: would_catch", wrong, allowed)

    @property
    def role(self) -> str:
        """identity: a computation. guarantee: something happens rarely. measured: any other sampled number.

        A guarantee is worth as much as the wrong answers that it would have caught, so it must name some.
        """
        if self.statistic == "exact_value":
            return IDENTITY
        rare = self.statistic in ("failure_rate", "drawn_share") and math.isinf(self.prediction.low)
        return GUARANTEE if rare and self.expected != REFUTED else MEASURED

    @property
    def exact(self) -> bool:
        """Whether it is computed on true games, without a learner."""
        return STATISTICS[self.statistic] in EXACT

    def grids(self, profile: str) -> list[Grid]:
        """The profile's own grids, or the common ones with what the profile sets in each."""
        own = self.quick if profile == "quick" else self.full
        return own if isinstance(own, list) else [{**grid, **own} for grid in self.cells]

    def measure(self, evidence: Any) -> Measured:
        """The statistic of cells (or cases, if exact)."""
        statistic = STATISTICS[self.statistic]
        return statistic(evidence, self.prediction, self.false_alarm, **self.options)


@dataclass(frozen=True)
class Claim:
    """What is claimed, by whom, and how it is measured."""

    name: str
    order: int  # where it stands in the table: as in the paper, then errata, then what is beyond
    kind: str
    source: str
    statement: str
    measurements: tuple[Measurement, ...]


def claim_names() -> tuple[str, ...]:
    """All claims that have a file, in alphabetical order."""
    files = (entry.name for entry in resources.files("stackel_bench.conf").joinpath("claim").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def load_claim(name: str) -> Claim:
    """The claim of this name."""
    if name not in claim_names():
        raise UnknownNameError("claim", name, claim_names())
    text = resources.files("stackel_bench.conf").joinpath(f"claim/{name}.yaml").read_text("utf-8")
    return parse_claim(name, yaml.safe_load(text))


def parse_claim(name: str, data: Mapping[str, Any]) -> Claim:
    """The claim that a file's content describes; what a guarantee would catch is checked."""
    measurements = tuple(
        Measurement(name=key, **{**row, "prediction": Prediction.parse(row["prediction"])})
        for key, row in data["measurements"].items()
    )
    checks.choice(f"claim {name}: kind", data["kind"], KINDS)
    return Claim(**{**data, "name": name, "measurements": measurements})
