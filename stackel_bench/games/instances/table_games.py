"""Turns a builder of payoff tables into a builder of games, so that families share their tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from stackel_bench.games.noise import Noise
from stackel_bench.models import PayoffTable


def with_noise(
    game: Callable[[PayoffTable, Noise], Any], table: Callable[..., PayoffTable]
) -> Callable[..., Any]:
    """A builder of game(table(...), Noise(...)): the table's parameters, then `noise` and `noise_scale`."""

    def build(*, noise: str, noise_scale: float, **parameters: Any) -> Any:
        return game(table(**parameters), Noise(noise, noise_scale))

    own = inspect.signature(table)
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("noise", "noise_scale")]
    build.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*own.parameters.values(), *more], return_annotation=inspect.Signature.empty
    )
    build.__doc__ = table.__doc__
    return build
