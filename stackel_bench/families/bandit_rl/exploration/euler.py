"""The policies that EULER plays while it learns to reach one state at one layer, with multiplicities."""

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.simulation.policy_mixture import ACTION_TYPE
from stackel_bench.simulation.tally import EpisodeSource, Tally

FINEST_BATCH = 1 / 1024  # first look after a replan, as a share of the episodes played before it


@dataclass(frozen=True)
class EulerSettings:
    """value_range: 1 (the return is at most 1) or H (as printed); failure: probability for this target."""

    episodes: int
    failure: float
    value_range: float
    exact_doubling: bool


def euler_run(
    simulator: EpisodeSource, layer: int, state: int, settings: EulerSettings, rng: np.random.Generator
) -> tuple[list[tuple[np.ndarray, int]], Tally]:
    """Pairs (actions [layer,S], episodes) in the order played, and the tally of all layers before `layer`.

    EULER (Zanette & Brunskill 2019, Algorithm 1) for the reward 1[s = state] at `layer` (from 0), which is
    known and paid on arrival, so only earlier layers are planned and simulated. It replans when a visit count
    of the current policy has doubled. With exact_doubling that is noticed at once; otherwise it is looked for
    after e, 2e, 4e, ... episodes of the policy, e = 1/1024 of all episodes before it (at least 1).
    """
    horizon, states, actions = simulator.shape
    # delta' = failure/7 and L = ln(4 (S H) B (N0 H) / delta'): states are (state, layer), T = N0 H.
    log_term = math.log(4 * states * horizon * actions * settings.episodes * horizon * 7 / settings.failure)
    tally = Tally.empty((layer, states, actions))
    played: list[tuple[np.ndarray, int]] = []
    done = 0
    while done < settings.episodes:
        policy = euler_policy(tally.counts, state, log_term, settings.value_range)
        episodes = simulator.play_until_doubled(
            policy,
            tally,
            settings.episodes - done,
            rng,
            layers=layer,
            first_batch=max(1, int(done * FINEST_BATCH)),
            exact=settings.exact_doubling,
        )
        played.append((policy, episodes))
        done += episodes
    return played, tally


@kernel
def euler_policy(counts: np.ndarray, target: int, log_term: float, value_range: float) -> np.ndarray:
    """EULER's greedy actions [layer,S] for counts [layer,S,B,S].

    Ties go to the action tried least, then to the lowest index.
    """
    layers, states, num_actions, _ = counts.shape
    policy = np.zeros((layers, states), dtype=ACTION_TYPE)
    upper = np.zeros(states)
    lower = np.zeros(states)
    upper[target] = 1.0
    lower[target] = 1.0
    root = math.sqrt(2.0 * log_term)
    for h in range(layers - 1, -1, -1):
        new_upper = np.zeros(states)
        new_lower = np.zeros(states)
        for s in range(states):
            best = -1.0
            best_visits = 0.0
            for b in range(num_actions):
                visits = 0.0
                for j in range(states):
                    visits += float(counts[h, s, b, j])
                q_upper = 1.0
                q_lower = 0.0
                if visits > 1.0:
                    mean_up = 0.0
                    mean_low = 0.0
                    for j in range(states):
                        p = float(counts[h, s, b, j]) / visits
                        mean_up += p * upper[j]
                        mean_low += p * lower[j]
                    var_up = 0.0
                    var_low = 0.0
                    gap = 0.0
                    for j in range(states):
                        p = float(counts[h, s, b, j]) / visits
                        var_up += p * (upper[j] - mean_up) ** 2
                        var_low += p * (lower[j] - mean_low) ** 2
                        gap += p * (upper[j] - lower[j]) ** 2
                    # (1/sqrt n) [(4J + B_p)/sqrt n + B_v ||V_up - V_low||], J = vL/3, B_p = v sqrt(2L)
                    correction = value_range * (4.0 * log_term / 3.0 + root) / visits + root * math.sqrt(
                        gap / visits
                    )
                    correction += value_range * log_term / (3.0 * (visits - 1.0))
                    width = root / math.sqrt(visits)
                    q_upper = min(1.0, mean_up + width * math.sqrt(var_up) + correction)
                    q_lower = max(0.0, mean_low - width * math.sqrt(var_low) - correction)
                if q_upper > best or (q_upper == best and visits < best_visits):
                    best = q_upper
                    best_visits = visits
                    policy[h, s] = b
                    new_upper[s] = q_upper
                    new_lower[s] = q_lower
        upper = new_upper
        lower = new_lower
    return policy
