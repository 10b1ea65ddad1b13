"""A claim as it is written in conf/claim, for tests that spoil a copy of it."""

from __future__ import annotations

from typing import Any

GOOD: dict[str, Any] = {
    "order": 1,
    "kind": "theorem",
    "source": "theorem:x",
    "statement": "x",
    "measurements": {
        "one": {
            "asks": "x?",
            "statistic": "failure_rate",
            "prediction": {"at_most": 0.05},
            "cells": [{"game": "bandit/trap"}],
            "would_catch": {"plug-in": {"algorithm": "plug_in"}},
        }
    },
}
