"""How a design reads its feature rows: chunk by chunk or picked by index, never the whole matrix at once."""

from collections.abc import Iterator

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import ArrayFeatures, FeatureSource
from stackel_bench.tolerances import FLOAT_STEP

Where = slice | np.ndarray  # which rows: all from one to another, or their increasing indices
CHUNK_ELEMENTS = 2**17  # 1 MB of float64: small enough for the caches, large enough to amortise calls


class FeatureRows:
    """The pairs of a feature source as n rows a*B+b of dimension d; a chunk covers some leader actions."""

    def __init__(self, source: FeatureSource, precision: float = FLOAT_STEP, matrix: bool = False) -> None:
        self._source, self._matrix, self.precision = source, matrix, precision
        self._leaders, self._followers, self.dimension = source.shape
        self.count = self._leaders * self._followers

    def picked(self, indices: np.ndarray | None = None) -> Iterator[tuple[Where, np.ndarray]]:
        """Pairs (where, rows [k,d]) that cover all rows, or those of these increasing indices, in order.

        Blocks of leader actions, cut where a single one has more rows than a chunk; those without any of the
        indices are not read.
        """
        step = max(1, CHUNK_ELEMENTS // (self.dimension * self._followers))
        for first in range(0, self._leaders, step):
            last = min(first + step, self._leaders)
            if indices is not None:
                ends = np.searchsorted(indices, [first * self._followers, last * self._followers])
                if ends[0] == ends[1]:
                    continue
            for start, rows in self._cut(first, last):
                if indices is None:
                    yield slice(start, start + len(rows)), rows
                else:
                    here = indices[slice(*np.searchsorted(indices, [start, start + len(rows)]))]
                    yield here, rows[here - start]

    def _cut(self, first: int, last: int) -> Iterator[tuple[int, np.ndarray]]:
        size = max(1, CHUNK_ELEMENTS // self.dimension)
        rows = np.asarray(self._source.block(first, last), dtype=np.float64).reshape(-1, self.dimension)
        for offset in range(0, len(rows), size):
            yield first * self._followers + offset, rows[offset : offset + size]

    def pick(self, indices: np.ndarray) -> np.ndarray:
        """The rows at these indices, float64 [k,d]."""
        return np.asarray(self._source.pairs(indices), dtype=np.float64)

    def name(self, row: int, column: int) -> str:
        """What an error message calls this entry."""
        place = f"{row}" if self._matrix else f"{row // self._followers},{row % self._followers}"
        return f"features[{place},{column}]"


def feature_rows(features: np.ndarray | FeatureSource) -> FeatureRows:
    """The rows of a matrix [n,d] (array or memory map, not copied) or of a feature source."""
    if not isinstance(features, np.ndarray) and isinstance(features, FeatureSource):
        return FeatureRows(features)
    matrix = features if isinstance(features, np.ndarray) else _matrix(features)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError("features.shape", matrix.shape, "[n,d], every size >= 1")
    precision = float(np.finfo(matrix.dtype).eps) if matrix.dtype.kind == "f" else FLOAT_STEP
    return FeatureRows(ArrayFeatures(matrix[:, None]), precision, matrix=True)


def reject_non_finite(rows: FeatureRows, block: np.ndarray, where: Where) -> None:
    """Raise an InputError at the first entry of block [k,d] that is not finite."""
    bad = np.argwhere(~np.isfinite(block))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        index = where.start + row if isinstance(where, slice) else int(where[row])
        raise InputError(rows.name(index, column), float(block[row, column]), "finite numbers")


def _matrix(features: object) -> np.ndarray:
    try:
        return np.asarray(features, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("features", features, "a rectangular array of numbers, shape [n,d]") from error
