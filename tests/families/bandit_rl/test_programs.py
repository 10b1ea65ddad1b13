"""Games that are programs: real play has the law of simulated counts, runs can be cut, faults are named."""

from __future__ import annotations

import random
import time
from bisect import bisect_right
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stackel_bench as sb
from stackel_bench.families.bandit_rl.programs.episodes import PlayedEpisodes
from stackel_bench.families.bandit_rl.programs.world import PlayError, Rules
from stackel_bench.families.learners import make_learner
from stackel_bench.learners.budget import make_budget
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.simulation import recording
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.recording import Recorder
from stackel_bench.simulation.tally import EpisodeSource, Tally
from stackel_bench.streams import generator
from stackel_bench.trials.pieces import explore_unit, is_checkpoint
from stackel_bench.trials.trial import Trial

GAME: Any = sb.load_game(
    "bandit_rl/random", num_leader_actions=2, num_follower_actions=2, num_states=3, horizon=3
)
FALSE_ALARM = 1e-5  # of one test


class Space:
    def __init__(self, n: int, start: int = 0) -> None:
        self.n, self.start = n, start


class TableEnv:
    """A follower MDP, played step by step; actions are counted from 1."""

    def __init__(self, mdp: FollowerMDP, fault: str = "") -> None:
        self.laws = np.cumsum(mdp.transitions, axis=3)[..., :-1].tolist()
        self.means = (mdp.leader_rewards.tolist(), mdp.follower_rewards.tolist())
        self.observation_space, self.action_space = Space(mdp.shape[1]), Space(mdp.shape[2], start=1)
        self.start, self.fault, self.steps = mdp.initial_state, fault, 0

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.random, self.layer, self.state = random.Random(seed), 0, self.start
        return self.state, {}

    def step(self, action: int) -> tuple[Any, ...]:
        here = (self.layer, self.state, action - 1)
        law, leader, follower = (table[here[0]][here[1]][here[2]] for table in (self.laws, *self.means))
        earned = [float(self.random.random() < mean) for mean in (leader, follower)]
        self.state, self.layer = bisect_right(law, self.random.random()), self.layer + 1
        self.steps += 1
        return self.told(earned) if self.fault and self.steps > 20 else self.answer(earned)

    def answer(self, earned: list[float]) -> tuple[Any, ...]:
        return self.state, earned[1], False, False, {"leader_reward": earned[0]}

    def told(self, earned: list[float]) -> tuple[Any, ...]:
        """What a faulty environment does after a while."""
        state, follower, _, _, info = self.answer(earned)
        if self.fault == "raises":
            raise ValueError("no money")
        if self.fault == "hangs":
            time.sleep(60)
        follower = float("nan") if self.fault == "nan" else follower
        info = {"leader_reward": 7.0} if self.fault == "range" else {} if self.fault == "missing" else info
        state = 99 if self.fault == "state" else state
        return state, follower, self.fault == "ends", self.fault == "cut", info


def make_env(leader_action: int) -> TableEnv:
    return TableEnv(GAME.mdps[leader_action])


def both_sources() -> list[EpisodeSource]:
    mdp = GAME.mdps[1]
    return [EpisodeSimulator(mdp), PlayedEpisodes(make_env, 1, Rules(mdp.shape[0]), Recorder())]


def play(source: EpisodeSource, kind: str, episodes: int) -> Tally:
    rng = generator("law", kind, type(source).__name__)
    policy = generator("policy").dirichlet(np.ones(2), (3, 3))
    actions = generator("actions").integers(0, 2, (3, 3, 3)).astype(np.int16)
    mixture = PolicyMixture(actions, np.array([1, 3, 2]), np.array([0, 2, 3]))
    if kind == "policy":
        return source.play(policy, episodes, rng)
    return source.play_mixture(
        mixture if kind == "mixture" else PolicyMixture.uniform((3, 3, 2)), episodes, rng
    )


@pytest.mark.parametrize("kind", ["policy", "mixture", "uniform"])
def test_a_table_wrapped_as_an_environment_has_the_law_of_simulated_counts(kind: str) -> None:
    """Transitions layer by layer, and both rewards: 5 tests of two samples, false alarm 5e-5 together."""
    simulated, played = (play(source, kind, 3000) for source in both_sources())
    both_sources()[0].draw_rewards(simulated, generator("rewards"))
    for layer in range(3):
        table = np.stack([simulated.counts[layer].ravel(), played.counts[layer].ravel()])
        seen = table[:, table.sum(axis=0) > 0]
        assert (table.sum(axis=1) == 3000).all()
        assert stats.chi2_contingency(seen).pvalue > FALSE_ALARM
    assert (played.rewarded == played.visits()).all()
    for name in ("leader_sums", "follower_sums"):
        sums = [getattr(tally, name).sum() for tally in (simulated, played)]
        table = np.array([[earned, 9000 - earned] for earned in sums])
        assert stats.chi2_contingency(table).pvalue > FALSE_ALARM  # steps of an episode vary less than that


@pytest.mark.parametrize("exact", [True, False])
def test_doubling_stops_alike(exact: bool) -> None:
    """Numbers of episodes until a count has doubled, KS of 150 runs each; false alarm 1e-5."""
    actions = np.zeros((3, 3), dtype=np.int16)
    found = []
    for source in both_sources():
        stops = []
        for run in range(150):
            rng, tally = generator("stop", run, type(source).__name__), Tally.empty((3, 3, 2))
            first = source.play_until_doubled(actions, tally, 6, rng, layers=3, first_batch=6)
            second = source.play_until_doubled(actions, tally, 100, rng, layers=3, first_batch=2, exact=exact)
            assert tally.visits()[0].sum() == first + second
            stops.append(second)
        found.append(stops)
    assert stats.ks_2samp(*found).pvalue > FALSE_ALARM


@pytest.mark.parametrize("explorer", ["uniform", "rf_ucrl", "reward_free_explore"])
def test_a_run_that_is_cut_anywhere_finds_the_same_bits(
    explorer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = sb.EnvGame(make_env, num_leader_actions=2, horizon=3)
    learner = make_learner("bandit_rl", "paper", explorer=explorer)
    schedule = learner.schedule(game.sampler, make_budget("fixed", epsilon=0.2, samples=160))
    assignment = Trial(game, learner, schedule, tuple(TieBreaking), 1, 0).assignment
    whole = explore_unit(assignment, game.only(1), 1, range(1))
    clock = iter(range(10**9))
    monkeypatch.setattr(recording.time, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(recording, "_REPLAY_SHARE", 0.0)
    content, pieces = b"", 0
    while not content or is_checkpoint(content):  # a piece is over after some readings of the clock
        content, pieces = (
            explore_unit(assignment, game.only(1), 1, range(1), content, 7.0 + pieces),
            pieces + 1,
        )
    assert pieces > 3
    assert content == whole


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("raises", "raises ValueError: no money"),
        ("hangs", "takes longer than game.episode_seconds"),
        ("nan", "follower's reward is nan"),
        ("range", "leader's reward is 7.0, not in"),
        ("missing", "info has no 'leader_reward'"),
        ("state", "99"),
        ("cut", "before game.horizon=3"),
        ("ends", "some episodes go on and others have terminated"),
    ],
)
def test_faults_are_told_in_a_sentence(fault: str, words: str) -> None:
    rules = Rules(3, episode_seconds=0.2)
    source = PlayedEpisodes(lambda a: TableEnv(GAME.mdps[a], fault), 1, rules, Recorder())
    with pytest.raises(PlayError, match=words) as found:
        source.play_mixture(PolicyMixture.uniform((3, 3, 2)), 50, generator("fault"))
    assert str(found.value).startswith("leader action 1, step ")


def test_terminated_episodes_stay_where_they_ended() -> None:
    class Ends(TableEnv):
        def answer(self, earned: list[float]) -> tuple[Any, ...]:
            return 2, earned[1], True, False, {"leader_reward": 1.0}

    source = PlayedEpisodes(lambda a: Ends(GAME.mdps[a]), 0, Rules(3), Recorder())
    if source.initial_state == 2:
        pytest.skip("this game starts where episodes end")
    tally = source.play_mixture(PolicyMixture.uniform((3, 3, 2)), 40, generator("ends"))
    assert tally.visits()[:, 2].sum(axis=1).tolist() == [0, 40, 40]
    assert tally.leader_sums.sum() == 40


def test_results_without_a_truth(tmp_path: Path) -> None:
    """One faulty game fails with its sentence, the other is decided, played out, reported."""
    good = sb.EnvGame(make_env, num_leader_actions=2, horizon=3, evaluation_episodes=40)
    options = {"budget": "fixed", "samples": 60, "replicates": 2, "epsilon": 0.3, "output": None}
    results = sb.sweep(game=[good, "bandit/trap"], algorithm=["paper"], **options)
    cells = results.cells.set_index("family")
    assert np.isnan(cells.loc["bandit_rl", "failure_probability"])
    assert cells.loc["bandit_rl", "verdict"] == ""
    assert cells.loc["bandit", "verdict"] != ""
    low, value, high = (cells.loc["bandit_rl", f"played_leader_value{end}"] for end in ("_low", "", "_high"))
    assert 0 <= low <= value <= high <= 3
    assert "Nobody knows the truth" in results.report(tmp_path / "mixed.html").read_text()
    alone = sb.sweep(game=[good], algorithm=["paper"], **options)
    assert "Nobody knows the truth" in alone.report(tmp_path / "alone.html").read_text()


def test_refusals() -> None:
    game = sb.EnvGame(make_env, num_leader_actions=2, horizon=3)
    with pytest.raises(sb.InputError, match="a program really plays"):
        sb.learn(game, epsilon=0.3)
    with pytest.raises(sb.InputError, match="plays episodes from their start"):
        sb.learn(game, epsilon=0.3, budget="fixed", samples=100, explorer="generative")
    with pytest.raises(sb.InputError, match=r"game\.make"):
        sb.load_game("bandit_rl/gymnasium")
    with pytest.raises(sb.InputError, match="truth is known"):
        sb.leader_values(game)
