"""Games that are programs: real play has the law of simulated counts, runs can be cut, faults are named."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

import stackel_bench as sb
from stackel_bench.families.bandit_rl.programs import log
from stackel_bench.families.bandit_rl.programs.episodes import PlayedEpisodes
from stackel_bench.families.bandit_rl.programs.world import PlayError, Rules
from stackel_bench.families.learners import make_learner
from stackel_bench.learners.budget import make_budget
from stackel_bench.models import TieBreaking
from stackel_bench.notebook.results import merged
from stackel_bench.reporting.console.table import print_table
from stackel_bench.simulation import recording
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.recording import PieceOverError, Recorder
from stackel_bench.simulation.tally import EpisodeSource, Tally
from stackel_bench.streams import generator
from stackel_bench.trials.pieces import explore_unit
from stackel_bench.trials.programs import is_checkpoint
from stackel_bench.trials.trial import Trial
from tests.docs.code_blocks import ROOT
from tests.families.bandit_rl.table_env import GAME, TableEnv, make_env

FALSE_ALARM = 1e-5  # of one test


def both_sources(env: type[TableEnv] = TableEnv) -> list[EpisodeSource]:
    mdp = GAME.mdps[1]
    played = PlayedEpisodes(lambda action: env(GAME.mdps[action]), 1, Rules(mdp.shape[0]), Recorder())
    return [EpisodeSimulator(mdp), played]


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


def chances(kind: str, env: type[TableEnv] = TableEnv) -> list[float]:
    """p-values of 3000 episodes of each source: transitions by layer, then both rewards of all triples."""
    sources = both_sources(env)
    simulated, played = (play(source, kind, 3000) for source in sources)
    sources[0].draw_rewards(simulated, generator("rewards"))
    assert (played.rewarded == played.visits()).all()
    found = []
    for layer in range(3):
        table = np.stack([simulated.counts[layer].ravel(), played.counts[layer].ravel()])
        assert (table.sum(axis=1) == 3000).all()
        found.append(stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)
    seen = np.minimum(simulated.visits(), played.visits()) >= 30
    visits = [tally.visits()[seen] for tally in (simulated, played)]
    for name in ("leader_sums", "follower_sums"):
        sums = [getattr(tally, name)[seen] for tally in (simulated, played)]
        mean = sum(sums) / sum(visits)
        variance = mean * (1 - mean) * (1 / visits[0] + 1 / visits[1])
        known = variance > 0
        squares = (sums[0] / visits[0] - sums[1] / visits[1])[known] ** 2 / variance[known]
        found.append(stats.chi2.sf(squares.sum(), len(squares)))
    return found


@pytest.mark.parametrize("kind", ["policy", "mixture", "uniform"])
def test_a_table_wrapped_as_an_environment_has_the_law_of_simulated_counts(kind: str) -> None:
    """Five tests of two samples, false alarm 5e-5 together."""
    assert min(chances(kind)) > FALSE_ALARM


class WrongStates(TableEnv):
    def step(self, action: int) -> tuple[Any, ...]:
        stays, before = self.random.random() < 0.1, self.state
        found = super().step(action)
        self.state = before if stays else self.state
        return self.state, *found[1:]


class WrongLeader(TableEnv):
    def answer(self, earned: list[float]) -> tuple[Any, ...]:
        return super().answer([earned[0] and float(self.random.random() < 0.9), earned[1]])


class OldActions(TableEnv):
    """What is earned is that of another action, whose turn it is."""

    def step(self, action: int) -> tuple[Any, ...]:
        self.means = tuple([[list(reversed(x)) for x in row] for row in table] for table in self.means)
        return super().step(action)


@pytest.mark.parametrize(
    ("env", "which"), [(WrongStates, [0, 1, 2]), (WrongLeader, [3]), (OldActions, [3, 4])]
)
def test_another_law_is_seen(env: type[TableEnv], which: list[int]) -> None:
    found = chances("policy", env)
    assert max(found[i] for i in which) < FALSE_ALARM


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


class CutAfter(Recorder):
    """Over before an episode that is so many episodes away."""

    episodes = 10**9

    def over(self) -> bool:
        self.episodes -= 1
        return self.episodes < 0


@pytest.mark.parametrize("full", [1, 12, 8192])
@pytest.mark.parametrize("cut", [1, 5, 7, 13, 17, 10**9])
def test_doubling_is_looked_for_where_it_was_wherever_a_run_is_cut_or_counted(
    full: int, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts double after 6 episodes; they are looked at after 4, 8, 16, ... of them."""
    monkeypatch.setattr(log, "FULL", full)
    recorder, stops = CutAfter(), None
    while stops is None:
        recorder = CutAfter(recorder.saved())
        recorder.episodes = cut
        source = PlayedEpisodes(make_env, 1, Rules(3), recorder)
        rng, tally = generator("cut"), Tally.empty((3, 3, 2))
        tally.counts[0, source.initial_state, 0, 0] = 6
        with contextlib.suppress(PieceOverError):
            actions = np.zeros((3, 3), dtype=np.int16)
            stops = source.play_until_doubled(actions, tally, 64, rng, layers=1, first_batch=4)
    assert stops == 8


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("raises", "raises ValueError: no money"),
        ("hangs", "takes longer than game.episode_seconds"),
        ("nan", "follower's reward is nan"),
        ("range", "leader's reward is 7.0, not in"),
        ("missing", "info has no number 'leader_reward': {}"),
        ("words", "follower's reward is 'much', not a number"),
        ("state", "state 99, action .: a state must be an integer in 0..2"),
        ("exits", "raises SystemExit: 3"),
        ("gives up", "raises GeneratorExit"),
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


def test_an_environment_that_is_never_made_is_given_up() -> None:
    with pytest.raises(PlayError, match="leader action 1: make_env takes longer than"):
        PlayedEpisodes(lambda action: time.sleep(60), 1, Rules(3, episode_seconds=0.1), Recorder())


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
    """Decided, played out, reported; a game beside it whose truth is known is judged."""
    good = sb.EnvGame(make_env, num_leader_actions=2, horizon=3, evaluation_episodes=40)
    options = {"budget": "fixed", "samples": 60, "replicates": 1, "epsilon": 0.3, "execution": "serial"}
    alone = sb.sweep(game=good, **options)
    assert "Nobody knows the truth" in alone.report(tmp_path / "alone.html").read_text()
    seen = Console(file=io.StringIO(), width=100)
    print_table(seen, alone._sweep)
    lines = seen.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= 100
    assert any("pessimistic" in line and "1 of 1" in line for line in lines)  # no number or word is cut
    assert any("tie-breaking" in line and "leader_action" in line for line in lines)
    cells = merged([alone, sb.sweep(game="bandit/trap", **options)]).cells.set_index("family")
    assert np.isnan(cells.loc["bandit_rl", "failure_probability"])
    assert cells.loc["bandit_rl", "verdict"] == ""
    assert cells.loc["bandit", "verdict"] != ""
    low, value, high = (cells.loc["bandit_rl", f"played_leader_value{end}"] for end in ("_low", "", "_high"))
    assert 0 <= low <= value <= high <= 3


class Maker:
    """make_env as an object, and as its method."""

    def __init__(self, which: Any) -> None:
        self.which = which

    def __call__(self, leader_action: int) -> TableEnv:
        return make_env(leader_action)

    make = __call__


def bound(way: str, value: Any) -> Any:
    """make_env, bound to a value in this way."""
    if way == "closure":
        return lambda action: make_env(action) if value is not None else None
    if way == "default":
        return lambda action, value=value: make_env(action)
    if way == "partial":
        return functools.partial(lambda action, value: make_env(action), value=value)
    return Maker(value) if way == "object" else Maker(value).make


@pytest.mark.parametrize("way", ["closure", "default", "partial", "object", "method"])
def test_a_game_is_what_its_program_is_bound_to(way: str) -> None:
    """Plain numbers, and arrays inside of something."""

    def identity(value: Any) -> str:
        return sb.EnvGame(bound(way, value), num_leader_actions=2, horizon=3).identity

    assert identity(1) == identity(1) != identity(2)
    assert identity({"a": np.zeros(3)}) == identity({"a": np.zeros(3)}) != identity({"a": np.ones(3)})


def test_the_page_names_the_columns_that_need_a_truth() -> None:
    """Those that a table has and the same table, wrapped as a program, has not."""
    options = {"budget": "fixed", "samples": 60, "replicates": 2, "epsilon": 0.3, "execution": "serial"}
    program = sb.EnvGame(make_env, num_leader_actions=2, horizon=3)
    wrapped, table = (sb.sweep(game=game, **options).cells.replace("", np.nan) for game in (program, GAME))
    missing = set(table.columns[table.notna().any()]) - set(wrapped.columns[wrapped.notna().any()])
    _, _, page = (ROOT / "docs" / "programs.md").read_text("utf-8").partition("Columns that need a truth")
    named = re.findall(r"`(\w+)`", page.partition("\n\n")[0])
    assert missing
    assert {column for column in missing if not column.startswith(tuple(named))} == set()
    assert {name for name in named if not any(column.startswith(name) for column in missing)} == set()


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
