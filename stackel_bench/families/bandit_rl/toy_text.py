"""Gymnasium's small worlds; nothing else imports gymnasium, which is an extra."""

from typing import Any

from stackel_bench.errors import InputError


def toy_text() -> Any:
    """The module that has FrozenLakeEnv, CliffWalkingEnv and TaxiEnv."""
    try:
        from gymnasium.envs import toy_text as found
    except ImportError as error:
        missing = "the package gymnasium is not installed"
        raise InputError("game", missing, "pip install stackel_bench[gym]") from error
    return found
