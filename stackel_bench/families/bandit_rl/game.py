"""Bandit-RL games: each leader action sets the episodic MDP that the follower plays in."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.games.identity import digest_of_arrays
from stackel_bench.games.noise import Noise
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.episodes import NOISES, EpisodeSimulator
from stackel_bench.text import ShortRepr


@dataclass(frozen=True, eq=False)
class EpisodeSampler:
    """Sampling access to a bandit-RL game; the MDPs themselves are out of a learner's sight."""

    block_size: ClassVar[int] = 1  # a replicate explores by itself
    job_per_unit: ClassVar[bool] = True  # one reward-free exploration job per leader action
    simulated: ClassVar[bool] = True  # counts are drawn, any number of them
    _mdps: Mapping[int, FollowerMDP] = field(repr=False)  # by leader action; a job has its own alone
    _noise: Noise
    num_leader_actions: int  # A: how many MDPs the game has
    _simulators: dict[int, EpisodeSimulator] = field(default_factory=dict, repr=False)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(horizon H, number of states S, number of follower actions B)."""
        return next(iter(self._mdps.values())).shape

    def simulator(self, leader_action: int) -> EpisodeSimulator:
        """Episodes in the MDP that this leader action sets; its tables are made once."""
        if leader_action not in self._simulators:
            simulator = EpisodeSimulator(self._mdps[leader_action], self._noise.kind)
            self._simulators[leader_action] = simulator
        return self._simulators[leader_action]


@dataclass(frozen=True, eq=False)
class LeaderActionModel:
    """One leader action's part of a bandit-RL game: samples of it, and its truth if that is known."""

    family: str
    identity: str  # of the whole game
    sampler: Any
    mdps: Mapping[int, FollowerMDP] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class BanditRLGame(ShortRepr):
    """One follower MDP per leader action (the truth), all of one shape, and the noise of single rewards."""

    family: ClassVar[str] = "bandit_rl"
    mdps: tuple[FollowerMDP, ...]
    noise: Noise = field(default_factory=Noise)
    name: str = "bandit_rl/explicit"
    identity: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mdps", tuple(self.mdps))
        if not self.mdps:
            raise InputError("mdps", self.mdps, "at least one follower MDP")
        checks.choice("noise", self.noise.kind, NOISES)
        for action, mdp in enumerate(self.mdps):
            if mdp.shape != self.mdps[0].shape:
                raise InputError(f"mdps[{action}].shape", mdp.shape, f"{self.mdps[0].shape}, that of mdps[0]")
            for rewards in ("leader_rewards", "follower_rewards"):
                means = getattr(mdp, rewards)
                bad = (means < 0) | (means > 1)
                checks.reject_first(f"mdps[{action}].{rewards}", means, bad, "mean rewards in [0, 1]")
        if not self.identity:
            digest = digest_of_arrays(self.family, self._arrays(), self.noise)
            object.__setattr__(self, "identity", digest)

    def _arrays(self) -> Iterator[np.ndarray]:
        for mdp in self.mdps:
            yield from (mdp.transitions, mdp.leader_rewards, mdp.follower_rewards)
            yield np.array([mdp.initial_state])

    @functools.cached_property
    def sampler(self) -> EpisodeSampler:
        """All that a learner gets."""
        return EpisodeSampler(dict(enumerate(self.mdps)), self.noise, len(self.mdps))

    def only(self, leader_action: int) -> LeaderActionModel:
        """What exploring this leader action needs, and no other MDP of the game."""
        mdp = self.mdps[leader_action]
        sampler = EpisodeSampler({leader_action: mdp}, self.noise, len(self.mdps))
        return LeaderActionModel(self.family, self.identity, sampler, {leader_action: mdp})

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "sampler"}  # made anew

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        return sizes_of(len(self.mdps), self.mdps[0].shape)


def sizes_of(num_leader_actions: int, shape: tuple[int, int, int]) -> dict[str, int]:
    """The sizes of a game whose MDPs have this shape, by name."""
    horizon, states, actions = shape
    return {
        "num_leader_actions": num_leader_actions,
        "num_follower_actions": actions,
        "num_states": states,
        "horizon": horizon,
    }
