"""Counts of many episodes have the law of episodes played one by one, all layers jointly."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.streams import generator
from tests.goodness_of_fit import chi_square_p, two_sample_p
from tests.simulation.per_episode import (
    one_hot,
    play_one,
    play_until_doubled_one_by_one,
    random_mdp,
    tensor_histogram,
    tensor_law,
    trajectory_law,
)

FALSE_ALARM = 1e-4  # per p-value; seeds are fixed, so a pass stays a pass
DRAWS = 20_000


def _mixture(rng: np.random.Generator, shape: tuple[int, int, int]) -> PolicyMixture:
    horizon, states, actions = shape
    played = [
        (rng.integers(actions, size=(horizon, states)), length, int(rng.integers(1, 9)))
        for length in range(horizon + 1)
        for _ in range(2)
    ]
    return PolicyMixture.collect(shape, played)


def _mixture_law(mdp: FollowerMDP, mixture: PolicyMixture) -> list[tuple[np.ndarray, float]]:
    law = []
    for actions, weight, length in zip(mixture.actions, mixture.weights, mixture.lengths, strict=True):
        policy = one_hot(actions, mdp.shape[2])
        policy[length:] = 1 / mdp.shape[2]
        share = weight / mixture.weights.sum()
        law += [(counts, share * probability) for counts, probability in trajectory_law(mdp, policy)]
    return law


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("episodes", [1, 2, 3])
def test_whole_tensor_under_a_policy(seed: int, episodes: int) -> None:
    """Chi-square of the joint law of all layers against enumerated trajectories; false alarm 9e-4."""
    rng = generator("policy", seed)
    mdp = random_mdp(rng, (3, 2, 2) if episodes < 3 else (2, 2, 2), start=seed % 2)
    policy = rng.dirichlet(np.ones(2), size=mdp.shape[:2])
    simulator = EpisodeSimulator(mdp)
    draw_rng = generator("draw", episodes, seed)
    seen = tensor_histogram(lambda g: simulator.play(policy, episodes, g).counts, DRAWS, draw_rng)
    assert chi_square_p(seen, tensor_law(trajectory_law(mdp, policy), episodes)) > FALSE_ALARM


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("episodes", [1, 2])
def test_whole_tensor_under_a_mixture(seed: int, episodes: int) -> None:
    """The policy is drawn once per episode; chi-square against the exact law; false alarm 6e-4."""
    rng = generator("mixture", seed)
    mdp = random_mdp(rng, (3, 2, 2) if episodes == 1 else (2, 2, 2))
    mixture = _mixture(rng, mdp.shape)
    simulator = EpisodeSimulator(mdp)
    seen = tensor_histogram(
        lambda g: simulator.play_mixture(mixture, episodes, g).counts, DRAWS, generator("draw", seed)
    )
    single: dict[bytes, float] = tensor_law(_mixture_law(mdp, mixture), episodes)
    assert chi_square_p(seen, single) > FALSE_ALARM


def test_conditional_binomials_have_the_joint_law_too() -> None:
    """12 episodes of a 2-state chain: counts beyond the alias limit; exact law; false alarm 1e-4."""
    mdp = random_mdp(generator("chain"), (2, 2, 1))
    simulator = EpisodeSimulator(mdp)
    policy = np.ones(mdp.shape)
    seen = tensor_histogram(lambda g: simulator.play(policy, 12, g).counts, DRAWS, generator("draw"))
    assert chi_square_p(seen, tensor_law(trajectory_law(mdp, policy), 12)) > FALSE_ALARM


@pytest.mark.parametrize("episodes", [500, 2**40])
def test_means_and_all_covariances_across_layers(episodes: int) -> None:
    """Against exact values; the largest of about 10^3 z-scores stays below 5 (false alarm 1e-3).

    2e4 draws; a z-score of a covariance uses the fourth moments of a normal law.
    """
    mdp = random_mdp(generator("moments"), (3, 3, 2), concentration=2.0)
    mixture = _mixture(generator("moments", "mixture"), mdp.shape)
    law = _mixture_law(mdp, mixture)
    steps = np.array([counts.ravel() for counts, _ in law], dtype=float)
    chances = np.array([probability for _, probability in law])
    mean = chances @ steps
    covariance = (steps * chances[:, None]).T @ steps - np.outer(mean, mean)
    simulator = EpisodeSimulator(mdp)
    rng = generator("moments", "draw", episodes)
    draws = 20_000
    sample = np.array([simulator.play_mixture(mixture, episodes, rng).counts.ravel() for _ in range(draws)])
    centred = (sample - episodes * mean) / np.sqrt(episodes)
    alive = mean > 0
    variance = covariance.diagonal()[alive]
    z_mean = centred[:, alive].mean(axis=0) / np.sqrt(variance / draws)
    found = centred[:, alive].T @ centred[:, alive] / draws
    spread = np.sqrt((np.outer(variance, variance) + covariance[np.ix_(alive, alive)] ** 2) / draws)
    z_covariance = (found - covariance[np.ix_(alive, alive)]) / spread
    assert np.abs(z_mean).max() < 4.5
    assert np.abs(z_covariance).max() < 5.0
    assert 0.7 < np.sqrt((z_covariance**2).mean()) < 1.3


def test_counts_are_consistent_flows_at_two_to_the_53() -> None:
    mdp = random_mdp(generator("flow"), (4, 3, 2))
    for episodes in (0, 1, 2**31, 2**53):
        counts = EpisodeSimulator(mdp).play(np.full(mdp.shape, 0.5), episodes, generator("flow")).counts
        assert (counts.sum(axis=(1, 2, 3)) == episodes).all()
        assert (counts[:-1].sum(axis=(1, 2)) == counts[1:].sum(axis=(2, 3))).all()
        assert (counts[mdp.transitions == 0] == 0).all()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("first_batch", [1, 3])
def test_play_until_doubled_has_the_law_of_its_per_episode_twin(exact: bool, first_batch: int) -> None:
    """Two-sample chi-square of (episodes, whole count tensor) and of episodes alone; false alarm 2.4e-3.

    Prior counts of 0..6 make thresholds differ, so that batches overshoot and are halved.
    """
    for seed in range(3):
        rng = generator("doubling", seed)
        mdp = random_mdp(rng, (3, 2, 2), concentration=1.5)
        simulator = EpisodeSimulator(mdp)
        actions = rng.integers(2, size=(3, 2)).astype(np.int16)
        prior = rng.integers(0, 7, size=(3, 2, 2, 2))
        limit = int(rng.integers(6, 15))

        def run(play, rng: np.random.Generator, limit=limit, prior=prior) -> np.ndarray:
            counts = prior.copy()
            episodes = play(counts, limit, rng)
            return np.append(episodes, (counts - prior).ravel())

        def fast(
            counts: np.ndarray, limit: int, g: np.random.Generator, actions=actions, sim=simulator
        ) -> int:
            return sim.play_until_doubled(
                actions, counts, limit, g, layers=2, first_batch=first_batch, exact=exact
            )

        def slow(counts: np.ndarray, limit: int, g: np.random.Generator, actions=actions, mdp=mdp) -> int:
            return play_until_doubled_one_by_one(
                mdp, actions, counts, limit, g, layers=2, first_batch=first_batch, exact=exact
            )

        ours = [run(fast, generator("fast", seed, i)) for i in range(3000)]
        twin = [run(slow, generator("slow", seed, i)) for i in range(3000)]
        for part in (slice(0, 1), slice(None)):
            seen = [{}, {}]
            for histogram, sample in zip(seen, (ours, twin), strict=True):
                for outcome in sample:
                    key = outcome[part].tobytes()
                    histogram[key] = histogram.get(key, 0) + 1
            assert two_sample_p(*seen) > FALSE_ALARM


def test_exact_doubling_stops_at_the_doubling_itself() -> None:
    """With 10^9 earlier visits, the count that stopped the run has exactly doubled and no other has."""
    for seed in range(200):
        rng = generator("stop", seed)
        mdp = random_mdp(rng, (3, 3, 2))
        actions = rng.integers(2, size=(3, 3)).astype(np.int16)
        counts = rng.integers(1, 10**9, size=(3, 3, 2, 3))
        before = counts.sum(axis=3)
        EpisodeSimulator(mdp).play_until_doubled(
            actions, counts, 2**50, rng, layers=3, first_batch=1000, exact=True
        )
        gained = counts.sum(axis=3) - before
        assert (gained <= before).all()
        assert (gained == before).sum() >= 1


def test_queries_and_reward_sums() -> None:
    """Chi-square of one row per query count; binomial reward sums; false alarm 3e-4."""
    mdp = random_mdp(generator("query"), (2, 2, 2))
    simulator = EpisodeSimulator(mdp)
    visits = np.arange(8).reshape(2, 2, 2) * 5
    rng = generator("query", "draw")
    counts = np.array([simulator.query(visits, rng) for _ in range(5000)])
    assert (counts.sum(axis=4) == visits).all()
    rewards = np.array([simulator.reward_sums(visits, rng) for _ in range(5000)])
    law = {k: float(stats.binom.pmf(k, 35, mdp.transitions[1, 1, 1, 0])) for k in range(36)}
    values, times = np.unique(counts[:, 1, 1, 1, 0], return_counts=True)
    assert chi_square_p(dict(zip(map(int, values), map(int, times), strict=True)), law) > FALSE_ALARM
    for player, means in enumerate((mdp.leader_rewards, mdp.follower_rewards)):
        law = {k: float(stats.binom.pmf(k, 35, means[1, 1, 1])) for k in range(36)}
        values, times = np.unique(rewards[:, player, 1, 1, 1], return_counts=True)
        assert chi_square_p(dict(zip(map(int, values), map(int, times), strict=True)), law) > FALSE_ALARM


def test_deterministic_rewards_are_the_means() -> None:
    mdp = random_mdp(generator("plain"), (2, 2, 2))
    visits = np.arange(8).reshape(2, 2, 2)
    leader, follower = EpisodeSimulator(mdp, "deterministic").reward_sums(visits, generator("none"))
    np.testing.assert_array_equal(leader, visits * mdp.leader_rewards)
    np.testing.assert_array_equal(follower, visits * mdp.follower_rewards)


def test_a_simulator_hides_the_model_and_survives_pickling() -> None:
    mdp = random_mdp(generator("hidden"), (2, 3, 2), start=1)
    simulator = EpisodeSimulator(mdp)
    public = {name for name in vars(simulator) if not name.startswith("_")}
    assert public == {"noise", "shape", "initial_state"}
    copy = pickle.loads(pickle.dumps(simulator))
    policy = np.full(mdp.shape, 0.5)
    np.testing.assert_array_equal(
        copy.play(policy, 10**6, generator("x")).counts,
        simulator.play(policy, 10**6, generator("x")).counts,
    )


def test_mistakes_are_named() -> None:
    mdp = random_mdp(generator("mistakes"), (2, 2, 2))
    simulator = EpisodeSimulator(mdp)
    with pytest.raises(InputError, match="unknown noise 'gaussian'"):
        EpisodeSimulator(mdp, "gaussian")
    with pytest.raises(InputError, match=r"leader_rewards\[0,0,0\]: found 2"):
        EpisodeSimulator(FollowerMDP(mdp.transitions, mdp.leader_rewards * 0 + 2, mdp.follower_rewards))
    with pytest.raises(InputError, match="episodes: found"):
        simulator.play(np.full(mdp.shape, 0.5), 2**53 + 1, generator("x"))
    with pytest.raises(InputError, match="sum of policy"):
        simulator.play(np.full(mdp.shape, 0.4), 1, generator("x"))
    with pytest.raises(InputError, match=r"mixture\.actions\.shape"):
        simulator.play_mixture(PolicyMixture.uniform((3, 2, 2)), 1, generator("x"))


def test_a_mixture_merges_equal_prefixes_and_ignores_what_comes_after_them() -> None:
    first = np.array([[0, 1], [1, 1]])
    second = np.array([[0, 1], [0, 0]])
    mixture = PolicyMixture.collect((2, 2, 2), [(first, 1, 3), (second, 1, 4), (second, 2, 5), (first, 0, 0)])
    assert mixture.weights.tolist() == [7, 5]
    assert mixture.lengths.tolist() == [1, 2]
    assert len(PolicyMixture.collect((2, 2, 2), [])) == 1


def test_the_naive_reference_itself_follows_the_trajectory_law() -> None:
    """Chi-square of the per-episode reference; false alarm 1e-4."""
    rng = generator("reference")
    mdp = random_mdp(rng, (3, 2, 2))
    policy = rng.dirichlet(np.ones(2), size=(3, 2))

    def one(g: np.random.Generator) -> np.ndarray:
        counts = np.zeros((3, 2, 2, 2), dtype=np.int64)
        for step in play_one(mdp, policy, 3, g):
            counts[step] += 1
        return counts

    assert chi_square_p(tensor_histogram(one, DRAWS, rng), tensor_law(trajectory_law(mdp, policy), 1)) > 1e-4
