"""Random generators as pure functions of a key, so that no result depends on workers, batching or order."""

import hashlib
import json

import numpy as np

KeyPart = int | str


def generator(*key: KeyPart) -> np.random.Generator:
    """The generator of this key: canonical JSON -> blake2b-256 -> SeedSequence -> PCG64DXSM.

    Hashing keeps keys apart that SeedSequence itself would merge, e.g. spawn keys (5 + 2**32,) and (5, 1).
    """
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(_entropy(key))))


def _entropy(key: tuple[KeyPart, ...]) -> int:
    for part in key:
        if type(part) not in (int, str):
            raise TypeError(f"stream key parts are int or str, found {part!r} in {key!r}")
    text = json.dumps(key, separators=(",", ":"))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=32).digest(), "big")
