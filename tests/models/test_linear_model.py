"""Linear models and their feature sources: what is copied, what is checked, and that all sources agree."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import (
    ArrayFeatures,
    CallableFeatures,
    FeatureSource,
    feature_source,
    leader_blocks,
    mapped_features,
)
from stackel_bench.models.linear_model import LinearModel

FEATURES = np.random.default_rng(0).standard_normal((11, 5, 3))


def _rows(start: int, stop: int) -> np.ndarray:
    return FEATURES[start:stop]


def _sources(tmp_path: Path) -> list[FeatureSource]:
    np.save(tmp_path / "features.npy", FEATURES)
    return [
        ArrayFeatures(FEATURES),
        mapped_features(tmp_path / "features.npy"),
        CallableFeatures(FEATURES.shape, _rows),
    ]


def test_all_sources_give_the_same_blocks_and_pairs(tmp_path: Path) -> None:
    indices = np.array([54, 0, 17, 17, 3, 30])
    for source in _sources(tmp_path):
        assert isinstance(source, FeatureSource)
        assert source.shape == FEATURES.shape
        for start, stop in [(0, 11), (3, 6), (5, 11), (0, 1), (10, 11), (2, 9)]:
            np.testing.assert_array_equal(source.block(start, stop), FEATURES[start:stop])
        np.testing.assert_array_equal(source.pairs(indices), FEATURES.reshape(-1, 3)[indices])
        assert source.pairs(np.empty(0, dtype=int)).shape == (0, 3)
        for elements in (1, 40, 10**6):
            parts = list(leader_blocks(source, elements))
            np.testing.assert_array_equal(np.concatenate([block for _, block in parts]), FEATURES)
            assert [start for start, _ in parts] == list(np.cumsum([0] + [len(b) for _, b in parts])[:-1])
        copy = pickle.loads(pickle.dumps(source))
        np.testing.assert_array_equal(copy.block(4, 6), FEATURES[4:6])


def test_arrays_are_wrapped_not_copied() -> None:
    features = FEATURES.copy()
    model = LinearModel(features, [1, 2, 3], [0, 0, 1])
    assert np.shares_memory(model.features.block(0, 11), features)
    assert not model.features.block(0, 1).flags.writeable
    assert features.flags.writeable
    assert model.shape == (11, 5, 3)


def test_large_finite_features_are_accepted() -> None:
    LinearModel(np.full((2, 2, 2), 1.5e308), np.ones(2), np.ones(2))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_features_are_named(bad: float) -> None:
    features = FEATURES.copy()
    features[7, 2, 1] = bad
    for source in (features, CallableFeatures(features.shape, lambda i, j: features[i:j])):
        with pytest.raises(InputError, match=r"features\[7,2,1\]"):
            LinearModel(source, np.ones(3), np.ones(3))


@pytest.mark.parametrize("features", [np.ones((2, 3)), np.empty((2, 0, 3)), [[1.0, 2.0]], "x", [["a"]]])
def test_features_of_another_shape_are_rejected(features: object) -> None:
    with pytest.raises(InputError, match="features"):
        feature_source(features)  # type: ignore[arg-type]


def test_sources_that_break_their_promise_are_rejected() -> None:
    with pytest.raises(InputError, match="block"):
        CallableFeatures((4, 5, 3), lambda i, j: FEATURES[:1]).block(0, 2)
    with pytest.raises(InputError, match="shape"):
        CallableFeatures((4, 0, 3), _rows)


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.npy").write_text("not an array")
    for name in ("text.npy", "missing.npy"):
        with pytest.raises(InputError, match=name):
            mapped_features(tmp_path / name)
    np.save(tmp_path / "flat.npy", np.ones(4))
    with pytest.raises(InputError, match=r"features\.shape"):
        mapped_features(tmp_path / "flat.npy")
