"""All that a tracking store shall know of one run, and what it may answer about a run that it has.

Runs of cells come from `cell_run`; pairs of tie-breakings and series along a number are no cells.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from stackel_bench.text import printable

PAIR, SERIES = "pair", "series"


class Point(NamedTuple):
    """A value of a metric, logged at the end of the run."""

    metric: str
    value: float
    step: int = 0


@dataclass(frozen=True)
class RunRecord:
    """A run, to be there once; kind and key say which one it is."""

    kind: str  # the tag stackel.kind
    key: str  # unique within its kind: the tag stackel.KIND_id
    name: str
    tags: Mapping[str, str]
    params: Mapping[str, str]
    points: Sequence[Point]
    artifacts: Mapping[str, bytes]  # by file name
    finished: bool  # or failed, to be replaced when it is logged again
    start: int  # milliseconds since 1970
    end: int

    @property
    def all_tags(self) -> dict[str, str]:
        """The tags, and those by which the run is found again."""
        return {"stackel.kind": self.kind, key_tag(self.kind): self.key, **self.tags}


@dataclass(frozen=True)
class KnownRun:
    """A run that a store has."""

    run_id: str
    finished: bool
    artifact_uri: str


class Runs(Protocol):
    """The runs of one experiment: found by kind and key, written whole."""

    def find(self, kind: str, keys: Collection[str] | None = None) -> dict[str, list[KnownRun]]:
        """By key all runs of this kind that are not deleted; of these keys at least, if some are given."""

    def write(self, records: Sequence[RunRecord]) -> dict[str, str]:
        """See to it that these runs are there with all their artifacts; by key, why that was impossible.

        Finished runs are left alone but for artifacts that are missing; others are completed.
        """

    def rename(self, changes: Sequence[tuple[str, str, Mapping[str, str]]]) -> None:
        """Give runs, by id, another name and some tags."""

    def artifact_names(self, runs: Sequence[KnownRun]) -> list[set[str]]:
        """The names of the files that lie in the top folder of each run's artifacts."""


def extra_run(
    kind: str,
    shared: Mapping[str, str],
    name: str,
    tags: Mapping[str, str],
    points: Sequence[Point],
    stamp: float,
) -> RunRecord:
    """A run whose key is the digest of what it says, so that it is written once, and anew when that changes.

    shared: tags of all runs of the sweep, its id among them; stamp: when its cells had finished (seconds).
    """
    content = json.dumps([name, dict(tags), points], sort_keys=True)
    key = prefix(shared["stackel.sweep_id"]) + hashlib.sha256(content.encode()).hexdigest()[:16]
    moment = round(stamp * 1000)
    return RunRecord(kind, key, name, {**tags, **shared}, {}, points, {}, True, moment, moment)


def prefix(sweep_id: str) -> str:
    """How the keys of all such runs of a sweep begin."""
    return f"{sweep_id}-"


def key_tag(kind: str) -> str:
    """The tag that holds a run's key."""
    return f"stackel.{kind}_id"


def best(runs: Iterable[KnownRun]) -> KnownRun:
    """The run that stays if a key has several: whoever asks, whenever, gets the same answer."""
    return min(runs, key=lambda run: (not run.finished, run.run_id))


class StoreError(Exception):
    """A failure of a store in another process, which has put it in one line."""


def problem_of(error: Exception) -> str:
    """An error in one line."""
    if isinstance(error, StoreError):
        return str(error)
    return printable(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
