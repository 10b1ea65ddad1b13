"""Turns a builder of models into a builder of games, so that families share models and noise parameters."""

import inspect
from collections.abc import Callable
from typing import Any

from stackel_bench.games.noise import Noise

Builder = Callable[..., Any]


def pair_noise(noise: str, noise_scale: float) -> Noise:
    """The noise of a pulled pair."""
    return Noise(noise, noise_scale)


def episode_noise(noise: str) -> Noise:
    """The noise of the rewards in an episode; there is no Gaussian one, so it has no scale."""
    return Noise(noise)


def with_noise(game: Builder, model: Builder, noise: Builder = pair_noise) -> Builder:
    """A builder of game(model(...), noise(...)) that takes the model's parameters, then the noise's."""
    own = inspect.signature(model).parameters
    more = inspect.signature(noise).parameters

    def build(**parameters: Any) -> Any:
        law = noise(**{key: parameters.pop(key) for key in more})
        return game(model(**parameters), law)

    build.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            p.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty)
            for p in (*own.values(), *more.values())
        ]
    )
    build.__doc__ = model.__doc__
    return build
