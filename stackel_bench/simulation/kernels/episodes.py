"""Transition counts of many episodes at once: layer by layer, a state's episodes split over its successors.

Shapes: actions [H,S], counts [H,S,B,S], edges (counts under one deterministic policy) [H,S,S]. Row
(h S + s) B + b of the tables holds the transitions of (h,s,b).
"""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.simulation.kernels.binomial import binomial
from stackel_bench.simulation.kernels.multinomial import RowTables, row_tables, split_row


@kernel
def play_actions(
    rng: np.random.Generator,
    episodes: int,
    start: int,
    actions: np.ndarray,
    layers: int,
    num_actions: int,
    tables: RowTables,
    edges: np.ndarray,
) -> None:
    """Write to edges [.,S,S] the transition counts of episodes that follow actions in layers 0..layers-1."""
    states = edges.shape[1]
    here = np.zeros(states, dtype=np.int64)
    here[start] = episodes
    for h in range(layers):
        edges[h] = 0
        for s in range(states):
            if here[s] > 0:
                row = (h * states + s) * num_actions + actions[h, s]
                split_row(rng, float(here[s]), tables, row, edges[h, s])
        here = edges[h].sum(axis=0)


@kernel
def play_policy(
    rng: np.random.Generator, arriving: np.ndarray, policy: np.ndarray, tables: RowTables
) -> np.ndarray:
    """Counts [H,S,B,S] of episodes under a stochastic policy [H,S,B].

    arriving int64 [H,S]: how many episodes enter the simulation at each (layer, state); play from the start
    has all of them at (0, initial state), a mixture whose prefixes were played elsewhere has them anywhere.
    """
    horizon, states, num_actions = policy.shape
    counts = np.zeros((horizon, states, num_actions, states), dtype=np.int64)
    here = np.zeros(states, dtype=np.int64)
    for h in range(horizon):
        here += arriving[h]
        action_tables = row_tables(policy[h])
        following = np.zeros(states, dtype=np.int64)
        chosen = np.zeros(num_actions, dtype=np.int64)
        row = np.zeros(states, dtype=np.int64)
        for s in range(states):
            if here[s] == 0:
                continue
            split_row(rng, float(here[s]), action_tables, s, chosen)
            for b in range(num_actions):
                if chosen[b] > 0:
                    split_row(rng, float(chosen[b]), tables, (h * states + s) * num_actions + b, row)
                    counts[h, s, b] += row
                    following += row
        here = following
    return counts


@kernel
def play_prefixes(
    rng: np.random.Generator,
    episodes: int,
    start: int,
    actions: np.ndarray,
    weights: np.ndarray,
    lengths: np.ndarray,
    tables: RowTables,
    counts: np.ndarray,
) -> np.ndarray:
    """Split episodes over deterministic prefixes by weight, add their counts, and return arrivals [H+1,S].

    actions [K,H,S], weights int64 [K], lengths int64 [K]: policy k acts in layers 0..lengths[k]-1. Arrivals
    say how many episodes stand at each (layer, state) when their prefix ends.
    """
    horizon, states = actions.shape[1:]
    arrivals = np.zeros((horizon + 1, states), dtype=np.int64)
    edges = np.zeros((horizon, states, states), dtype=np.int64)
    remaining_weight = float(weights.sum())
    left = float(episodes)
    for k in range(weights.size):
        if left <= 0.0:
            break
        share = binomial(rng, left, float(weights[k]) / remaining_weight)
        remaining_weight -= float(weights[k])
        left -= share
        if share == 0.0:
            continue
        length = lengths[k]
        if length == 0:
            arrivals[0, start] += int(share)
            continue
        play_actions(rng, int(share), start, actions[k], length, counts.shape[2], tables, edges)
        for h in range(length):
            for s in range(states):
                counts[h, s, actions[k, h, s]] += edges[h, s]
        arrivals[length] += edges[length - 1].sum(axis=0)
    return arrivals
