"""A run in MLflow that is no cell: a pair of tie-breakings, or a series along a key that was swept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from stackel_bench.tracking.cell_run import Point

PAIR, SERIES = "pair", "series"
KEY_TAG, DIGEST_TAG = "stackel.extra", "stackel.digest"


@dataclass(frozen=True)
class ExtraRun:
    """kind and key say which run of its sweep it is; equal content has equal digests."""

    kind: str
    key: str
    name: str
    tags: Mapping[str, str]
    points: tuple[Point, ...]

    @property
    def digest(self) -> str:
        """Of all that it says."""
        content = json.dumps([self.name, dict(self.tags), self.points], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @property
    def own_tags(self) -> dict[str, str]:
        """By which it is found again."""
        return {"stackel.kind": self.kind, KEY_TAG: self.key, DIGEST_TAG: self.digest}
