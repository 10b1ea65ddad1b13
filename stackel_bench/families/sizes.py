"""The sizes that games have, with their letters: for labels, axes, columns and exponents."""

from typing import NamedTuple


class Size(NamedTuple):
    """A size of a game: its letter in the paper, and what it counts."""

    symbol: str
    definition: str


SIZES = {
    "num_leader_actions": Size("A", "leader actions of the game"),
    "num_follower_actions": Size("B", "follower actions (in each state, if any)"),
    "num_states": Size("S", "states of the follower's decision process"),
    "horizon": Size("H", "steps of an episode"),
    "dimension": Size("d", "dimension of the features of a linear game"),
}
PAIRS = {name: SIZES[name] for name in ("num_leader_actions", "num_follower_actions")}
