"""The same bits on other processors: settings that stand for them change no number of any family."""

from __future__ import annotations

import functools
import json
import platform
from pathlib import Path

import numpy as np
import pytest

from tests.planning.feature_families import FAMILIES
from tests.processors import PROCESSORS, output

PRODUCT = "import numpy as np; a = np.random.default_rng(0).random((60, 60)); print((a @ a @ a[0]).tobytes())"

pytestmark = [
    pytest.mark.xdist_group("processors"),
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="core types of other machines"),
]
every_processor = pytest.mark.parametrize("processor", PROCESSORS)


@functools.cache
def simultaneous(processor: str = "") -> dict[str, str]:
    """Digests of planning, learning and judging on simultaneous games."""
    return dict(line.rsplit(": ", 1) for line in output(["tests/processor_probe.py"], processor).splitlines())


@functools.cache
def trials(processor: str = "") -> list[str]:
    """Digests of records, tables of actions and metrics of whole trials, all families and explorers."""
    return output(["-m", "tests.sweeps.bits"], processor).splitlines()


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matrices of all kinds of features, made once: products that make them may differ between processors."""
    file = tmp_path_factory.mktemp("features") / "features.npz"
    matrices = {
        f"{family} {dimension}": make(np.random.default_rng(dimension), 2_000, dimension)
        for dimension in (2, 5, 20, 50)
        for family, make in FAMILIES.items()
    }
    matrices["scanned 50"] = np.random.default_rng(0).standard_normal((130_000, 50))
    np.savez(file, **matrices)
    return file


@functools.cache
def linear(features: Path, processor: str = "") -> dict[str, str]:
    """Digests of core sets, fits, learners and oracles of linear games."""
    return dict(json.loads(output(["-m", "tests.planning.linear_digests", str(features)], processor)))


@every_processor
def test_simultaneous_games(processor: str) -> None:
    assert len(simultaneous()) > 200
    assert simultaneous(processor) == simultaneous()


@every_processor
def test_linear_games(processor: str, features: Path) -> None:
    assert len(linear(features)) > 150
    assert linear(features, processor) == linear(features)


@every_processor
def test_whole_trials_of_all_families(processor: str) -> None:
    assert len(trials()) > 25
    assert trials(processor) == trials()


def test_core_types_do_change_the_bits_of_a_matrix_product() -> None:
    """Otherwise the tests above could not fail."""
    assert len({output(["-c", PRODUCT], processor) for processor in ("", *PROCESSORS)}) >= 2
