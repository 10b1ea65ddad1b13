"""The noise of a single reward, and builders of games that are a model with noise."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench import checks

KINDS = ("bernoulli", "gaussian", "deterministic")


@dataclass(frozen=True)
class Noise:
    """Bernoulli rewards (means in [0,1]), Gaussian ones of standard deviation scale, or the mean itself."""

    kind: str = "bernoulli"
    scale: float = 0.5

    def __post_init__(self) -> None:
        checks.choice("noise", self.kind, KINDS)
        object.__setattr__(self, "scale", checks.real("noise_scale", self.scale, least=0, open_least=True))

    def validate_means(self, field: str, means: np.ndarray) -> None:
        """Raise an InputError at the first mean that this noise cannot have."""
        if self.kind == "bernoulli":
            bad = (means < 0) | (means > 1)
            checks.reject_first(field, means, bad, "means in [0, 1] (noise is bernoulli)")

    @property
    def sub_gaussian_scale(self) -> float:
        """What a learner may know of the tails: 1/2 covers every reward in [0,1]."""
        return self.scale if self.kind == "gaussian" else 0.5


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
