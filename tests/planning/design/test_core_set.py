"""Core sets against a leverage computed by SVD, textbook Frank-Wolfe, and the optimal design's inequality."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import ArrayFeatures, CallableFeatures
from stackel_bench.planning.design.core_set import CoreSet, core_set, support_bound
from tests.planning.design.gauss_jordan import eliminate
from tests.planning.feature_families import FAMILIES, span_coordinates


def _check(features: np.ndarray, core: CoreSet) -> None:
    rows = span_coordinates(features)
    rank, dimension = rows.shape[1], features.shape[1]
    assert core.rank == rank
    assert core.weights.sum() == pytest.approx(1, abs=1e-12)
    assert (core.weights > 0).all()
    assert (np.diff(core.indices) > 0).all()
    bound = 4 * dimension * max(0.0, math.log(math.log(dimension)) if dimension > 1 else 0.0) + 16
    assert rank <= len(core.indices) <= bound
    chosen = rows[core.indices]
    information = (chosen * core.weights[:, None]).T @ chosen
    leverages = ((rows @ np.linalg.inv(information)) * rows).sum(axis=1)
    assert leverages.max() <= 2 * rank * (1 + 1e-7)
    assert core.max_leverage <= 2 * rank
    assert core.max_leverage == pytest.approx(leverages.max(), rel=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 8, 20])
def test_leverage_and_support(family: str, dimension: int) -> None:
    # 14 families x 6 dimensions x 7 instances = 588.
    for seed in range(7):
        rng = np.random.default_rng([seed, dimension])
        n = int(rng.integers(1, 3)) if seed == 0 else int(rng.integers(dimension, 40 * dimension + 100))
        features = FAMILIES[family](rng, n, dimension)
        if features.any():
            _check(features, core_set(features))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "dimension"), [(3_000, 1), (20_000, 3), (30_000, 12)])
def test_rows_beyond_the_samples(family: str, n: int, dimension: int) -> None:
    features = FAMILIES[family](np.random.default_rng(n), n, dimension)
    _check(features, core_set(features))


def test_fifty_dimensions() -> None:
    features = np.random.default_rng(5).standard_normal((130_000, 50))
    core = core_set(features)
    _check(features, core)
    assert core.passes < 3


def test_a_rare_direction_is_found_at_every_size() -> None:
    for exponent in range(7):
        rng = np.random.default_rng(exponent)
        features = rng.standard_normal((20_000, 4))
        features[:, 3] = 0
        features[12_345, 3] = 10.0**-exponent
        core = core_set(features @ np.linalg.qr(rng.standard_normal((4, 4)))[0])
        assert core.rank == 4
        assert 12_345 in core.indices


def _textbook(rows: np.ndarray, target: float, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Kumar-Yildirim start and Frank-Wolfe with everything recomputed in each step; rows of full rank."""
    n, rank = rows.shape
    chosen: list[int] = []
    for _ in range(rank):
        direction = rng.standard_normal(rank)
        if chosen:
            basis = np.linalg.qr(rows[chosen].T)[0]
            direction -= basis @ (basis.T @ direction)
        chosen.append(int(np.abs(rows @ direction).argmax()))
    weights = np.bincount(chosen, minlength=n) / rank
    while True:
        inverse = np.linalg.inv((rows * weights[:, None]).T @ rows)
        leverages = ((rows @ inverse) * rows).sum(axis=1)
        worst = int(leverages.argmax())
        k = leverages[worst]
        if k <= target * rank:
            return weights, float(k)
        step = (k / rank - 1) / (k - 1)
        weights = (1 - step) * weights
        weights[worst] += step


@pytest.mark.parametrize("family", ["gaussian", "sphere", "simplex", "low_rank", "heavy_tails", "correlated"])
@pytest.mark.parametrize("dimension", [2, 5, 12])
def test_beside_textbook_frank_wolfe(family: str, dimension: int) -> None:
    """log det V* - log det V <= r log(max leverage / r), with V* enclosed by textbook steps to 1.1 r.

    The support stays near that of the textbook method run to the same limit.
    """
    for seed in range(2):
        rng = np.random.default_rng([seed, dimension, 7])
        features = FAMILIES[family](rng, 300, dimension)
        core = core_set(features)
        rows = span_coordinates(features)
        rank = rows.shape[1]
        if rank == 1:
            continue
        near, leverage = _textbook(rows, 1.1, rng)
        best = np.linalg.slogdet((rows * near[:, None]).T @ rows)[1] + rank * math.log(leverage / rank)
        chosen = rows[core.indices]
        ours = np.linalg.slogdet((chosen * core.weights[:, None]).T @ chosen)[1]
        assert best - ours <= rank * math.log(core.max_leverage / rank) + rank * math.log(1.1) + 1e-9
        assert ours <= best + 1e-9
        reference = np.count_nonzero(_textbook(rows, 2.0, rng)[0])
        assert len(core.indices) <= 1.5 * reference + 3


def test_a_memory_map_and_other_layouts_equal_the_array(tmp_path: Path) -> None:
    features = np.random.default_rng(1).standard_normal((9_000, 3))
    core = core_set(features)
    np.save(tmp_path / "features.npy", features)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r")
    wide = np.zeros((9_000, 6))
    wide[:, ::2] = features
    for same in (mapped, np.asfortranarray(features), wide[:, ::2]):
        other = core_set(same)
        np.testing.assert_array_equal(other.indices, core.indices)
        np.testing.assert_array_equal(other.weights, core.weights)
        assert other.max_leverage == core.max_leverage


def test_sources_that_yield_blocks_equal_the_array() -> None:
    features = np.random.default_rng(2).standard_normal((90, 100, 3))
    core = core_set(features.reshape(-1, 3))
    reads: list[int] = []

    def read(start: int, stop: int) -> np.ndarray:
        reads.append(stop - start)
        return features[start:stop].copy()

    sources = [
        ArrayFeatures(features),
        CallableFeatures(features.shape, read),
    ]
    for source in sources:
        other = core_set(source)
        np.testing.assert_array_equal(other.indices, core.indices)
        np.testing.assert_array_equal(other.weights, core.weights)
    assert reads


def test_sources_with_long_rows_of_follower_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stackel_bench.planning.design.rows.CHUNK_ELEMENTS", 64)
    for shape in [(3, 500, 4), (700, 2, 4), (1, 1, 4), (5, 16, 4)]:
        features = np.random.default_rng(shape[0]).standard_normal(shape)
        _check(features.reshape(-1, 4), core_set(ArrayFeatures(features)))


def test_the_same_call_gives_the_same_core_set() -> None:
    features = np.random.default_rng(3).standard_normal((10_000, 4))
    first, second = core_set(features), core_set(features)
    np.testing.assert_array_equal(first.indices, second.indices)
    np.testing.assert_array_equal(first.weights, second.weights)


def test_features_are_not_written_to_and_results_are_read_only() -> None:
    features = np.random.default_rng(4).standard_normal((500, 4))
    features.setflags(write=False)
    core = core_set(features)
    for array in (core.indices, core.weights):
        assert not array.flags.writeable


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8])
def test_other_number_types(kind: type) -> None:
    features = (np.random.default_rng(6).standard_normal((2_000, 5)) * 20).clip(0, 200).astype(kind)
    _check(features.astype(np.float64), core_set(features))


def test_single_precision_noise_is_not_a_direction() -> None:
    rng = np.random.default_rng(8)
    features = (rng.standard_normal((3_000, 3)) @ rng.standard_normal((3, 6))).astype(np.float32)
    assert core_set(features).rank == 3


@pytest.mark.parametrize("size", [1e-150, 1e-30, 1e30, 1e150])
def test_scale_does_not_matter(size: float) -> None:
    features = np.random.default_rng(9).standard_normal((5_000, 3))
    np.testing.assert_array_equal(core_set(features * size).indices, core_set(features).indices)


def test_known_designs() -> None:
    np.testing.assert_array_equal(core_set(np.array([[3.0]])).indices, [0])
    single = core_set(np.array([[1.0, 2.0], [2.0, 4.0], [-3.0, -6.0], [0.0, 0.0]]))
    assert single.rank == 1
    np.testing.assert_array_equal(single.indices, [2])
    unit = core_set(np.eye(6))
    np.testing.assert_array_equal(unit.indices, np.arange(6))
    np.testing.assert_allclose(unit.weights, 1 / 6)
    assert unit.max_leverage == pytest.approx(6)


def test_support_bound() -> None:
    assert [support_bound(d) for d in (1, 2, 3, 5, 20, 50)] == [16, 16, 17, 25, 103, 288]


@pytest.mark.parametrize(
    ("features", "field"),
    [
        (np.zeros((5, 3)), "features"),
        (np.empty((0, 3)), "features.shape"),
        (np.empty((4, 0)), "features.shape"),
        (np.ones(4), "features.shape"),
        (np.ones((2, 2, 2)), "features.shape"),
        (np.array([["a", "b"]]), "features.dtype"),
        (np.array([[1 + 1j]]), "features.dtype"),
    ],
)
def test_bad_features_are_named(features: np.ndarray, field: str) -> None:
    with pytest.raises(InputError) as error:
        core_set(features)
    assert error.value.field == field


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("low_rank", [False, True])
def test_non_finite_features_are_named(bad: float, low_rank: bool) -> None:
    features = np.random.default_rng(10).standard_normal((30_000, 3))
    if low_rank:
        features[:, 2] = 0
    features[23_456, 1] = bad
    with pytest.raises(InputError, match=r"features\[23456,1\]"):
        core_set(features)
    with pytest.raises(InputError, match=r"features\[234,56,1\]"):
        core_set(CallableFeatures((300, 100, 3), lambda i, j: features.reshape(300, 100, 3)[i:j]))


def test_zero_rank_needs_every_row() -> None:
    features = np.zeros((10_000, 2))
    features[7_777, 1] = 1e-200
    core = core_set(features)
    assert core.rank == 1
    np.testing.assert_array_equal(core.indices, [7_777])


def test_what_double_precision_cannot_compare_is_rejected() -> None:
    features = np.random.default_rng(11).standard_normal((20_000, 3))
    features[777] *= 1e16
    with pytest.raises(InputError, match="double precision"):
        core_set(features)
    with pytest.raises(InputError, match=r"size of features\[:,0\]"):
        core_set(np.array([[1e-310, 1.0], [1e-310, 2.0]]))


@pytest.mark.parametrize("dimension", [4, 8, 10])
def test_ill_conditioned_polynomials(dimension: int) -> None:
    features = np.random.default_rng(12).random((3_000, 1)) ** np.arange(dimension)
    core = core_set(features)
    assert core.rank == dimension
    assert core.rank <= len(core.indices) <= support_bound(dimension)
    assert core.max_leverage <= 2 * core.rank


@pytest.mark.parametrize("dimension", [16, 20, 40])
def test_polynomials_beyond_double_precision_are_refused(dimension: int) -> None:
    features = np.random.default_rng(12).random((3_000, 1)) ** np.arange(dimension)
    with pytest.raises(InputError, match="directions of sizes"):
        core_set(features)


def _two_sizes(ratio: float, n: int = 300, angle: float = 0.7) -> np.ndarray:
    """Rotated rows [n,2] with singular values 1 and ratio, up to a common factor."""
    circle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.column_stack([np.cos(circle), ratio * np.sin(circle)]) @ turn


@pytest.mark.parametrize("exponent", [1, 5, 9, 11, 12, 13])
def test_a_small_direction_is_kept_or_refused_but_never_dropped(exponent: int) -> None:
    """However the features are turned and whatever their size: there is one threshold, at 1e-10."""
    for angle in (0.1, 0.7, 1.5):
        for size in (1e-30, 1.0, 1e30):
            features = size * _two_sizes(10.0**-exponent, angle=angle)
            if exponent < 10:
                assert core_set(features).rank == 2
            else:
                with pytest.raises(InputError, match="leave that direction out"):
                    core_set(features)


def test_rounding_is_not_a_direction() -> None:
    """Rank 3 of 8 by products that round, parts of sizes 1 to 1e-4: no direction too many, no refusal."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        inner = rng.standard_normal((5_000, 3)) * [1, 1e-2, 1e-4]
        assert core_set(inner @ rng.standard_normal((3, 8))).rank == 3


def _exact_leverage(features: np.ndarray, core: CoreSet) -> Fraction:
    """The largest leverage in rational arithmetic, by Gauss-Jordan elimination of V."""
    rows = [[Fraction(float(x)) for x in row] for row in features]
    weights = [Fraction(float(weight)) for weight in core.weights]
    d = features.shape[1]
    points = [rows[index] for index in core.indices.tolist()]
    matrix = [
        [sum(w * x[i] * x[j] for w, x in zip(weights, points, strict=True)) for j in range(d)]
        + [Fraction(i == j) for j in range(d)]
        for i in range(d)
    ]
    eliminate(matrix)
    inverse = [row[d:] for row in matrix]
    return max(sum(row[i] * inverse[i][j] * row[j] for i in range(d) for j in range(d)) for row in rows)


@pytest.mark.parametrize("exponent", [0, 2, 4, 6, 8, 9])
@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_the_largest_leverage_has_nine_digits_at_every_condition(dimension: int, exponent: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng([seed, dimension])
        turn = np.linalg.qr(rng.standard_normal((dimension, dimension)))[0]
        sizes = 10.0 ** -np.linspace(0, exponent, dimension)
        features = (rng.standard_normal((60, dimension)) * sizes) @ turn
        core = core_set(features)
        exact = _exact_leverage(features, core)
        assert abs(Fraction(core.max_leverage) / exact - 1) <= Fraction(1, 10**9)
        assert exact <= 2 * dimension


def test_the_largest_leverage_of_ill_conditioned_duplicates() -> None:
    """All rows are among d + 1: each is a candidate for the largest leverage, thousands of times."""
    rng = np.random.default_rng(4)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    distinct = (rng.standard_normal((4, 3)) * [1, 1e-4, 1e-8]) @ turn
    features = distinct[rng.integers(4, size=20_000)]
    core = core_set(features)
    points = np.array([np.flatnonzero((distinct == row).all(axis=1))[0] for row in features[core.indices]])
    assert len(set(points.tolist())) == len(points)
    same = dataclasses.replace(core, indices=points)
    assert abs(Fraction(core.max_leverage) / _exact_leverage(distinct, same) - 1) <= Fraction(1, 10**9)


def test_the_largest_leverage_of_dependent_columns() -> None:
    """A column twice is a column once: V^+ on the span, where single columns tell everything exactly."""
    rng = np.random.default_rng(5)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    features = (rng.standard_normal((80, 3)) * [1, 1e-3, 1e-6]) @ turn
    core = core_set(features[:, [0, 1, 2, 1]])
    assert core.rank == 3
    assert abs(Fraction(core.max_leverage) / _exact_leverage(features, core) - 1) <= Fraction(1, 10**9)
