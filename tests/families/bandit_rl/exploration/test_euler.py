"""EULER's plan against its formulas in plain numpy, and its batched run against one episode at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from stackel_bench.families.bandit_rl.exploration.euler import EulerSettings, euler_policy, euler_run
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import generator
from tests.simulation.per_episode import play_until_doubled_one_by_one, random_mdp

FALSE_ALARM = 1e-4


def _reference_policy(counts: np.ndarray, target: int, log_term: float, value_range: float) -> np.ndarray:
    """The specialised recursion, written with whole arrays; ties to the least visited, then the lowest."""
    layers, states = counts.shape[:2]
    up = np.eye(states)[target]
    low = up.copy()
    policy = np.zeros((layers, states), dtype=int)
    for h in range(layers - 1, -1, -1):
        n = counts[h].sum(axis=2)
        safe = np.maximum(n, 2)
        p = counts[h] / safe[..., None]
        spread = np.sqrt(p @ (up - low) ** 2)

        def deviation(v: np.ndarray, p: np.ndarray = p) -> np.ndarray:
            return np.sqrt(np.maximum(p @ v**2 - (p @ v) ** 2, 0))

        j, b_p, b_v = (
            value_range * log_term / 3,
            value_range * math.sqrt(2 * log_term),
            math.sqrt(2 * log_term),
        )
        extra = ((4 * j + b_p) / np.sqrt(safe) + b_v * spread) / np.sqrt(safe) + j / (safe - 1)
        q_up = np.minimum(1, p @ up + deviation(up) * math.sqrt(2 * log_term) / np.sqrt(safe) + extra)
        q_low = np.maximum(0, p @ low - deviation(low) * math.sqrt(2 * log_term) / np.sqrt(safe) - extra)
        q_up = np.where(n > 1, q_up, 1.0)
        q_low = np.where(n > 1, q_low, 0.0)
        for s in range(states):
            ties = np.flatnonzero(q_up[s] >= q_up[s].max() - 1e-12)
            policy[h, s] = min(ties, key=lambda b, s=s, n=n: (n[s, b], b))
        chosen = policy[h]
        up, low = q_up[np.arange(states), chosen], q_low[np.arange(states), chosen]
    return policy


def test_the_plan_follows_the_formulas() -> None:
    """150 random count tables, sparse and dense, both value ranges."""
    for seed in range(150):
        rng = generator("plan", seed)
        shape = tuple(int(n) for n in rng.integers(1, 5, size=3))
        scale = 10 ** rng.uniform(0, 7)
        counts = (
            rng.dirichlet(np.full(shape[1], 0.5), size=shape) * scale * rng.random(shape)[..., None]
        ).astype(np.int64)
        counts[rng.random(shape) < 0.2] = 0
        target = int(rng.integers(shape[1]))
        value_range = float(shape[0]) if seed % 2 else 1.0
        np.testing.assert_array_equal(
            euler_policy(counts, target, 12.5, value_range),
            _reference_policy(counts, target, 12.5, value_range),
        )


def test_the_upper_bound_is_optimistic_with_enough_data() -> None:
    """With many visits everywhere, EULER's policy reaches the target as often as the best one does."""
    for seed in range(40):
        rng = generator("good", seed)
        mdp = random_mdp(rng, (4, 3, 3))
        counts = (mdp.transitions * 1e12).astype(np.int64)
        layer, target = 3, int(rng.integers(3))
        best = np.eye(3)[target]
        ours = best.copy()
        policy = euler_policy(counts[:layer], target, 20.0, 1.0)
        for h in range(layer - 1, -1, -1):
            best = (mdp.transitions[h] @ best).max(axis=1)
            ours = (mdp.transitions[h] @ ours)[np.arange(3), policy[h]]
        assert ours[0] >= best[0] - 1e-4


class _OneByOne:
    """A simulator that plays every episode, with the same face."""

    def __init__(self, mdp) -> None:
        self.mdp = mdp
        self.shape = mdp.shape

    def play_until_doubled(self, actions, tally, limit, rng, *, layers, first_batch=1, exact=False) -> int:
        return play_until_doubled_one_by_one(
            self.mdp, actions, tally.counts, limit, rng, layers=layers, first_batch=first_batch, exact=exact
        )


@pytest.mark.parametrize("exact", [True, False])
def test_whole_runs_have_the_law_of_their_per_episode_twins(exact: bool) -> None:
    """KS on plans, distinct policies, arrivals at the target and one count; false alarm 8e-4 together."""
    mdp = random_mdp(generator("twin"), (3, 3, 2), concentration=1.0)
    settings = EulerSettings(episodes=120, failure=0.5, value_range=0.02, exact_doubling=exact)
    found: list[list[tuple[int, ...]]] = []
    for name, simulator in (("fast", EpisodeSimulator(mdp)), ("slow", _OneByOne(mdp))):
        found.append([])
        for i in range(400):
            played, tally = euler_run(simulator, 2, 1, settings, generator(name, i))
            counts = tally.counts
            assert sum(episodes for _, episodes in played) == 120
            found[-1].append(
                (
                    len(played),
                    len({policy.tobytes() for policy, _ in played}),
                    int(counts[1, :, :, 1].sum()),
                    int(counts[1, 0, 1].sum()),
                )
            )
    for fast, slow in zip(np.array(found[0]).T, np.array(found[1]).T, strict=True):
        assert stats.ks_2samp(fast, slow).pvalue > FALSE_ALARM


def test_number_of_plans_grows_with_the_logarithm_only() -> None:
    """At most layers*S*B*(log2 N0 + 2) plans, also at 2^50 episodes, in both modes."""
    mdp = random_mdp(generator("plans"), (4, 4, 3))
    for exact in (True, False):
        settings = EulerSettings(episodes=2**50, failure=0.01, value_range=1.0, exact_doubling=exact)
        played, tally = euler_run(EpisodeSimulator(mdp), 3, 2, settings, generator("plans", str(exact)))
        counts = tally.counts
        assert sum(episodes for _, episodes in played) == 2**50
        assert (counts.sum(axis=(1, 2, 3)) == 2**50).all()
        assert len(played) <= 3 * 4 * 3 * 52
