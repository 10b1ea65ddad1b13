"""Features that are mapped from a file travel as the file's name."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from stackel_bench.models.feature_source import ArrayFeatures, mapped_features


@pytest.mark.parametrize("arrange", [np.ascontiguousarray, np.asfortranarray])
def test_mapped_features_are_mapped_again(tmp_path: Path, arrange: object) -> None:
    features = np.random.default_rng(0).normal(size=(40, 30, 5))
    np.save(tmp_path / "features.npy", arrange(features))
    content = pickle.dumps(mapped_features(tmp_path / "features.npy"))
    assert len(content) < 1000
    again = pickle.loads(content)
    assert isinstance(again.features, np.memmap)
    np.testing.assert_array_equal(again.block(0, 40), features)


def test_features_in_memory_travel_whole() -> None:
    features = np.random.default_rng(1).normal(size=(4, 3, 2))
    again = pickle.loads(pickle.dumps(ArrayFeatures(features)))
    np.testing.assert_array_equal(again.block(0, 4), features)
    assert not again.features.flags.writeable
