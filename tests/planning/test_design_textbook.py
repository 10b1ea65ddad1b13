"""The textbook design keeps both promises on every family: leverage at most 2 rank, and a small support."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.planning.core_set import support_bound
from stackel_bench.planning.design_rows import ArrayRows
from stackel_bench.planning.design_textbook import textbook_design
from tests.planning.feature_families import FAMILIES, span_coordinates


def _leverages(rows: np.ndarray, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """phi^T V^-1 phi [n] by a plain inverse."""
    chosen = rows[indices]
    information = (chosen * weights[:, None]).T @ chosen
    return ((rows @ np.linalg.inv(information)) * rows).sum(axis=1)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 8, 20])
def test_leverage_and_support(family: str, dimension: int) -> None:
    # 14 families x 6 dimensions x 7 instances = 588.
    for seed in range(7):
        rng = np.random.default_rng([seed, dimension])
        n = int(rng.integers(1, 3)) if seed == 0 else int(rng.integers(dimension, 40 * dimension + 100))
        features = FAMILIES[family](rng, n, dimension)
        if not features.any():
            continue
        rows = span_coordinates(features)
        rank = rows.shape[1]
        indices, weights, leverage, passes = textbook_design(
            ArrayRows(rows), np.eye(rank), 2.0 * rank, np.random.default_rng(seed)
        )
        assert len(set(indices.tolist())) == len(indices) == len(weights)
        assert rank <= len(indices) <= min(support_bound(rank), passes)
        assert (weights > 0).all()
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert leverage <= 2 * rank
        assert leverage == pytest.approx(_leverages(rows, indices, weights).max(), rel=1e-6)


@pytest.mark.parametrize("ratio", [1.5, 1.1, 1.01])
def test_tighter_limits_approach_the_optimal_design(ratio: float) -> None:
    """Kiefer-Wolfowitz: no design has a largest leverage below the rank; 20 instances per limit."""
    for seed in range(20):
        rows = np.random.default_rng(seed).standard_normal((200, 4))
        indices, weights, leverage, _ = textbook_design(
            ArrayRows(rows), np.eye(4), 4 * ratio, np.random.default_rng(seed)
        )
        assert leverage * (1 + 1e-12) >= 4
        assert leverage <= 4 * ratio
        assert leverage == pytest.approx(_leverages(rows, indices, weights).max(), rel=1e-9)


def test_coordinates_and_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all directions turned alike the same rows are found; 20 instances, chunks of 7 rows."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        coordinates = rng.standard_normal((300, 3))
        embedding = np.linalg.qr(rng.standard_normal((5, 5)))[0][:3]  # [3,5], orthonormal rows
        plain = textbook_design(ArrayRows(coordinates), np.eye(3), 6.0, np.random.default_rng(seed))
        with monkeypatch.context() as patch:
            patch.setattr("stackel_bench.planning.design_rows.CHUNK_ELEMENTS", 35)
            turned = textbook_design(
                ArrayRows(coordinates @ embedding), embedding.T, 6.0, np.random.default_rng(seed)
            )
        np.testing.assert_array_equal(turned[0], plain[0])
        np.testing.assert_allclose(turned[1], plain[1], rtol=1e-9)
        assert turned[2] == pytest.approx(plain[2], rel=1e-9)


def test_an_optimal_start_is_final() -> None:
    indices, weights, leverage, passes = textbook_design(
        ArrayRows(np.eye(6)), np.eye(6), 12.0, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(np.sort(indices), np.arange(6))
    np.testing.assert_allclose(weights, 1 / 6)
    assert leverage == pytest.approx(6)
    assert passes == 7
