"""How many samples any learner needs on one particular game, whatever it does: the instance's own bound."""

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class CharacteristicTime:
    """T* of one game: every sound learner takes T* ln(1/delta) samples in the mean or more, as delta -> 0.

    T* lies in [low, high], which is certified; infinite where the answer is tied, 0 where nothing can be
    mistaken. allocation [A,B] are the shares of samples that attain high. A statement about delta -> 0: where
    several answers are correct there is no theorem at a finite delta.
    """

    low: float
    high: float
    allocation: np.ndarray = field(repr=False)

    def samples(self, delta: float) -> float:
        """The lower bound in samples, kl(delta, 1 - delta) T*, from the low end; 0 from delta = 1/2 on."""
        if delta >= 0.5:
            return 0.0
        return self.low * (1 - 2 * delta) * math.log((1 - delta) / delta)
