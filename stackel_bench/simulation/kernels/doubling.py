"""Episodes under one policy until a visit count has doubled, without playing them one by one."""

import math

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.simulation.kernels.binomial import log_binomial_mass
from stackel_bench.simulation.kernels.episodes import play_actions
from stackel_bench.simulation.kernels.multinomial import RowTables


@kernel
def _large_hypergeometric(rng: np.random.Generator, good: float, bad: float, sample: float) -> float:
    """Ratio of uniforms (Stadlober 1989, HRUA) with log masses that do not cancel; sample <= total/2."""
    total = good + bad
    fewer = min(good, bad)
    p = fewer / total
    centre = sample * p + 0.5
    spread = math.sqrt((total - sample) / (total - 1.0) * sample * p * (1.0 - p) + 0.5)
    width = 1.7155277699214135 * spread + 0.8989161620588988
    most = min(min(sample, fewer) + 1.0, float(np.floor(centre + 16.0 * spread)))
    share = sample / total
    mode = float(np.floor((sample + 1.0) * ((fewer + 1.0) / (total + 2.0))))
    log_mode = log_binomial_mass(mode, fewer, share) + log_binomial_mass(sample - mode, total - fewer, share)
    while True:
        u = rng.random()
        if u == 0.0:
            continue
        x = centre + width * (rng.random() - 0.5) / u
        if x < 0.0 or x >= most:
            continue
        k = float(np.floor(x))
        log_ratio = (
            log_binomial_mass(k, fewer, share)
            + log_binomial_mass(sample - k, total - fewer, share)
            - log_mode
        )
        if u * (4.0 - u) - 3.0 <= log_ratio or (u * (u - log_ratio) < 1.0 and 2.0 * math.log(u) <= log_ratio):
            return k if good <= bad else sample - k


@kernel
def hypergeometric(rng: np.random.Generator, good: float, bad: float, sample: float) -> float:
    """How many of `sample` draws without replacement from good + bad <= 2**53 items are good, as a float."""
    total = good + bad
    if good == 0.0 or sample == 0.0:
        return 0.0
    if bad == 0.0:
        return sample
    fewer = min(sample, total - sample)
    if fewer < 10.0:
        k = 0.0
        for drawn in range(int(fewer)):
            if rng.random() * (total - drawn) < good - k:
                k += 1.0
    else:
        k = _large_hypergeometric(rng, good, bad, fewer)
    return k if sample == fewer else good - k


@kernel
def _any_reaches(gained: np.ndarray, edges: np.ndarray, thresholds: np.ndarray, layers: int) -> bool:
    """Whether the visits gained so far plus those of edges reach a threshold at some (layer, state)."""
    for h in range(layers):
        for s in range(gained.shape[1]):
            if gained[h, s] + edges[h, s].sum() >= thresholds[h, s]:
                return True
    return False


@kernel
def _first_part(
    rng: np.random.Generator, first: int, start: int, layers: int, edges: np.ndarray, part: np.ndarray
) -> None:
    """Write to part the edges of the first `first` episodes among those that edges counts.

    Given all edges, which departure of a node belongs to which arrival is a uniform matching, so the first
    part's departures from a node are a multivariate hypergeometric draw of the first part's arrivals.
    """
    states = edges.shape[1]
    here = np.zeros(states, dtype=np.int64)
    here[start] = first
    for h in range(layers):
        for s in range(states):
            sample = float(here[s])
            rest = float(edges[h, s].sum())
            for j in range(states):
                good = float(edges[h, s, j])
                rest -= good
                k = hypergeometric(rng, good, rest, sample)
                part[h, s, j] = int(k)
                sample -= k
        here = part[h].sum(axis=0)


@kernel
def _keep(
    actions: np.ndarray, layers: int, edges: np.ndarray, counts: np.ndarray, gained: np.ndarray
) -> None:
    """Add edges to the counts of the actions that were played, and their visits to those gained."""
    for h in range(layers):
        for s in range(edges.shape[1]):
            counts[h, s, actions[h, s]] += edges[h, s]
            gained[h, s] += edges[h, s].sum()


@kernel
def play_until_doubled(
    rng: np.random.Generator,
    actions: np.ndarray,
    layers: int,
    limit: int,
    first_batch: int,
    exact: bool,
    start: int,
    tables: RowTables,
    counts: np.ndarray,
) -> int:
    """Add to counts the episodes played until a visit count of this policy has doubled; return how many.

    Batches of first_batch, first_batch, 2 first_batch, 4 first_batch, ... episodes. exact=False looks after
    every batch only. exact=True stops at the very episode that doubles a count: the batch that overshoots is
    halved again and again, which has the same law as playing one episode at a time.
    """
    states = counts.shape[1]
    edges = np.zeros((layers, states, states), dtype=np.int64)
    part = np.zeros((layers, states, states), dtype=np.int64)
    gained = np.zeros((layers, states), dtype=np.int64)
    thresholds = np.zeros((layers, states), dtype=np.int64)
    for h in range(layers):
        for s in range(states):
            thresholds[h, s] = max(1, counts[h, s, actions[h, s]].sum())
    played = 0
    batch = first_batch
    doubled = False
    while played < limit and not doubled:
        size = min(batch, limit - played)
        play_actions(rng, size, start, actions, layers, counts.shape[2], tables, edges)
        doubled = _any_reaches(gained, edges, thresholds, layers)
        while exact and doubled and size > 1:
            first = size // 2
            _first_part(rng, first, start, layers, edges, part)
            if _any_reaches(gained, part, thresholds, layers):
                edges[:] = part
                size = first
            else:  # keep the first part, go on with the second, which contains the doubling
                edges -= part
                size -= first
                played += first
                _keep(actions, layers, part, counts, gained)
        _keep(actions, layers, edges, counts, gained)
        played += size
        batch = played
    return played
