"""The noise of a single reward: its law given the mean, and how heavy its tails are."""

from dataclasses import dataclass

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
