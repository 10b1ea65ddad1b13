"""T* of pessimistic bandit games by a second method: grids that zoom in, and cutting planes of its own.

It shares no code with `families/bandit/lower_bound`. Grids overestimate the cheapest wrong game a little, so
that `at most` is not certified; whatever a grid finds is a wrong game, so that `at least` is a lower bound.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

NAMED = {
    "trap": {},
    "lower_bound": {"num_leader_actions": 6, "num_follower_actions": 9, "epsilon": 0.1, "gap": 0.1},
    "taxation": {},
    "random": {},
}
POINTS, ZOOMS, CLOSE = 31, 3, 1.01


def rising(mean: np.ndarray, level: np.ndarray) -> np.ndarray:
    """What it costs, in units of the deviation, to have a mean of at least this level."""
    return np.maximum(level - mean, 0) ** 2 / 2


def falling(mean: np.ndarray, level: np.ndarray) -> np.ndarray:
    """What a mean of at most this level costs."""
    return np.maximum(mean - level, 0) ** 2 / 2


class Formula:
    """Means [A,B] in units of the deviation; pessimistic tie-breaking."""

    def __init__(self, leader: np.ndarray, follower: np.ndarray, epsilon: float) -> None:
        self.leader, self.follower, self.epsilon = leader, follower, epsilon

    def value(self, slack: float) -> np.ndarray:
        """phi_slack [A], by its definition."""
        near = self.follower >= self.follower.max(axis=1, keepdims=True) - slack - 1e-9
        return np.where(near, self.leader, np.inf).min(axis=1)

    def answers(self) -> list[tuple[int, int]]:
        """Correct (row, response)."""
        rows = np.flatnonzero(
            self.value(self.epsilon / 2) >= self.value(self.epsilon).max() - self.epsilon - 1e-9
        )
        best = self.follower.max(axis=1) - self.epsilon - 1e-9
        return [(int(a), int(b)) for a in rows for b in np.flatnonzero(self.follower[a] >= best[a])]

    def entry(self, weights: np.ndarray, row: int) -> tuple[np.ndarray, np.ndarray]:
        """What it costs each response [B] to be within eps/2 of the row's best, and the cuts [B,B] of it."""
        means, size = self.follower[row], len(weights)
        own, other = np.empty(size), np.empty((size, size))
        for b in range(size):
            low, high = means[b], max(means[b], means.max() - self.epsilon / 2)
            for _ in range(ZOOMS):
                x = np.linspace(low, high, POINTS)
                costs = weights[b] * rising(means[b], x)
                costs = costs + (weights * falling(means, x[:, None] + self.epsilon / 2)).sum(axis=1)
                at = costs.argmin()
                low, high = x[max(0, at - 1)], x[min(POINTS - 1, at + 1)]
            own[b], other[b] = costs[at], falling(means, x[at] + self.epsilon / 2)
            other[b, b] += rising(means[b], x[at])
        return own, other

    def cheapest(self, weights: np.ndarray, row: int, rival: int) -> tuple[float, np.ndarray]:
        """The cheapest game in which the rival is surely better by epsilon: its cost and its cut [A,B]."""
        epsilon, (own, entries) = self.epsilon, self.entry(weights[row], row)
        leader, follower, shares = self.leader[rival], self.follower[rival], weights[rival]
        best, cut = np.inf, np.zeros_like(weights)
        for b0 in range(len(shares)):
            c_ends = self.leader.min() - epsilon, self.leader[row].max()
            z_ends = follower.min(), follower.max() + epsilon
            for _ in range(ZOOMS):
                c, z = np.linspace(*c_ends, POINTS), np.linspace(*z_ends, POINTS)
                down = own + weights[row] * falling(self.leader[row], c[:, None])  # [c,B]
                agrees = rising(leader, c[:, None, None] + epsilon) + falling(follower, z[None, :, None])
                each = np.minimum(agrees, falling(follower, z[None, :, None] - epsilon))  # [c,z,B]
                each[:, :, b0] = rising(leader[b0], c[:, None] + epsilon) + (follower[b0] - z) ** 2 / 2
                costs = down.min(axis=1)[:, None] + each @ shares
                i, j = np.unravel_index(costs.argmin(), costs.shape)
                c_ends = c[max(0, i - 1)], c[min(POINTS - 1, i + 1)]
                z_ends = z[max(0, j - 1)], z[min(POINTS - 1, j + 1)]
            if costs[i, j] < best:
                best, cut = costs[i, j], np.zeros_like(weights)
                b = down[i].argmin()
                cut[row], cut[rival] = entries[b], each[i, j]
                cut[row, b] += falling(self.leader[row, b], c[i])
        return best, cut

    def overtaken(self, weights: np.ndarray, row: int, response: int, other: int) -> tuple[float, np.ndarray]:
        """The cheapest game in which another response of the row is better by epsilon: in closed form."""
        w, v = weights[row, response], weights[row, other]
        room = max(0.0, self.follower[row, response] + self.epsilon - self.follower[row, other])
        share = w / (w + v) if w + v > 0 else 0.5
        cut = np.zeros_like(weights)
        cut[row, other], cut[row, response] = (share * room) ** 2 / 2, ((1 - share) * room) ** 2 / 2
        return float((weights * cut).sum()), cut

    def rate(
        self, weights: np.ndarray, row: int, response: int
    ) -> tuple[float, list[tuple[float, np.ndarray]]]:
        """The cost of the cheapest game in which this answer is wrong, and such games with their costs."""
        actions, size = weights.shape
        games = [self.cheapest(weights, row, rival) for rival in range(actions) if rival != row]
        games += [self.overtaken(weights, row, response, b) for b in range(size) if b != response]
        return min(cost for cost, _ in games), games

    def time(self) -> tuple[float, float]:
        """T* lies between these, up to the error of the grids in the second one."""
        low, high = np.inf, np.inf
        uniform = np.ones(self.leader.shape)
        easiest_first = sorted(self.answers(), key=lambda answer: -self.rate(uniform, *answer)[0])
        for answer in easiest_first:
            ends = self.time_of(*answer, high)
            low, high = min(low, ends[0]), min(high, ends[1])
        return low, high

    def time_of(self, row: int, response: int, enough: float) -> tuple[float, float]:
        """The same of one answer; ends early once it is surely above `enough`."""
        shape = self.leader.shape
        weights = inside = np.full(shape, 1 / self.leader.size)
        low, high, cuts = 0.0, np.inf, []
        for _ in range(400):
            rate, games = self.rate(weights, row, response)
            cuts += [cut.ravel() for cost, cut in games if cost <= 3 * rate]
            if rate > 0 and 1 / rate < high:
                high, inside = 1 / rate, weights
            rows = np.array(cuts)
            unit = rows.max()
            solved = linprog(
                np.r_[np.zeros(weights.size), -1.0],
                A_ub=np.c_[-rows / unit, np.ones(len(rows))],
                b_ub=np.zeros(len(rows)),
                A_eq=np.r_[np.ones(weights.size), 0.0][None],
                b_eq=[1.0],
                bounds=[(0, None)] * weights.size + [(None, None)],
            )
            low = max(low, 1 / (unit * -solved.fun))
            if high <= CLOSE * low or low > enough:
                break
            weights = 0.5 * (inside + solved.x[:-1].reshape(shape))
        return low, high
