"""How well an exploration covered what a policy can reach: the ratio that the paper's Theorem 3.3 bounds.

Sums go through einsum: unlike a matrix product it adds up in an order that no processor changes.
"""

from typing import NamedTuple

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Exploration
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.policy_mixture import PolicyMixture

CHUNK = 4096  # policies whose occupancies are computed together


class Coverage(NamedTuple):
    """ratio = max over significant (h,s) and all b of max_pi P_h(s,b)/mu_h(s,b); guaranteed <= bound."""

    ratio: float
    bound: float


def coverage(mdp: FollowerMDP, exploration: Exploration, *, epsilon: float) -> Coverage:
    """The coverage of the true mdp; a state is significant from max_pi P_h(s) >= epsilon/(2 S H^2) on."""
    horizon, states, actions = mdp.shape
    sampling = (
        query_frequencies(exploration.visits)
        if exploration.mixture is None
        else mixture_occupancy(mdp, exploration.mixture)
    )
    reach = maximal_reach(mdp)
    significant = reach >= epsilon / (2 * states * horizon**2)
    with np.errstate(divide="ignore"):
        ratios = np.where(significant, reach, 0.0)[..., None] / np.where(
            significant[..., None], sampling, 1.0
        )
    return Coverage(float(ratios.max()), 2.0 * states * actions * horizon)


def maximal_reach(mdp: FollowerMDP) -> np.ndarray:
    """max over policies of the probability of being in state s at layer h, [H,S], by backward induction."""
    horizon, states, _ = mdp.shape
    reach = np.zeros((horizon, states))
    for layer in range(horizon):
        values = np.eye(states)  # values[s, target]: best probability of the target from s at this layer
        for h in range(layer - 1, -1, -1):
            values = np.einsum("sbt,tk->sbk", mdp.transitions[h], values).max(axis=1)
        reach[layer] = values[mdp.initial_state]
    return reach


def mixture_occupancy(mdp: FollowerMDP, mixture: PolicyMixture) -> np.ndarray:
    """Probability [H,S,B] of each triple when an episode draws its policy from the mixture."""
    horizon, states, actions = mdp.shape
    occupancy = np.zeros(mdp.shape)
    shares = mixture.weights / mixture.weights.sum()
    tails = np.zeros((horizon, states))  # mass whose uniform part starts at this layer
    every_state = np.arange(states)
    for first in range(0, len(mixture), CHUNK):
        chunk = slice(first, first + CHUNK)
        mass = np.zeros((len(shares[chunk]), states))
        mass[:, mdp.initial_state] = shares[chunk]
        for h in range(horizon):
            ended = mixture.lengths[chunk] == h
            tails[h] += mass[ended].sum(axis=0)
            mass[ended] = 0.0
            chosen = mixture.actions[chunk, h].astype(np.intp)
            np.add.at(occupancy[h], (np.broadcast_to(every_state, chosen.shape), chosen), mass)
            mass = np.einsum("ks,kst->kt", mass, mdp.transitions[h][every_state, chosen])
    here = np.zeros(states)
    for h in range(horizon):
        here = here + tails[h]
        occupancy[h] += here[:, None] / actions
        here = np.einsum("s,st->t", here, mdp.transitions[h].mean(axis=1))
    return occupancy


def query_frequencies(visits: np.ndarray) -> np.ndarray:
    """Share [H,S,B] of a layer's visits that went to each triple."""
    totals = visits.sum(axis=(1, 2), keepdims=True)
    return np.asarray(visits / np.maximum(totals, 1))
