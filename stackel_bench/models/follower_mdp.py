"""A follower MDP: what one leader action makes of the follower's episode, with both players' rewards."""

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.text import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class FollowerMDP(ShortRepr):
    """Transitions [H,S,B,S] with rows that sum to 1, two rewards [H,S,B], and where every episode starts."""

    transitions: np.ndarray
    leader_rewards: np.ndarray
    follower_rewards: np.ndarray
    initial_state: int = 0

    def __post_init__(self) -> None:
        transitions = checks.array("transitions", self.transitions, shape=(None, None, None, None))
        horizon, states, actions, successors = transitions.shape
        if successors != states:
            raise InputError("transitions.shape", transitions.shape, "[H,S,B,S], same S twice")
        checks.distributions("transitions", transitions)
        shape = (horizon, states, actions)
        object.__setattr__(self, "transitions", transitions)
        for name in ("leader_rewards", "follower_rewards"):
            object.__setattr__(self, name, checks.array(name, getattr(self, name), shape=shape))
        start = checks.integer("initial_state", self.initial_state, least=0, most=states - 1)
        object.__setattr__(self, "initial_state", start)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(horizon H, number of states S, number of follower actions B)."""
        return self.leader_rewards.shape
