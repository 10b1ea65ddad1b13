"""Feature sources: the features of all pairs of actions, read in blocks of leader actions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.errors import InputError


@runtime_checkable
class FeatureSource(Protocol):
    """Features phi(a,b) in R^d for A leader actions and B follower actions; pair (a,b) has index a*B+b."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(A, B, d)."""
        ...

    def block(self, start: int, stop: int) -> np.ndarray:
        """Features [stop-start,B,d] of the leader actions start..stop-1."""
        ...

    def pairs(self, indices: np.ndarray) -> np.ndarray:
        """Features [k,d] of the pairs with these indices [k], in the order given."""
        ...


@dataclass(frozen=True, eq=False)
class ArrayFeatures:
    """Features from an array [A,B,d], in memory or mapped from a file; nothing is copied."""

    features: np.ndarray

    def __post_init__(self) -> None:
        if self.features.ndim != 3 or 0 in self.features.shape:
            raise InputError("features.shape", self.features.shape, "[A,B,d], every size >= 1")
        if self.features.dtype.kind not in "fiu":
            raise InputError("features.dtype", str(self.features.dtype), "real numbers")
        if isinstance(self.features, np.memmap) and self.features.filename is not None:
            return  # mapped read-only; a view would forget its file
        view = self.features.view()
        view.setflags(write=False)
        object.__setattr__(self, "features", view)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # A worker maps the file itself; pickling a memory map would send its whole content.
        mapped = self.features
        if isinstance(mapped, np.memmap) and mapped.filename is not None and mapped.mode == "r":
            order = "C" if mapped.flags.c_contiguous else "F"
            return _mapped_again, (str(mapped.filename), mapped.dtype.str, mapped.offset, mapped.shape, order)
        return ArrayFeatures, (self.features,)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(A, B, d)."""
        leaders, followers, dimension = self.features.shape
        return leaders, followers, dimension

    def block(self, start: int, stop: int) -> np.ndarray:
        """A view [stop-start,B,d]."""
        return self.features[start:stop]

    def pairs(self, indices: np.ndarray) -> np.ndarray:
        """A copy [k,d] of the features at these pair indices."""
        leader, follower = np.divmod(np.asarray(indices), self.shape[1])
        return np.asarray(self.features[leader, follower])


@dataclass(frozen=True, eq=False)
class CallableFeatures:
    """Features from a function (start, stop) -> [stop-start,B,d], called anew for every block."""

    shape: tuple[int, int, int]
    read: Callable[[int, int], np.ndarray]

    def __post_init__(self) -> None:
        if len(self.shape) != 3:
            raise InputError("shape", self.shape, "(A, B, d)")
        sizes = tuple(checks.integer("shape", size, least=1) for size in self.shape)
        object.__setattr__(self, "shape", sizes)

    def block(self, start: int, stop: int) -> np.ndarray:
        """What the function returns for these leader actions, its shape checked."""
        block, shape = np.asarray(self.read(start, stop)), (stop - start, *self.shape[1:])
        if block.shape != shape:
            raise InputError("shape of a block of features", block.shape, f"{shape}")
        return block

    def pairs(self, indices: np.ndarray) -> np.ndarray:
        """Features [k,d]; each leader action among the pairs is read once, in increasing order."""
        leader, follower = np.divmod(np.asarray(indices, dtype=np.int64), self.shape[1])
        order = np.argsort(leader, kind="stable")
        picked = np.empty((len(order), self.shape[2]))
        actions, first = np.unique(leader[order], return_index=True)
        for action, here in zip(actions.tolist(), np.split(order, first[1:]), strict=False):
            picked[here] = self.block(action, action + 1)[0, follower[here]]
        return picked


def _mapped_again(
    path: str, dtype: str, offset: int, shape: tuple[int, ...], order: Literal["C", "F"]
) -> ArrayFeatures:
    return ArrayFeatures(np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=shape, order=order))


def mapped_features(path: str | Path) -> ArrayFeatures:
    """Features [A,B,d] mapped from a .npy file; only what is used is ever read."""
    try:
        return ArrayFeatures(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("path", str(path), f"a .npy file with an array [A,B,d] ({error})") from error


def feature_source(features: ArrayLike | FeatureSource) -> FeatureSource:
    """The features as a source; arrays and memory maps [A,B,d] are wrapped without a copy."""
    if isinstance(features, np.ndarray):
        return ArrayFeatures(features)
    if isinstance(features, FeatureSource):
        return features
    try:
        return ArrayFeatures(np.asarray(features, dtype=np.float64))
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "features", features, "an array [A,B,d], a memory map or a feature source"
        ) from error


def leader_blocks(source: FeatureSource, elements: int) -> Iterator[tuple[int, np.ndarray]]:
    """Pairs (first leader action, features [k,B,d] as float64) that cover all actions in order.

    A block holds about so many elements, but never less than one leader action.
    """
    leaders, followers, dimension = source.shape
    step = max(1, elements // (followers * dimension))
    for start in range(0, leaders, step):
        yield start, np.asarray(source.block(start, min(start + step, leaders)), dtype=np.float64)
