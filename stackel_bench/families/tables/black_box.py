"""Games of action pairs of which only a simulator is known: everybody can sample, nobody knows the truth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.from_outside import program_builder
from stackel_bench.families.sizes import PAIRS
from stackel_bench.families.tables.black_box_sampler import BlackBoxSampler, Simulate
from stackel_bench.games.identity import digest_of_arrays, program_labels
from stackel_bench.games.played_values import PlayedValues, played_values
from stackel_bench.learners.decision import Decision
from stackel_bench.streams import KeyPart, generator
from stackel_bench.text import ShortRepr

_ALLOWED = "a function (leader_action, follower_action, pulls, rng) -> (leader sum, follower sum)"


@dataclass(frozen=True, eq=False, repr=False)
class BlackBoxGame(ShortRepr):
    """A simulator of a game with unknown means; family: bandit, or simultaneous (the leader mixes).

    Learners work as on any such game. What needs the truth (values, gaps, suboptimality) raises an
    InputError; `stackel_bench.certificate` says what a decision is worth with high probability. Single
    rewards lie in reward_range and are scaled to [0,1]; or reward_range is None and sub_gaussian_scale is the
    user's word on their tails. pulls_per_call bounds the pulls that simulate is asked for at once, so that
    long runs can be cut there.
    """

    simulate: Simulate = field(repr=False)
    num_leader_actions: int
    num_follower_actions: int
    sub_gaussian_scale: float = 0.5
    reward_range: Sequence[float] | None = None
    pulls_per_call: int | None = None
    evaluation_episodes: int = 200  # fresh pulls, that say what a decision is worth
    call_seconds: float | None = 600.0  # that one call of simulate may take
    family: str = "bandit"
    name: str = "bandit/black_box"  # together with the sizes it keys the random streams
    identity: str = ""

    def __post_init__(self) -> None:
        if not callable(self.simulate):
            raise InputError("simulate", self.simulate, _ALLOWED)
        checks.integer("num_leader_actions", self.num_leader_actions, least=1)
        checks.integer("num_follower_actions", self.num_follower_actions, least=1)
        checks.integer("evaluation_episodes", self.evaluation_episodes, least=0)
        if self.pulls_per_call is not None:
            checks.integer("pulls_per_call", self.pulls_per_call, least=1)
        if self.call_seconds is not None:
            checks.real("call_seconds", self.call_seconds, least=0, open_least=True)
        scale = checks.real("sub_gaussian_scale", self.sub_gaussian_scale, least=0, open_least=True)
        if not self.identity:
            played = (scale, self._range, self.pulls_per_call, self.evaluation_episodes)
            labels = (self.name, *self.sizes.values(), *played, *program_labels(self.simulate))
            digest = digest_of_arrays(self.family, (), *labels)
            object.__setattr__(self, "identity", digest)

    @property
    def _range(self) -> tuple[float, float] | None:
        return None if self.reward_range is None else checks.interval("reward_range", self.reward_range)

    @property
    def programs(self) -> tuple[Callable[..., Any], ...]:
        """The function that this game rests on."""
        return (self.simulate,)

    @property
    def sampler(self) -> BlackBoxSampler:
        """All that a learner gets."""
        shape = (self.num_leader_actions, self.num_follower_actions)
        scale = self.sub_gaussian_scale if self._range is None else 0.5
        return BlackBoxSampler(
            self.simulate, shape, scale, self._range, self.pulls_per_call, self.call_seconds
        )

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        return {name: getattr(self, name) for name in PAIRS}

    def play_out(self, decision: Decision, key: tuple[KeyPart, ...]) -> PlayedValues | None:
        """What both players earn in fresh pulls of the decision."""
        plays = self.evaluation_episodes
        if not plays:
            return None
        rng, sampler = generator(*key, "play out"), self.sampler
        if decision.leader_strategy is None:
            actions = np.full(plays, decision.leader_action)
        else:
            actions = rng.choice(self.num_leader_actions, plays, p=decision.leader_strategy)
        response = int(decision.follower_response)
        earned = np.array([sampler.sums(int(action), response, 1, rng) for action in actions])
        low, high = (-np.inf, np.inf) if self._range is None else (0.0, 1.0)
        return played_values(earned[:, 0], earned[:, 1], low, high)


def simulator_of(family: str) -> Callable[..., Any]:
    """A builder of games whose simulator is a function in a file or a module."""
    functions = {"simulate": ("simulate", f"FILE:simulate, {_ALLOWED}")}
    return program_builder(BlackBoxGame, functions, family=family, name=f"{family}/simulator")
