"""A short digest of what a game is, so that random streams and cell ids depend on content alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np


def digest_of_arrays(family: str, arrays: Iterable[np.ndarray], *labels: object) -> str:
    """The digest of a game given by its arrays (shape and bytes) and a few labels."""
    digest = hashlib.blake2b(json.dumps([family, *map(str, labels)]).encode(), digest_size=16)
    for array in arrays:
        digest.update(json.dumps(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
