"""A claim as its file describes it: statement, source, and measurements with cells, statistic, prediction."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

from stackel_bench import checks
from stackel_bench.claims.evidence import Measured
from stackel_bench.claims.exact_value import drawn_share, exact_share, exact_value
from stackel_bench.claims.exponent import exponent
from stackel_bench.claims.failure_rate import failure_rate
from stackel_bench.claims.mean_value import mean_value, paired_difference, sample_ratio
from stackel_bench.claims.needed_samples import needed_ratio, needed_samples
from stackel_bench.claims.prediction import CONFIRMED, INCONCLUSIVE, REFUTED, Prediction
from stackel_bench.errors import InputError, MissingValueError, UnknownKeyError, UnknownNameError

Statistic = Callable[..., Measured]
EXACT: Mapping[str, Statistic] = {f.__name__: f for f in (exact_value, exact_share, drawn_share)}
SAMPLED: Mapping[str, Statistic] = {
    f.__name__: f
    for f in (
        failure_rate, exponent, needed_samples, needed_ratio, mean_value, paired_difference, sample_ratio
    )
}  # fmt: skip
PROFILES = ("quick", "full")
KINDS = ("theorem", "lemma", "remark", "figure", "table", "erratum", "correction", "beyond")
IDENTITY, GUARANTEE, MEASURED = "identity", "guarantee", "measured"  # what a row is
FALSE_ALARM = 1e-4
_CLAIM_KEYS = {"order", "kind", "source", "statement", "measurements"}
_MEASUREMENT_KEYS = {
    "asks",
    "statistic",
    "options",
    "prediction",
    "false_alarm",
    "expected",
    "cells",
    "would_catch",
    *PROFILES,
}

Grid = dict[str, Any]


@dataclass(frozen=True)
class Measurement:
    """One row of the table: what is asked, the grids of cells it is asked of, and the answer predicted."""

    name: str
    asks: str
    statistic: str
    options: Mapping[str, Any]
    prediction: Prediction
    false_alarm: float
    expected: str
    grids: Mapping[str, tuple[Grid, ...]]  # by profile
    would_catch: Mapping[str, Grid]  # what must fail on the same cells: its name, and the settings it changes

    @property
    def role(self) -> str:
        """identity: a computation. guarantee: something happens rarely. measured: any other sampled number.

        A guarantee is worth as much as the wrong answers that it would have caught, so it must name some.
        """
        if self.statistic == "exact_value":
            return IDENTITY
        return GUARANTEE if is_guarantee(self.statistic, self.prediction) else MEASURED

    @property
    def exact(self) -> bool:
        """Whether it is computed on true games, without a learner."""
        return self.statistic in EXACT

    def measure(self, evidence: Any) -> Measured:
        """The statistic of cells (or cases, if exact)."""
        return {**EXACT, **SAMPLED}[self.statistic](
            evidence, self.prediction, self.false_alarm, **self.options
        )


@dataclass(frozen=True)
class Claim:
    """What is claimed, by whom, and how it is measured."""

    name: str
    order: int  # where it stands in the table: as in the paper, then errata, then what is beyond
    kind: str
    source: str
    statement: str
    measurements: tuple[Measurement, ...]


def is_guarantee(statistic: str, prediction: Prediction) -> bool:
    """Whether a row promises that failures are rare."""
    return statistic in ("failure_rate", "drawn_share") and math.isinf(prediction.low)


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


def parse_claim(name: str, data: Any) -> Claim:
    """The claim that a file's content describes; an InputError names what is wrong with it."""
    field = f"claim {name}"
    _require_keys(field, data, _CLAIM_KEYS, _CLAIM_KEYS)
    measurements = tuple(
        _measurement(f"{field}, {key}", key, value) for key, value in data["measurements"].items()
    )
    kind = checks.choice(f"{field}: kind", data["kind"], KINDS)
    order = checks.integer(f"{field}: order", data["order"], least=0)
    return Claim(name, order, kind, str(data["source"]), " ".join(data["statement"].split()), measurements)


def _measurement(field: str, name: str, data: Any) -> Measurement:
    _require_keys(field, data, _MEASUREMENT_KEYS, {"asks", "statistic", "prediction", "cells"})
    statistic = checks.choice(f"{field}: statistic", data["statistic"], [*EXACT, *SAMPLED])
    options = dict(data.get("options", {}))
    known = inspect.signature({**EXACT, **SAMPLED}[statistic]).parameters
    for option in options:
        if option not in known:
            raise InputError(f"{field}: option of {statistic}", option, "one of " + ", ".join(known))
    verdicts = (CONFIRMED, REFUTED, INCONCLUSIVE)
    alarm = data.get("false_alarm", FALSE_ALARM)
    prediction = Prediction.parse(f"{field}: prediction", data["prediction"])
    return Measurement(
        name=name,
        asks=" ".join(str(data["asks"]).split()),
        statistic=statistic,
        options=options,
        prediction=prediction,
        false_alarm=checks.real(f"{field}: false_alarm", alarm, least=0, most=0.05, open_least=True),
        expected=checks.choice(f"{field}: expected", data.get("expected", CONFIRMED), verdicts),
        grids={profile: _grids(field, data, profile) for profile in PROFILES},
        would_catch=_would_catch(field, data, is_guarantee(statistic, prediction)),
    )


def _would_catch(field: str, data: Mapping[str, Any], needed: bool) -> dict[str, Grid]:
    """Names and settings of what the row would catch; a guarantee needs some, other rows have none."""
    found = data.get("would_catch", {})
    shaped = isinstance(found, Mapping) and all(isinstance(v, Mapping) and v for v in found.values())
    if not shaped or bool(found) != needed:
        allowed = "for each wrong learner that fails here, its name and the settings that make it"
        raise InputError(
            f"{field}: would_catch",
            found,
            allowed if needed else "nothing: only rows that promise rare failures have it",
        )
    return {str(name): dict(settings) for name, settings in found.items()}


def _grids(field: str, data: Mapping[str, Any], profile: str) -> tuple[Grid, ...]:
    """The grids, with what the profile sets in every one of them; or the profile's own list of grids."""
    own = data.get(profile, {})
    if isinstance(own, list):
        return tuple(dict(grid) for grid in own)
    if not isinstance(own, dict) or not isinstance(data["cells"], list):
        raise InputError(f"{field}: cells", data["cells"], "a list of grids as in conf/study/*.yaml")
    return tuple({**grid, **own} for grid in data["cells"])


def _require_keys(field: str, data: Any, known: set[str], needed: set[str]) -> None:
    if not isinstance(data, Mapping):
        raise InputError(field, data, "keys and values")
    for key in data:
        if key not in known:
            raise UnknownKeyError(f"{field}: {key}", known)
    for key in sorted(needed - set(data)):
        raise MissingValueError(f"{field}: {key}")
