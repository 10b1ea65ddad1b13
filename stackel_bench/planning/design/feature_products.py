"""Products of feature rows whose sums all run through the coordinates in order: same bits on all processors.

A matrix product of a library adds up in an order that depends on the processor. Loops over rows are the inner
ones here, so that the compiler can use wide registers and still adds up each sum in order.
"""

import numpy as np

from stackel_bench.kernel import kernel

TILE = 64  # rows that are turned around and worked on together


def products(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """rows [n,d] times vectors [d,k]."""
    return _products(_plain(rows), _plain(vectors))


def squared_lengths(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The squared length [n] of each row of rows [n,d] times vectors [d,k]."""
    return _squared_lengths(_plain(rows), _plain(vectors))


def row_means(rows: np.ndarray, leader: np.ndarray, follower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row of rows [n,d] times the leader's and times the follower's parameters [d]."""
    leader_means, follower_means = _row_means(_plain(rows), _plain(leader), _plain(follower))
    return leader_means, follower_means


def _plain(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.float64)


@kernel
def _row_means(rows: np.ndarray, leader: np.ndarray, follower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    count, dimension = rows.shape
    leader_means, follower_means = np.empty(count), np.empty(count)
    for i in range(count):
        first = 0.0
        second = 0.0
        for k in range(dimension):
            first += rows[i, k] * leader[k]
            second += rows[i, k] * follower[k]
        leader_means[i] = first
        follower_means[i] = second
    return leader_means, follower_means


@kernel
def _turn(rows: np.ndarray, start: int, stop: int, turned: np.ndarray) -> None:
    for i in range(stop - start):
        for k in range(rows.shape[1]):
            turned[k, i] = rows[start + i, k]


@kernel
def _column(turned: np.ndarray, vectors: np.ndarray, column: int, sums: np.ndarray) -> None:
    """One column of the product for the rows that are the columns of turned [d,TILE]."""
    dimension = len(turned)
    sums[:] = 0.0
    for k in range(0, dimension - 3, 4):
        a, b = vectors[k, column], vectors[k + 1, column]
        c, d = vectors[k + 2, column], vectors[k + 3, column]
        for i in range(TILE):
            partial = (sums[i] + turned[k, i] * a) + turned[k + 1, i] * b
            sums[i] = (partial + turned[k + 2, i] * c) + turned[k + 3, i] * d
    for k in range(dimension - dimension % 4, dimension):
        a = vectors[k, column]
        for i in range(TILE):
            sums[i] += turned[k, i] * a


@kernel
def _products(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    count, width = len(rows), vectors.shape[1]
    result = np.empty((count, width))
    turned, sums = np.zeros((rows.shape[1], TILE)), np.empty(TILE)
    for start in range(0, count, TILE):
        stop = min(start + TILE, count)
        _turn(rows, start, stop, turned)
        for j in range(width):
            _column(turned, vectors, j, sums)
            for i in range(stop - start):
                result[start + i, j] = sums[i]
    return result


@kernel
def _squared_lengths(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    count = len(rows)
    result = np.empty(count)
    turned, sums, squares = np.zeros((rows.shape[1], TILE)), np.empty(TILE), np.empty(TILE)
    for start in range(0, count, TILE):
        stop = min(start + TILE, count)
        _turn(rows, start, stop, turned)
        squares[:] = 0.0
        for j in range(vectors.shape[1]):
            _column(turned, vectors, j, sums)
            for i in range(TILE):
                squares[i] += sums[i] * sums[i]
        for i in range(stop - start):
            result[start + i] = squares[i]
    return result
