"""Compiled draws of episode counts: binomial, hypergeometric, multinomial rows, and episodes built from them.

All kernels live in this one file because numba's cache does not notice edits in imported kernels.
Counts are int64 in arrays and float64 inside formulas: int64 products wrap silently from 2**63 on, and
`math.floor` returns int64 in compiled code. Randomness is `rng.random()` only, so a stream does not change
with numpy's own samplers. Counts up to 2**53 are exact.

Shapes: transition tables [H,S,B,S], actions [H,S], counts [H,S,B,S], edges (counts under one deterministic
policy) [H,S,S].
"""

from __future__ import annotations

import math

import numpy as np

from stackel_bench.kernel import kernel

_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
# log k! minus Stirling's formula, exact for k = 1..15; larger k use the asymptotic series.
_STIRLING_ERRORS = np.array(
    [0.0] + [math.log(math.factorial(k)) - (k + 0.5) * math.log(k) + k - _HALF_LOG_TAU for k in range(1, 16)]
)


@kernel
def _stirling_error(k: float) -> float:
    """log k! - log(sqrt(2 pi k) (k/e)^k) for an integer k >= 1."""
    if k < 16.0:
        return _STIRLING_ERRORS[int(k)]
    square = k * k
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680) / square) / square) / square) / k


@kernel
def _deviance(x: float, mean: float) -> float:
    """x log(x/mean) + mean - x without cancellation (Loader 2000)."""
    difference = x - mean
    if abs(difference) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    ratio = difference / (x + mean)
    total = difference * ratio
    term = 2.0 * x * ratio
    for j in range(1, 1000):
        term *= ratio * ratio
        longer = total + term / (2 * j + 1)
        if longer == total:
            break
        total = longer
    return total


@kernel
def log_binomial_mass(k: float, n: float, p: float) -> float:
    """log P(Binomial(n, p) = k) for 0 < p < 1, accurate for every n <= 2**53 (Loader 2000)."""
    if k == 0.0:
        return n * math.log1p(-p)
    if k == n:
        return n * math.log(p)
    return (
        _stirling_error(n)
        - _stirling_error(k)
        - _stirling_error(n - k)
        - _deviance(k, n * p)
        - _deviance(n - k, n * (1.0 - p))
        - _HALF_LOG_TAU
        + 0.5 * (math.log(n / (n - k)) - math.log(k))
    )


@kernel
def _small_binomial(rng: np.random.Generator, n: float, p: float) -> float:
    """Inversion from 0 upwards; for n p < 10 and p <= 1/2."""
    odds = p / (1.0 - p)
    at_zero = math.exp(n * math.log1p(-p))
    while True:
        u = rng.random()
        mass = at_zero
        k = 0.0
        while u >= mass and k < n:
            u -= mass
            k += 1.0
            mass *= (n - k + 1.0) / k * odds
            if mass < 1e-300:  # u sits in the rounding of the whole sum: draw again
                k = n + 1.0
        if k < n or (k == n and u < mass):
            return k


@kernel
def _large_binomial(rng: np.random.Generator, n: float, p: float) -> float:
    """Transformed rejection with a squeeze (Hoermann 1993, BTRS); for n p >= 10 and p <= 1/2."""
    deviation = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    squeeze = 0.92 - 4.2 / b
    log_mode = 0.0
    scale = 0.0
    while True:
        v = rng.random()
        u = rng.random() - 0.5
        us = 0.5 - abs(u)
        if us == 0.0 or v == 0.0:
            continue
        k = float(np.floor((2.0 * a / us + b) * u + centre))
        if us >= 0.07 and v <= squeeze:
            return k
        if k < 0.0 or k > n:
            continue
        if scale == 0.0:
            log_mode = log_binomial_mass(float(np.floor((n + 1.0) * p)), n, p)
            scale = (2.83 + 5.1 / b) * deviation
        if math.log(v * scale / (a / (us * us) + b)) <= log_binomial_mass(k, n, p) - log_mode:
            return k


@kernel
def binomial(rng: np.random.Generator, n: float, p: float) -> float:
    """One Binomial(n, p) draw as a float that holds an integer; 0 <= n <= 2**53."""
    if n <= 0.0 or p <= 0.0:
        return 0.0
    if p >= 1.0:
        return n
    small = min(p, 1.0 - p)
    k = _small_binomial(rng, n, small) if n * small < 10.0 else _large_binomial(rng, n, small)
    return k if p <= 0.5 else n - k


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
def row_tables(probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per row of [n,K]: conditional probabilities from tail sums, and an alias table (accept, alias).

    Tail sums make the last category with positive probability take exactly what is left, so nothing leaks
    into categories of probability zero.
    """
    rows, size = probabilities.shape
    conditional = np.zeros((rows, size))
    accept = np.ones((rows, size))
    alias = np.zeros((rows, size), dtype=np.int32)
    small = np.empty(size, dtype=np.int32)
    large = np.empty(size, dtype=np.int32)
    for i in range(rows):
        tail = 0.0
        for j in range(size - 1, -1, -1):
            tail += probabilities[i, j]
            if probabilities[i, j] > 0.0:
                conditional[i, j] = probabilities[i, j] / tail
        num_small = 0
        num_large = 0
        for j in range(size):
            alias[i, j] = j
            accept[i, j] = probabilities[i, j] * size / tail
            if accept[i, j] < 1.0:
                small[num_small] = j
                num_small += 1
            else:
                large[num_large] = j
                num_large += 1
        while num_small > 0 and num_large > 0:
            num_small -= 1
            low = small[num_small]
            high = large[num_large - 1]
            alias[i, low] = high
            accept[i, high] -= 1.0 - accept[i, low]
            if accept[i, high] < 1.0:
                num_large -= 1
                small[num_small] = high
                num_small += 1
        for left in range(num_small):  # rounding only: these are 1 up to a few ulps
            if probabilities[i, small[left]] > 0.0:
                accept[i, small[left]] = 1.0
            else:
                alias[i, small[left]] = np.argmax(probabilities[i])
    return conditional, accept, alias


@kernel
def _split_row(
    rng: np.random.Generator,
    n: float,
    conditional: np.ndarray,
    accept: np.ndarray,
    alias: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write a Multinomial(n, row) draw to out [K]: alias draws for small n, else conditional binomials."""
    size = out.size
    out[:] = 0
    if n <= 4.0 * size:
        for _ in range(int(n)):
            x = rng.random() * size
            j = int(x)
            out[j if x - j < accept[j] else alias[j]] += 1
        return
    left = n
    for j in range(size):
        k = binomial(rng, left, conditional[j])
        out[j] = int(k)
        left -= k
        if left <= 0.0:
            return


@kernel
def multinomial_rows(
    rng: np.random.Generator,
    totals: np.ndarray,
    conditional: np.ndarray,
    accept: np.ndarray,
    alias: np.ndarray,
) -> np.ndarray:
    """Counts [n,K], one multinomial draw per row; totals int64 [n], tables of row_tables."""
    out = np.zeros(conditional.shape, dtype=np.int64)
    for i in range(totals.size):
        if totals[i] > 0:
            _split_row(rng, float(totals[i]), conditional[i], accept[i], alias[i], out[i])
    return out


@kernel
def binomial_each(rng: np.random.Generator, totals: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """One binomial draw per entry: totals int64 [n], probabilities [n] -> int64 [n]."""
    out = np.zeros(totals.size, dtype=np.int64)
    for i in range(totals.size):
        out[i] = int(binomial(rng, float(totals[i]), probabilities[i]))
    return out


@kernel
def hypergeometric_each(
    rng: np.random.Generator, good: np.ndarray, bad: np.ndarray, sample: np.ndarray
) -> np.ndarray:
    """One hypergeometric draw per entry: three int64 arrays [n] -> int64 [n]."""
    out = np.zeros(good.size, dtype=np.int64)
    for i in range(good.size):
        out[i] = int(hypergeometric(rng, float(good[i]), float(bad[i]), float(sample[i])))
    return out


@kernel
def _play_actions(
    rng: np.random.Generator,
    episodes: int,
    start: int,
    actions: np.ndarray,
    layers: int,
    conditional: np.ndarray,
    accept: np.ndarray,
    alias: np.ndarray,
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
                b = actions[h, s]
                _split_row(
                    rng, float(here[s]), conditional[h, s, b], accept[h, s, b], alias[h, s, b], edges[h, s]
                )
        here = edges[h].sum(axis=0)


@kernel
def play_policy(
    rng: np.random.Generator,
    arriving: np.ndarray,
    policy: np.ndarray,
    conditional: np.ndarray,
    accept: np.ndarray,
    alias: np.ndarray,
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
        action_conditional, action_accept, action_alias = row_tables(policy[h])
        following = np.zeros(states, dtype=np.int64)
        chosen = np.zeros(num_actions, dtype=np.int64)
        row = np.zeros(states, dtype=np.int64)
        for s in range(states):
            if here[s] == 0:
                continue
            _split_row(rng, float(here[s]), action_conditional[s], action_accept[s], action_alias[s], chosen)
            for b in range(num_actions):
                if chosen[b] > 0:
                    _split_row(
                        rng, float(chosen[b]), conditional[h, s, b], accept[h, s, b], alias[h, s, b], row
                    )
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
    conditional: np.ndarray,
    accept: np.ndarray,
    alias: np.ndarray,
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
        _play_actions(rng, int(share), start, actions[k], length, conditional, accept, alias, edges)
        for h in range(length):
            for s in range(states):
                counts[h, s, actions[k, h, s]] += edges[h, s]
        arrivals[length] += edges[length - 1].sum(axis=0)
    return arrivals


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
def play_until_doubled(
    rng: np.random.Generator,
    actions: np.ndarray,
    layers: int,
    limit: int,
    first_batch: int,
    exact: bool,
    start: int,
    conditional: np.ndarray,
    accept: np.ndarray,
    alias: np.ndarray,
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
        _play_actions(rng, size, start, actions, layers, conditional, accept, alias, edges)
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
                for h in range(layers):
                    for s in range(states):
                        counts[h, s, actions[h, s]] += part[h, s]
                        gained[h, s] += part[h, s].sum()
        for h in range(layers):
            for s in range(states):
                counts[h, s, actions[h, s]] += edges[h, s]
                gained[h, s] += edges[h, s].sum()
        played += size
        batch = played
    return played
