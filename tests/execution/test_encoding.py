"""What a sweep keeps can be read under every version of Python that the package is for."""

from __future__ import annotations

from enum import Enum

import pytest

from stackel_bench.models import TieBreaking
from stackel_bench.trials.encoding import NotReadableError, decode, encode


def test_members_of_enumerations_as_early_versions_of_python_3_11_pickle_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are made by getattr there, which nothing that is read may ask for."""
    value = {TieBreaking.OPTIMISTIC: [TieBreaking.PESSIMISTIC, 1.5]}
    usual = encode(value)
    monkeypatch.setattr(Enum, "__reduce_ex__", lambda self, _: (getattr, (type(self), self.name)))
    assert encode(value) == usual
    assert decode(usual) == value


def test_functions_are_not_read() -> None:
    with pytest.raises(NotReadableError, match=r"builtins\.getattr is not expected"):
        decode(encode([getattr]))
