"""Bandit-RL games of which only an environment per leader action is known: played, never looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.certificate import certified_error
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.game import LeaderActionModel, sizes_of
from stackel_bench.families.bandit_rl.programs.episodes import PlayedEpisodes
from stackel_bench.families.bandit_rl.programs.kept_call import counts_so_far
from stackel_bench.families.bandit_rl.programs.world import MakeEnv, Rules
from stackel_bench.families.from_outside import program_builder
from stackel_bench.games.identity import digest_of_arrays, program_labels
from stackel_bench.games.played_values import PlayedValues, played_values
from stackel_bench.learners.decision import Decision
from stackel_bench.simulation.recording import Checkpoint, Recorder
from stackel_bench.streams import KeyPart, generator
from stackel_bench.text import ShortRepr


@dataclass(frozen=True, eq=False)
class ProgramSampler:
    """Sampling access to environments; each is made when its leader action is first asked for."""

    block_size: ClassVar[int] = 1
    job_per_unit: ClassVar[bool] = True
    simulated: ClassVar[bool] = False
    _make_env: MakeEnv = field(repr=False)
    _rules: Rules
    num_leader_actions: int
    shape: tuple[int, int, int]  # (horizon H, number of states S, number of follower actions B)
    _recorder: Recorder = field(default_factory=Recorder, repr=False)
    _sources: dict[int, PlayedEpisodes] = field(default_factory=dict, repr=False)

    def simulator(self, leader_action: int) -> PlayedEpisodes:
        """Episodes of this leader action."""
        if leader_action not in self._sources:
            source = PlayedEpisodes(self._make_env, leader_action, self._rules, self._recorder)
            if source.shape != self.shape:
                raise InputError(f"shape of leader action {leader_action}", source.shape, str(self.shape))
            self._sources[leader_action] = source
        return self._sources[leader_action]

    def recorded(self, recorder: Recorder) -> ProgramSampler:
        """The same sampler, whose calls are answered from the recorder first, and kept there."""
        return replace(self, _recorder=recorder, _sources={})

    def certificates(self, saved: Checkpoint, delta: float) -> dict[int, float]:
        """By leader action the error of values that all episodes until the run was cut certify."""
        goal = Goal(1.0, delta, self.num_leader_actions)  # no bound depends on the first number
        counts = counts_so_far(saved, self.shape)
        start = {action: self.simulator(action).initial_state for action in counts}
        return {action: certified_error(counts[action], start[action], goal) for action in counts}

    def close(self) -> None:
        """Close all environments."""
        while self._sources:
            self._sources.popitem()[1].close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_recorder": Recorder(), "_sources": {}}


@dataclass(frozen=True, eq=False, repr=False)
class EnvGame(ShortRepr):
    """An environment per leader action, with Gymnasium's `reset(seed=...)` and `step(action)`.

    Observations are states: Discrete, or made so by `discretise` and `num_states`. The follower's reward is
    what `step` returns, the leader's is `info["leader_reward"]`; both lie in reward_range (the leader's in
    leader_reward_range, if that is given) and are scaled to [0,1]. An episode has `horizon` steps and starts
    in one state; where it terminates it stays, with reward 0. Same seed of `reset`, same episode.
    """

    family: ClassVar[str] = "bandit_rl"
    make_env: MakeEnv = field(repr=False)
    num_leader_actions: int
    horizon: int
    num_states: int | None = None
    discretise: Callable[[Any], int] | None = field(default=None, repr=False)
    reward_range: Sequence[float] = (0.0, 1.0)
    leader_reward_range: Sequence[float] | None = None
    evaluation_episodes: int = 200  # fresh ones, that say what a decision is worth
    episode_seconds: float | None = 60.0  # that one episode, or make_env, may take
    name: str = "bandit_rl/environment"
    identity: str = ""
    sampler: ProgramSampler = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for what in ("make_env", "discretise"):
            function = getattr(self, what)
            if not callable(function) and not (what == "discretise" and function is None):
                raise InputError(what, function, "a function")
        checks.integer("num_leader_actions", self.num_leader_actions, least=1)
        checks.integer("horizon", self.horizon, least=1)
        if self.num_states is not None:
            checks.integer("num_states", self.num_states, least=1)
        checks.integer("evaluation_episodes", self.evaluation_episodes, least=0)
        if self.episode_seconds is not None:
            checks.real("episode_seconds", self.episode_seconds, least=0, open_least=True)
        follower = leader = checks.interval("reward_range", self.reward_range)
        if self.leader_reward_range is not None:
            leader = checks.interval("leader_reward_range", self.leader_reward_range)
        rules = Rules(self.horizon, self.num_states, self.discretise, leader, follower, self.episode_seconds)
        first = PlayedEpisodes(self.make_env, 0, rules, Recorder())
        first.close()
        sampler = ProgramSampler(self.make_env, rules, self.num_leader_actions, first.shape)
        object.__setattr__(self, "sampler", sampler)
        if not self.identity:
            labels = (self.name, *self.sizes.values(), leader, follower, self.evaluation_episodes)
            digest = digest_of_arrays(self.family, (), *labels, *program_labels(*self.programs))
            object.__setattr__(self, "identity", digest)

    @property
    def programs(self) -> tuple[Callable[..., Any], ...]:
        """The functions that this game rests on."""
        return (self.make_env,) if self.discretise is None else (self.make_env, self.discretise)

    def only(self, leader_action: int) -> LeaderActionModel:
        """What exploring this leader action needs."""
        return LeaderActionModel(self.family, self.identity, self.sampler)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        return sizes_of(self.num_leader_actions, self.sampler.shape)

    def play_out(self, decision: Decision, key: tuple[KeyPart, ...]) -> PlayedValues | None:
        """What both players earn in fresh episodes of the decision: a policy against its leader action."""
        if not self.evaluation_episodes:
            return None
        assert decision.leader_action is not None
        source, rng = self.sampler.simulator(decision.leader_action), generator(*key, "play out")
        policy = np.asarray(decision.follower_response)
        follower, leader = source.returns(policy, self.evaluation_episodes, rng)
        return played_values(leader, follower, 0.0, float(self.horizon))


_ENVIRONMENT = "FILE:make_env, where make_env(leader_action) is an environment"
gymnasium_game = program_builder(
    EnvGame, {"make": ("make_env", _ENVIRONMENT), "discretise": ("discretise", "FILE:function")}
)
