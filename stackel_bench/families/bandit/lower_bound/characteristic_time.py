"""T* of a bandit game with a certified interval: cutting planes over the weights of its pairs.

1/T* is the largest rate, over correct answers and weights that sum to 1, at which every game that makes the
answer wrong is told apart. In units of mass: T* = min sum(w) so that every cut has cut . w >= 1. Cuts so far
give a linear program whose value is a lower bound; weights that satisfy all cuts, an upper bound.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array, vstack

from stackel_bench import checks
from stackel_bench.evaluation.characteristic_time import CharacteristicTime
from stackel_bench.families.bandit.lower_bound.divergence import BERNOULLI, GAUSSIAN
from stackel_bench.families.bandit.lower_bound.separation import Question
from stackel_bench.games.game import truth_of
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite import finite_leader_values, response_sets
from stackel_bench.tolerances import TIE, TIME_RATIO, VALUE, WRONG_GAME, Ties, payoff_unit

LAWS = {"gaussian": GAUSSIAN, "bernoulli": BERNOULLI}
KEPT_SLACK = 1.0  # a response's cuts that are exceeded by more than this are forgotten
MOST_STEPS = 2000
LITTLE_PAIRS, LITTLE_STEPS = 100, 250  # of what sweeps compute on the way: seconds at most
LOOSE = 0.2  # tolerance of wrong games while the interval is wide

Line = tuple[float, list[np.ndarray]]


def instance_bound(game: object, epsilon: float, tie_breaking: TieBreaking) -> CharacteristicTime | None:
    """T* for the game's own noise; None without noise or truth, or where little work does not settle it."""
    divergence = getattr(getattr(game, "noise", None), "kind", "")
    table = getattr(game, "table", None)
    if divergence not in LAWS or table is None or table.leader_means.size > LITTLE_PAIRS:
        return None
    found = characteristic_time(game, epsilon, tie_breaking, divergence, LITTLE_STEPS)
    return found if np.isfinite(found.high) and found.high <= TIME_RATIO * found.low else None


def characteristic_time(
    game: object, epsilon: float, tie_breaking: TieBreaking, divergence: str, steps: int = MOST_STEPS
) -> CharacteristicTime:
    """T* of a bandit game whose table is known, at this accuracy; Gaussian: of the game's own scale."""
    table = truth_of(game, "table")
    law = LAWS[checks.choice("divergence", divergence, list(LAWS))]
    if law == BERNOULLI:
        for name in ("leader_means", "follower_means"):
            means = getattr(table, name)
            checks.reject_first(name, means, (means < 0) | (means > 1), "means in [0, 1]")
    scale = game.sampler.sub_gaussian_scale if law == GAUSSIAN else 1.0  # type: ignore[attr-defined]
    leader, follower, epsilon = table.leader_means / scale, table.follower_means / scale, epsilon / scale
    answers = _answers(leader, follower, epsilon, tie_breaking)
    if tie_breaking is TieBreaking.OPTIMISTIC:
        leader = 1 - leader if law == BERNOULLI else -leader
    question = Question(leader, follower, epsilon, tie_breaking, law)
    nothing = (TIE * max(payoff_unit(leader), payoff_unit(follower))) ** 2  # a cost that is rounding
    return _best(question, answers, nothing, steps)


def _answers(
    leader: np.ndarray, follower: np.ndarray, epsilon: float, tie_breaking: TieBreaking
) -> list[tuple[int, int]]:
    """The correct answers (row, response)."""
    own, best = (epsilon / 2, epsilon) if tie_breaking is TieBreaking.PESSIMISTIC else (epsilon, 0.0)
    values = finite_leader_values(leader, follower, own, tie_breaking)
    wanted = finite_leader_values(leader, follower, best, tie_breaking).max() - epsilon
    members = response_sets(follower, epsilon, Ties.among(follower).tolerance)
    members &= (values >= wanted - VALUE)[:, None]
    return [(int(row), int(response)) for row, response in np.argwhere(members)]


@dataclass(eq=False)
class _Search:
    """What is known of one answer: T* of it is at least low, and at most high, with weights `inside`."""

    question: Question
    row: int
    response: int
    inside: np.ndarray  # [A,B], told apart from every wrong game at cost 1 or more
    of_row: list[csr_array]  # cuts that all answers of the row share
    of_response: list[csr_array] = field(default_factory=list)
    low: float = 0.0
    high: float = np.inf

    def step(self, weights: np.ndarray, nothing: float, line: Line | None = None) -> None:
        """Look for games that these weights do not tell apart; `line` is the leader's, if it is known."""
        wide = (self.high / self.low - 1) / 8 if self.low > 0 else np.inf
        tolerance = min(LOOSE, max(WRONG_GAME, wide))
        bound, of_row = line or self.question.leader_line(weights, self.row, tolerance)
        value, of_response = self.question.follower_line(weights, self.row, self.response)
        cost, mass = min(bound, value), float(weights.sum())
        if any(cut.max() <= nothing for cut in of_row + of_response):
            self.low = self.high = np.inf  # tied with a game in which it is wrong
        elif np.isinf(cost):
            self.low = self.high = 0.0  # nothing can be mistaken
        else:  # mass of at least 1 / max(cut) is needed to satisfy a cut
            self.low = max([self.low, *(1 / cut.max() for cut in of_row + of_response)])
            if cost > 0 and mass / cost < self.high:
                self.high, self.inside = mass / cost, weights / cost
        self.of_row += [] if line else [csr_array(cut.reshape(1, -1)) for cut in of_row]
        self.of_response += [csr_array(cut.reshape(1, -1)) for cut in of_response]

    def outside(self) -> np.ndarray | None:
        """The cheapest weights that satisfy all cuts so far; their mass is a lower bound. None: no solution.

        Weights are in units of what is known to be needed: an answer that is almost wrong has tiny cuts.
        """
        from scipy.optimize import linprog  # half a second, which most commands need not wait for

        unit = self.low
        rows = unit * vstack(self.of_row + self.of_response, format="csr")
        count, size = rows.shape
        solved = linprog(np.ones(size), A_ub=-rows, b_ub=-np.ones(count), method="highs")
        # Feasible dual prices bound the program from below, whatever the solver's tolerances are.
        if solved.status != 0:
            return None
        prices = np.maximum(-solved.ineqlin.marginals, 0.0)
        self.low = max(self.low, unit * float(prices.sum() / max(1.0, (prices @ rows).max())))
        kept = rows @ solved.x <= 1 + KEPT_SLACK
        of_row, of_response = kept[: len(self.of_row)], kept[len(self.of_row) :]
        self.of_row[:] = [cut for cut, keep in zip(self.of_row, of_row, strict=True) if keep]
        self.of_response = [cut for cut, keep in zip(self.of_response, of_response, strict=True) if keep]
        return np.asarray(unit * np.maximum(solved.x, 0.0).reshape(self.inside.shape))


def _best(
    question: Question, answers: list[tuple[int, int]], nothing: float, steps: int
) -> CharacteristicTime:
    """The easiest of the answers; those that are surely harder are left alone."""
    shape = question.leader.shape
    uniform = np.full(shape, 1.0)
    lines = {row: question.leader_line(uniform, row, LOOSE) for row in {row for row, _ in answers}}
    of_rows = {row: [csr_array(cut.reshape(1, -1)) for cut in cuts] for row, (_, cuts) in lines.items()}
    searches = [_Search(question, row, response, uniform, of_rows[row]) for row, response in answers]
    for search in searches:
        search.step(uniform, nothing, lines[search.row])
    for _ in range(steps):
        best = min(searches, key=lambda search: search.high)
        open_one = min(searches, key=lambda search: search.low)
        if best.high <= TIME_RATIO * open_one.low or best.high == open_one.low:
            break
        if np.isfinite(open_one.high):
            outside = open_one.outside()
            if outside is None:
                break
            open_one.step(0.5 * (outside + open_one.inside), nothing)
    best = min(searches, key=lambda search: search.high)
    low = min(min(search.low for search in searches), best.high)
    return CharacteristicTime(low, best.high, best.inside / best.inside.sum())
