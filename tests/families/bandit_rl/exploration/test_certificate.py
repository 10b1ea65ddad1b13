"""The certificate covers the true uniform error, stops RF-UCRL within its bound, and follows its formulas."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from stackel_bench.families.bandit_rl.diagnosis import uniform_error
from stackel_bench.families.bandit_rl.exploration.certificate import certificate_bonus, certified_error
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS, make_explorer
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import generator
from tests.simulation.per_episode import lock_mdp, random_mdp


def _reference(counts: np.ndarray, start: int, delta: float, leaders: int) -> float:
    """The recursion for one triple at a time, layers numbered from 1 as in the formulas."""
    horizon, states, actions, _ = counts.shape
    later = np.zeros(states)
    share = delta / (2 * leaders)
    volume = states * actions * horizon
    for h in range(horizon, 0, -1):
        here = np.zeros((states, actions))
        for s in range(states):
            for b in range(actions):
                n = counts[h - 1, s, b].sum()
                cap = horizon - h + 1
                if n == 0:
                    here[s, b] = cap
                    continue
                reward = math.sqrt((1 + 1 / n) * math.log(2 * volume * math.sqrt(n + 1) / share) / (2 * n))
                beta = math.log(volume / share)
                if states > 1:
                    beta += (states - 1) * math.log(math.e * (1 + n / (states - 1)))
                transition = (horizon - h) * math.sqrt(beta / (2 * n))
                mean = counts[h - 1, s, b] @ later / n
                here[s, b] = min(cap, reward + transition + mean)
        later = here.max(axis=1)
    return float(later[start])


def test_the_recursion() -> None:
    """150 random count tables, sparse to large."""
    for seed in range(150):
        rng = generator("recursion", seed)
        shape = tuple(int(n) for n in rng.integers(1, 5, size=3))
        counts = (rng.random((*shape, shape[1])) ** 4 * 10 ** rng.uniform(0, 9)).astype(np.int64)
        counts[rng.random(shape) < 0.1] = 0
        start = int(rng.integers(shape[1]))
        ours = certified_error(counts, start, Goal(1.0, 0.1, 4))
        assert ours == pytest.approx(_reference(counts, start, 0.1, 4), rel=1e-12)


def test_bonuses_decrease_with_visits_and_vanish() -> None:
    bonus = [
        certificate_bonus(np.full((3, 2, 2), float(n)), Goal(1.0, 0.1, 2)) for n in (0, 1, 10, 10**4, 10**12)
    ]
    assert np.isinf(bonus[0]).all()
    assert all((later < earlier).all() for earlier, later in pairwise(bonus))
    assert bonus[-1].max() < 1e-4


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_certificate_covers_the_true_error(name: str) -> None:
    """40 runs per explorer at delta = 0.1: at most 4 failures are expected, none are allowed.

    The certificate is an order of magnitude above typical errors, so a correct one fails here with a chance
    far below 1e-6.
    """
    for seed in range(40):
        rng = generator("cover", seed)
        mdp = random_mdp(rng, (3, 2, 2), concentration=0.5) if seed % 4 else lock_mdp(rng, 4, 2, keep=0.8)
        explorer = make_explorer(name)
        plan = explorer.fixed_plan(mdp.shape, int(10 ** rng.uniform(0, 7)))
        (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], Goal(0.2, 0.1, 1), (name, seed))
        assert uniform_error(found.model, mdp) <= found.certificate


@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.05])
def test_rf_ucrl_stops_at_its_certificate_within_the_theorems_bound(epsilon: float) -> None:
    """20 MDPs per epsilon, random, lock and degenerate."""
    explorer, goal = make_explorer("rf_ucrl"), Goal(epsilon, 0.1, 2)
    shapes = [(1, 1, 1), (1, 3, 2), (3, 1, 2), (3, 3, 1), (3, 3, 2)]
    for seed in range(20):
        rng = generator("stop", seed)
        mdp = random_mdp(rng, shapes[seed % 5]) if seed < 15 else lock_mdp(rng, 5, 3)
        plan = explorer.theory_plan(mdp.shape, goal)
        (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], goal, ("stop", seed))
        assert found.certificate <= epsilon / 8
        assert found.total_episodes < plan.total
        assert uniform_error(found.model, mdp) <= epsilon / 8


def test_the_stopping_time_of_the_specification() -> None:
    """(S,B,H) = (3,2,3): about 7.7e4 episodes at epsilon 1 and 3.4e5 at 0.5; ours within a factor 1.5."""
    mdp = random_mdp(generator("spec"), (3, 3, 2), concentration=1.0)
    explorer = make_explorer("rf_ucrl")
    for epsilon, expected in ((1.0, 7.7e4), (0.5, 3.4e5)):
        goal = Goal(epsilon, 0.05, 1)
        plan = explorer.theory_plan(mdp.shape, goal)
        (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], goal, ("spec",))
        assert expected / 1.5 < found.total_episodes < expected * 1.5


def test_a_limit_below_the_stopping_time_is_respected_and_visible() -> None:
    mdp = random_mdp(generator("limit"), (3, 3, 2))
    explorer, goal = make_explorer("rf_ucrl"), Goal(0.3, 0.05, 1)
    plan = explorer.theory_plan(mdp.shape, goal).scaled(1e-6)
    (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], goal, ("limit",))
    assert found.total_episodes == plan.total
    assert found.certificate > 0.3 / 8
