"""Payoff tables of security: who guards which targets, who inspects when; payoffs are multiples of 2**-20."""

import math
from itertools import combinations

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.errors import InputError
from stackel_bench.games import dyadic
from stackel_bench.models import PayoffTable

MAX_PATROLS = 100_000


def security_table(num_targets: int, num_resources: int, instance_seed: int) -> PayoffTable:
    """The leader guards k of n targets (one row per choice, lexicographic), the follower attacks one of them.

    Target t has four numbers, uniform on [0,1]: gain and loss of each player. Unguarded, the attacker gets
    (1 + gain) / 2 and the defender (1 - loss) / 2; guarded, the attacker gets (1 - loss) / 2 and the defender
    (1 + gain) / 2. A mixed strategy matters only through the probability with which it guards each target.
    """
    targets = checks.integer("num_targets", num_targets, least=1)
    guards = checks.integer("num_resources", num_resources, least=1, most=targets)
    seed = checks.integer("instance_seed", instance_seed, least=0)
    if math.comb(targets, guards) > MAX_PATROLS:
        allowed = f"at most {MAX_PATROLS} ways to guard num_resources = {guards} of them"
        raise InputError("num_targets", targets, allowed)
    rng = streams.generator("instance", "table/security", seed, targets, guards)
    defender_gain, defender_loss, attacker_gain, attacker_loss = dyadic.uniform(rng, (4, targets))
    guarded = np.zeros((math.comb(targets, guards), targets), dtype=bool)
    for row, choice in enumerate(combinations(range(targets), guards)):
        guarded[row, choice] = True
    leader = np.where(guarded, 1 + defender_gain, 1 - defender_loss) / 2
    follower = np.where(guarded, 1 - attacker_loss, 1 + attacker_gain) / 2
    return PayoffTable(dyadic.rounded(leader), dyadic.rounded(follower))


def clustered_security_table(
    num_targets: int,
    num_clusters: int,
    num_patrols: int,
    radius: float,
    preference: float,
    instance_seed: int,
) -> PayoffTable:
    """Targets in clusters on a map; the leader sends one of several patrols, the follower attacks a target.

    Cluster centres are uniform on the unit square, targets are normal around them (standard deviation 0.1);
    a target's density is the share of targets within 0.2 of it. Patrol p stands at target p of the densest
    ones and protects target t with probability q = exp(-(distance/radius)^2). The defender gets
    1 - density (1 - q), the attacker u (1 - q) with u = (1 - r) density + r * (uniform on [0,1]),
    r = preference: what it wants besides people. A density-map generator like GUARD's (Krever et al. 2025),
    on points of our own.
    """
    targets = checks.integer("num_targets", num_targets, least=2)
    clusters = checks.integer("num_clusters", num_clusters, least=1)
    patrols = checks.integer("num_patrols", num_patrols, least=1, most=targets)
    reach = checks.real("radius", radius, least=0, open_least=True)
    taste = checks.real("preference", preference, least=0, most=1)
    seed = checks.integer("instance_seed", instance_seed, least=0)
    rng = streams.generator("instance", "table/clustered_security", seed, targets, clusters)
    centres = rng.random((clusters, 2))
    places = centres[np.arange(targets) % clusters] + 0.1 * rng.standard_normal((targets, 2))
    distances = np.linalg.norm(places[:, None] - places[None], axis=-1)
    density = (distances <= 0.2).mean(axis=1)
    wanted = (1 - taste) * density + taste * rng.random(targets)
    stands = np.argsort(-density, kind="stable")[:patrols]
    missed = 1 - np.exp(-((distances[stands] / reach) ** 2))
    return PayoffTable(dyadic.rounded(1 - density * missed), dyadic.rounded(wanted * missed))


def inspection_table(
    num_periods: int, inspection_cost: float, legal_reward: float, caught_value: float
) -> PayoffTable:
    """The leader inspects in one of n periods or (first row) never; the follower violates in one or never.

    The follower gets legal_reward for staying legal (first column), 1 for an undetected violation, 0 if
    caught. The leader gets 1 if all is legal, 0 for an undetected violation, caught_value for a caught one,
    and pays inspection_cost * (that payoff) for inspecting. Inspecting each period with probability
    1 - legal_reward, if n of them sum to at most 1, makes the follower indifferent: worth
    1 - n (1 - legal_reward) inspection_cost to the leader if the follower then stays legal.
    """
    periods = checks.integer("num_periods", num_periods, least=1)
    cost = checks.real("inspection_cost", inspection_cost, least=0, most=1)
    legal = checks.real("legal_reward", legal_reward, least=0, most=1)
    caught = checks.real("caught_value", caught_value, least=0, most=1)
    inspects = (np.arange(periods + 1) > 0)[:, None]
    violates = (np.arange(periods + 1) > 0)[None, :]
    detected = np.eye(periods + 1, dtype=bool) & violates
    follower = np.where(violates, np.where(detected, 0.0, 1.0), legal)
    outcome = np.where(violates, np.where(detected, caught, 0.0), 1.0)
    leader = outcome * np.where(inspects, 1 - cost, 1.0)
    return PayoffTable(dyadic.rounded(leader), dyadic.rounded(follower))
