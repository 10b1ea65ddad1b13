"""What only the truth can tell about an exploration: coverage, and the real error of its estimate.

Sums go through einsum: unlike a matrix product it adds up in an order that no processor changes.
"""

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.explorer import Exploration
from stackel_bench.families.bandit_rl.learners import ActionFinding
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.policy_mixture import PolicyMixture

ENUMERATED_POLICIES = 4096  # beyond that many the upper bound is reported: the diagnosis must stay cheap


def diagnose(model: Any, unit: int, finding: Any, epsilon: float) -> Any:
    """One replicate's finding about a leader action, with what the truth says of each rung added.

    model is the game, or its part for this leader action. Without a truth, or if the learner keeps other
    findings than those of this package, the finding stays as it is.
    """
    mdps = getattr(model, "mdps", None)
    ours = isinstance(finding, list) and all(isinstance(rung, ActionFinding) for rung in finding)
    if not ours:
        return finding
    if mdps is None:  # what exploration rests on is not needed any more, and large
        return [dataclasses.replace(rung, exploration=None) for rung in finding]
    return [_diagnosed(mdps[unit], rung, epsilon) for rung in finding]


def _diagnosed(truth: FollowerMDP, finding: ActionFinding, epsilon: float) -> ActionFinding:
    """The finding with diagnostics in place of the exploration they were computed from."""
    exploration = finding.exploration
    assert exploration is not None
    reached = coverage(truth, exploration, epsilon=epsilon)
    diagnostics = {
        **finding.diagnostics,
        "coverage": reached.ratio,
        "coverage_bound": reached.bound,
        "uniform_error": uniform_error(exploration.model, truth, ENUMERATED_POLICIES),
        "reward_error": reward_error(exploration.model, truth),
    }
    return dataclasses.replace(finding, diagnostics=diagnostics, exploration=None)


CHUNK = 4096  # policies whose occupancies are computed together


class Coverage(NamedTuple):
    """ratio = max over significant (h,s) and all b of max_pi P_h(s,b)/mu_h(s,b); guaranteed <= bound."""

    ratio: float
    bound: float


def coverage(mdp: FollowerMDP, exploration: Exploration, *, epsilon: float) -> Coverage:
    """The coverage of the true mdp; a state is significant from max_pi P_h(s) >= epsilon/(2 S H^2) on."""
    horizon, states, actions = mdp.shape
    if exploration.mixture is None:  # triples were queried
        sampling = query_frequencies(exploration.visits)
    else:
        sampling = mixture_occupancy(mdp, exploration.mixture)
    reach = maximal_reach(mdp)
    significant = reach >= epsilon / (2 * states * horizon**2)
    with np.errstate(divide="ignore"):
        ratios = reach[significant][:, None] / sampling[significant]
    return Coverage(float(ratios.max(initial=0.0)), 2.0 * states * actions * horizon)


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


MAX_POLICIES = 1_000_000


def uniform_error(estimate: FollowerMDP, truth: FollowerMDP, max_policies: int = MAX_POLICIES) -> float:
    """Exact if there are at most max_policies deterministic policies to enumerate, else an upper bound.

    Deterministic policies suffice: a Markov policy is the same mixture of them in both models.
    """
    if estimate.shape != truth.shape or estimate.initial_state != truth.initial_state:
        raise InputError("estimate.shape", estimate.shape, f"{truth.shape}, same initial state")
    horizon, states, actions = truth.shape
    # The first layer matters at the initial state only.
    if actions ** min(states * (horizon - 1) + 1, 64) <= max_policies:
        return _enumerated(estimate, truth)
    return _bounded(estimate, estimate.transitions, truth)


def reward_error(estimate: FollowerMDP, truth: FollowerMDP) -> float:
    """The true sup over policies and players of what estimated rewards alone move a value by, exactly."""
    return _bounded(estimate, truth.transitions, truth)


def _enumerated(estimate: FollowerMDP, truth: FollowerMDP) -> float:
    """The maximum over all policies; values [policies of later layers, S] per model and player."""
    horizon, states, actions = truth.shape
    worst = 0.0
    for player in ("leader_rewards", "follower_rewards"):
        values = [np.zeros((1, states)), np.zeros((1, states))]
        for h in range(horizon - 1, -1, -1):
            needed = [truth.initial_state] if h == 0 else list(range(states))
            choices = np.indices((actions,) * len(needed)).reshape(len(needed), -1).T
            for i, model in enumerate((estimate, truth)):
                rewards = getattr(model, player)[h]
                q = rewards + np.einsum("sbt,kt->ksb", model.transitions[h], values[i])
                values[i] = q[:, needed, choices].reshape(-1, len(needed))
        worst = max(worst, float(np.abs(values[0] - values[1]).max()))
    return worst


def _bounded(estimate: FollowerMDP, transitions: np.ndarray, truth: FollowerMDP) -> float:
    """An upper bound from V_hat - V = (r_hat - r) + (P_hat - P) V + P_hat (V_hat - V)_next.

    V_hat has the estimate's rewards and these transitions; with the true ones the bound is exact. The middle
    term is maximised over all V between the smallest and the largest true value of each state.
    """
    horizon, states, _ = truth.shape
    worst = 0.0
    for player in ("leader_rewards", "follower_rewards"):
        smallest, largest, above, below = (np.zeros(states) for _ in range(4))
        for h in range(horizon - 1, -1, -1):
            reward = getattr(estimate, player)[h] - getattr(truth, player)[h]
            moved = transitions[h] - truth.transitions[h]
            most = np.maximum(moved * smallest, moved * largest).sum(axis=2)
            least = np.minimum(moved * smallest, moved * largest).sum(axis=2)
            above = (reward + most + _expected(transitions[h], above)).max(axis=1)
            below = (-reward - least + _expected(transitions[h], below)).max(axis=1)
            rewards = getattr(truth, player)[h]
            smallest = (rewards + _expected(truth.transitions[h], smallest)).min(axis=1)
            largest = (rewards + _expected(truth.transitions[h], largest)).max(axis=1)
        start = truth.initial_state
        worst = max(worst, float(above[start]), float(below[start]))
    return worst


def _expected(transitions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Expected next values [S,B], added up in an order that no processor changes."""
    return np.asarray(np.einsum("sbt,t->sb", transitions, values))
