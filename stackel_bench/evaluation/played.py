"""What decisions are worth where nobody knows the truth: played out in fresh samples."""

from typing import Any

import numpy as np

from stackel_bench.games.played_values import PlayedValues
from stackel_bench.learners.decision import Decisions
from stackel_bench.streams import KeyPart

PLAYED = "played_"  # what the names of such columns start with


def played_columns(game: Any, decisions: Decisions, key: tuple[KeyPart, ...]) -> dict[str, np.ndarray]:
    """Columns [R,K] of means and intervals for both players; none if the game cannot be played out."""
    play_out = getattr(game, "play_out", None)
    if play_out is None:
        return {}
    columns = {name: np.full(decisions.shape, np.nan) for name in PlayedValues._fields}
    for replicate, rung in np.ndindex(decisions.shape):
        found = play_out(decisions.at(replicate, rung), (*key, replicate, rung))
        if found is None:
            return {}
        for name, value in found._asdict().items():
            columns[name][replicate, rung] = value
    return columns
