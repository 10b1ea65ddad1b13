"""Findings and results as bytes that can be kept on disk, and read back without trusting the disk.

Pickle can run any code, and a sweep's folder may come from somebody else. So reading makes arrays, plain
values and objects of known packages only: those of this package, and those of the learner's own.
"""

import io
import pickle
from collections.abc import Collection
from enum import Enum
from typing import Any

import pyarrow as pa

_PACKAGE = "stackel_bench"
_NUMPY = {
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
}
_CODEC = "zstd"


class NotReadableError(ValueError):
    """Bytes that `encode` did not write, or that ask for something that is not allowed."""


def encode(value: Any) -> bytes:
    """The value as compressed bytes; the first eight say how long it is."""
    plain = io.BytesIO()
    _Writer(plain, protocol=5).dump(value)
    packed: bytes = pa.Codec(_CODEC).compress(plain.getbuffer(), asbytes=True)
    return plain.tell().to_bytes(8, "big") + packed


def decode(content: bytes, trusted_packages: Collection[str] = ()) -> Any:
    """What `encode` was given."""
    size = int.from_bytes(content[:8], "big")
    try:
        plain = pa.Codec(_CODEC).decompress(content[8:], decompressed_size=size, asbytes=True)
        return _Reader(io.BytesIO(plain), {_PACKAGE, *trusted_packages}).load()
    except NotReadableError:
        raise
    except Exception as error:  # whatever damaged bytes lead to
        raise NotReadableError(f"{type(error).__name__}: {error}") from error


class _Writer(pickle.Pickler):
    """Writes a member of an enumeration as its class and value: Python 3.11.0 to 3.11.3 would use getattr."""

    def reducer_override(self, obj: Any) -> Any:
        """How this object is made again; everything else in pickle's own way."""
        return (type(obj), (obj.value,)) if isinstance(obj, Enum) else NotImplemented


class _Reader(pickle.Unpickler):
    """Finds classes of trusted packages and numpy's array makers, no other function."""

    def __init__(self, file: io.BytesIO, packages: set[str]) -> None:
        super().__init__(file)
        self._packages = packages

    def find_class(self, module: str, name: str) -> Any:
        """The class, if it is one that findings and results are made of."""
        if (module, name) in _NUMPY:
            return super().find_class(module, name)
        if module.split(".")[0] in self._packages and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__.split(".")[0] in self._packages:
                return found
        raise NotReadableError(f"{module}.{name} is not expected in what a sweep keeps")
