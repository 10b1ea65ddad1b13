"""Named bandit games."""

from __future__ import annotations

import numpy as np

from stackel_bench import checks
from stackel_bench.games.bandit import BanditGame
from stackel_bench.games.noise import Noise
from stackel_bench.models import PayoffTable


def trap(num_risky: int, noise: str, noise_scale: float) -> BanditGame:
    """Rows with tied responses worth 1 or 0 to the leader, and one row that is safely worth 1/2.

    The optimum is 1/2 and gap_eps = 0, yet picking any empirical best response risks a row worth 0.
    """
    rows = checks.integer("num_risky", num_risky, least=1)
    leader = np.full((rows + 1, 2), 0.5)
    leader[:rows] = (1.0, 0.0)
    return BanditGame(PayoffTable(leader, np.full((rows + 1, 2), 0.5)), Noise(noise, noise_scale))


INSTANCES = {
    "trap": trap,
}
