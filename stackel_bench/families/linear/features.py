"""Features of linear games as functions of a range of leader actions, so that large ones are never stored."""

from collections.abc import Callable

import numpy as np

from stackel_bench import streams
from stackel_bench.games import dyadic
from stackel_bench.kernel import kernel
from stackel_bench.models.feature_source import ArrayFeatures, CallableFeatures, FeatureSource
from stackel_bench.planning.design.feature_products import products
from stackel_bench.statistics.elementary import exp, log

HALF_LENGTH = 181 / 256  # just below sqrt(1/2), and exact in few bits
STORED_ELEMENTS = 2**24  # 128 MB; larger features are computed block by block, again at every reading
ReadFeatures = Callable[[int, int], np.ndarray]  # (start, stop) -> features [stop-start,B,d]


@kernel
def _roots(values: np.ndarray, degree: int) -> np.ndarray:
    """The root [n] of each value [n] >= 0, with the same bits on every processor."""
    roots = np.empty(len(values))
    for i in range(len(values)):
        roots[i] = exp(log(values[i]) / degree)
    return roots


def ball_features(seed: int, num_follower_actions: int, dimension: int, start: int, stop: int) -> np.ndarray:
    """HALF_LENGTH * (1, x) with x uniform in the unit ball of R^(d-1), a stream of its own per leader action.

    x is rounded to multiples of 2**-20, so that products with few coordinates are exact.
    """
    size, rest = num_follower_actions, dimension - 1
    block = np.full((stop - start, size, dimension), HALF_LENGTH)
    for row, action in zip(block, range(start, stop), strict=True):
        rng = streams.generator("instance", "linear/ball", seed, size, dimension, action)
        direction = rng.standard_normal((size, rest))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        row[:, 1:] *= dyadic.rounded(direction * _roots(rng.random(size), rest)[:, None])
    return block


def embedded_features(inner: ReadFeatures, embedding: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Features of a smaller dimension r, carried into R^d by a matrix [d,r]."""
    block = inner(start, stop)
    embedded = products(block.reshape(-1, block.shape[2]), embedding.T)
    return embedded.reshape(*block.shape[:2], len(embedding))


def one_hot_features(num_leader_actions: int, num_follower_actions: int, start: int, stop: int) -> np.ndarray:
    """The unit vector of the pair, d = A * B."""
    size = num_follower_actions
    block = np.zeros((stop - start, size, num_leader_actions * size))
    row, column = np.indices(block.shape[:2])
    block[row, column, (start + row) * size + column] = 1.0
    return block


def monomials(degree: int) -> list[tuple[int, int]]:
    """The exponents (i, j) with i + j <= degree, by degree, then by i."""
    return [(i, total - i) for total in range(degree + 1) for i in range(total + 1)]


def polynomial_features(
    num_leader_actions: int, num_follower_actions: int, degree: int, start: int, stop: int
) -> np.ndarray:
    """All monomials t^i l^j of t = a/(A-1) and l = b/(B-1) up to a degree, in their order."""
    tax = np.arange(start, stop) / (num_leader_actions - 1)
    labour = np.arange(num_follower_actions) / (num_follower_actions - 1)
    # Powers by multiplication: the same bits on every processor.
    tax_powers, labour_powers = (np.vander(x, degree + 1, increasing=True) for x in (tax, labour))
    first, second = np.array(monomials(degree)).T
    return tax_powers[:, None, first] * labour_powers[None, :, second]


def source_of(shape: tuple[int, int, int], read: ReadFeatures) -> FeatureSource:
    """The features [A,B,d] as an array if they are small, else as the function that computes them."""
    if np.prod(shape, dtype=float) <= STORED_ELEMENTS:
        return ArrayFeatures(read(0, shape[0]))
    return CallableFeatures(shape, read)
