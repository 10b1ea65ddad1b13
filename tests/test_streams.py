"""Random streams: pure functions of their key, different for different keys, the same forever."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy import stats

from stackel_bench.streams import KeyPart, generator


def draws(*key: KeyPart) -> list[int]:
    return generator(*key).integers(2**63, size=4).tolist()


def test_the_same_key_gives_the_same_numbers_whatever_was_drawn_before() -> None:
    first = draws(1, "game", 2)
    generator(1, "game", 3).random(1000)
    np.random.default_rng().random()
    assert draws(1, "game", 2) == first


def test_neighbouring_and_look_alike_keys_differ() -> None:
    """Among them the spawn keys that numpy's SeedSequence merges, and a number beside its text."""
    keys: list[tuple[KeyPart, ...]] = [
        *((seed, replicate) for seed in range(30) for replicate in range(30)),
        (5 + 2**32,),
        (5, 1, 0),
        ("5", 1, 0),
        (51,),
        ("5,1",),
        ("5", "1"),
        (),
        ("",),
        (2**80,),
        (-1,),
    ]
    assert len({tuple(draws(*key)) for key in keys}) == len(keys)


def test_streams_are_the_documented_construction() -> None:
    """Recorded results must stay reproducible: JSON, blake2b-256, SeedSequence, PCG64DXSM."""
    entropy = int.from_bytes(hashlib.blake2b(b'[7,"pulls",0]', digest_size=32).digest(), "big")
    twin = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(entropy)))
    assert draws(7, "pulls", 0) == twin.integers(2**63, size=4).tolist()


@pytest.mark.parametrize("part", [1.0, None, True, np.int64(3), (1, 2)])
def test_keys_are_ints_and_strings_only(part: object) -> None:
    with pytest.raises(TypeError, match="int or str"):
        generator(0, part)  # type: ignore[arg-type]


def test_first_draws_across_keys_are_uniform() -> None:
    """Kolmogorov-Smirnov over 5,000 keys; false alarms with probability 1e-6 (seeds are fixed)."""
    firsts = [generator(0, "game", replicate).random() for replicate in range(5000)]
    assert stats.kstest(firsts, "uniform").pvalue > 1e-6
