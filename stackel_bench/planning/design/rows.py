"""How a design reads its feature rows: chunk by chunk or picked by index, never the whole matrix at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import FeatureSource
from stackel_bench.tolerances import FLOAT_STEP

CHUNK_ELEMENTS = 2**17  # 1 MB of float64: small enough for the caches, large enough to amortise calls


class FeatureRows(Protocol):
    """n feature rows of dimension d."""

    count: int
    dimension: int
    precision: float

    def chunks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Pairs (index of the first row, rows [k,d]) that cover all rows in order."""
        ...

    def picked(self, indices: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs (indices [k], their rows [k,d]) that cover the given increasing indices."""
        ...

    def pick(self, indices: np.ndarray) -> np.ndarray:
        """The rows at these indices as float64 [k,d]."""
        ...

    def name(self, row: int, column: int) -> str:
        """What an error message calls this entry."""
        ...


class ArrayRows:
    """Rows of a matrix [n,d], in memory or mapped from a file; chunks are views."""

    def __init__(self, features: np.ndarray) -> None:
        self._features = features
        self.count, self.dimension = features.shape
        self.precision = _precision(features.dtype)

    def chunks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Views of the matrix; other types than float64 are converted chunk by chunk."""
        size = max(1, CHUNK_ELEMENTS // self.dimension)
        for start in range(0, self.count, size):
            yield start, np.asarray(self._features[start : start + size], dtype=np.float64)

    def picked(self, indices: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Copies of the rows, a chunk's worth at a time."""
        size = max(1, CHUNK_ELEMENTS // self.dimension)
        for start in range(0, len(indices), size):
            yield indices[start : start + size], self.pick(indices[start : start + size])

    def pick(self, indices: np.ndarray) -> np.ndarray:
        """A copy of the rows at these indices, float64 [k,d]."""
        return np.asarray(self._features[indices], dtype=np.float64)

    def name(self, row: int, column: int) -> str:
        """The entry's index in the matrix."""
        return f"features[{row},{column}]"


class SourceRows:
    """The A*B pairs of a feature source as rows a*B+b; one chunk covers some leader actions."""

    def __init__(self, source: FeatureSource) -> None:
        self._source = source
        self._leaders, self._followers, self.dimension = source.shape
        self.count = self._leaders * self._followers
        self.precision = _precision(np.dtype(np.float64))

    def chunks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Blocks of leader actions, cut where a single leader action has more rows than a chunk."""
        for first, last in self._spans():
            yield from self._cut(first, last)

    def picked(self, indices: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The wanted rows of each chunk; blocks of leader actions without one are not read."""
        for first, last in self._spans():
            ends = np.searchsorted(indices, [first * self._followers, last * self._followers])
            if ends[0] == ends[1]:
                continue
            for start, rows in self._cut(first, last):
                here = slice(*np.searchsorted(indices, [start, start + len(rows)]))
                yield indices[here], rows[indices[here] - start]

    def _spans(self) -> Iterator[tuple[int, int]]:
        step = max(1, CHUNK_ELEMENTS // (self.dimension * self._followers))
        for first in range(0, self._leaders, step):
            yield first, min(first + step, self._leaders)

    def _cut(self, first: int, last: int) -> Iterator[tuple[int, np.ndarray]]:
        size = max(1, CHUNK_ELEMENTS // self.dimension)
        rows = np.asarray(self._source.block(first, last), dtype=np.float64).reshape(-1, self.dimension)
        for offset in range(0, len(rows), size):
            yield first * self._followers + offset, rows[offset : offset + size]

    def pick(self, indices: np.ndarray) -> np.ndarray:
        """The features of these pairs, float64 [k,d]."""
        return np.asarray(self._source.pairs(indices), dtype=np.float64)

    def name(self, row: int, column: int) -> str:
        """The entry's index by leader action, follower action and coordinate."""
        return f"features[{row // self._followers},{row % self._followers},{column}]"


def feature_rows(features: np.ndarray | FeatureSource) -> FeatureRows:
    """The rows of a matrix [n,d] (array or memory map, not copied) or of a feature source."""
    if not isinstance(features, np.ndarray) and isinstance(features, FeatureSource):
        return SourceRows(features)
    matrix = features if isinstance(features, np.ndarray) else _matrix(features)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError("features.shape", matrix.shape, "[n,d], every size >= 1")
    if matrix.dtype.kind not in "fiu":
        raise InputError("features.dtype", str(matrix.dtype), "real numbers")
    return ArrayRows(matrix)


def reject_non_finite(rows: FeatureRows, block: np.ndarray, indices: np.ndarray) -> None:
    """Raise an InputError at the first entry of block [k,d] that is not finite; indices [k] name its rows."""
    bad = np.argwhere(~np.isfinite(block))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        found = float(block[row, column])
        raise InputError(rows.name(int(indices[row]), column), found, "finite numbers")


def _matrix(features: object) -> np.ndarray:
    try:
        return np.asarray(features, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("features", features, "a rectangular array of numbers, shape [n,d]") from error


def _precision(dtype: np.dtype) -> float:
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else FLOAT_STEP
