"""Nash-finding learners find equilibria, and these are not Stackelberg's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from stackel_bench.errors import InputError
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.games import load_game
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import TheoryBudget, make_budget
from stackel_bench.learners.decision import Decision
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.finite import turn_based_gaps
from stackel_bench.planning.mixed.nash import nash_equilibria
from tests.replicates import decide

PESSIMISTIC = TieBreaking.PESSIMISTIC


def run(game: Game, which: str, replicates: int, **budget: object) -> list[list[Decision]]:
    """Decisions [replicate][rung]."""
    learner = make_learner(game.family, "nash", which=which)
    schedule = learner.schedule(game.sampler, make_budget(**{"kind": "theory", **budget}))  # type: ignore[arg-type]
    return decide(learner, game, schedule, replicates, PESSIMISTIC, seed=3)


def loss(game: Game, decision: Decision) -> float:
    return judge(oracle_of(game), decision, 0.1).value_suboptimality


def test_pure_equilibria_against_a_search_over_all_follower_policies() -> None:
    """(a, b) is on an equilibrium path iff some follower policy with policy(a) = b makes it one."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        rows, columns = rng.integers(1, 4, size=2)
        leader, follower = rng.integers(0, 3, size=(2, rows, columns)) / 2
        found = turn_based_gaps(leader, follower) <= 0.0
        wanted = np.zeros((rows, columns), dtype=bool)
        for policy in itertools.product(range(columns), repeat=rows):
            values = leader[np.arange(rows), policy]
            for row in range(rows):
                content = values[row] >= values.max()
                best = follower[row, policy[row]] >= follower[row].max()
                wanted[row, policy[row]] |= content and best
        assert (found == wanted).all()


def test_the_stackelberg_solution_is_one_of_the_equilibria() -> None:
    """The paper's observation, with the pessimistic follower policy as the threat."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        leader, follower = rng.integers(0, 4, size=(2, 4, 3)) / 4
        best = np.where(follower == follower.max(axis=1, keepdims=True), leader, np.inf)
        row = int(best.min(axis=1).argmax())
        assert turn_based_gaps(leader, follower)[row, best[row].argmin()] == 0.0


def test_mixed_equilibria_are_equilibria_and_none_is_missing() -> None:
    """Generic random games: as many as a support enumeration by linear programs finds, an odd number."""
    rng = np.random.default_rng(2)
    for _ in range(25):
        rows, columns = (int(n) for n in rng.integers(1, 4, size=2))
        table = PayoffTable(rng.random((rows, columns)), rng.random((rows, columns)))
        found = nash_equilibria(table)
        for nash in found:
            gains = (
                (table.leader_means @ nash.follower_strategy).max() - nash.leader_value,
                (nash.leader_strategy @ table.follower_means).max() - nash.follower_value,
            )
            assert max(gains) < 1e-9
            assert nash.leader_strategy.sum() == pytest.approx(1)
        assert len(found) == _count_by_supports(table)
        assert len(found) % 2 == 1


def _count_by_supports(table: PayoffTable) -> int:
    """Equilibria with supports of equal size, each found by two feasibility problems (HiGHS)."""
    rows, columns = table.shape
    count = 0
    for size in range(1, min(rows, columns) + 1):
        for support in itertools.combinations(range(rows), size):
            for responses in itertools.combinations(range(columns), size):
                count += _indifferent(table.follower_means.T, support, responses) and _indifferent(
                    table.leader_means, responses, support
                )
    return count


def _indifferent(payoffs: np.ndarray, support: tuple[int, ...], best: tuple[int, ...]) -> bool:
    """Whether a mixture over `support` (columns of payoffs) makes exactly `best` (rows) optimal, value v."""
    size = payoffs.shape[1]
    equal = [np.append(payoffs[row], -1.0) for row in best] + [np.append(np.ones(size), 0.0)]
    others = [np.append(payoffs[row], -1.0) for row in range(len(payoffs)) if row not in best]
    bounds = [(1e-9, 1) if j in support else (0, 0) for j in range(size)] + [(None, None)]
    result = linprog(
        np.zeros(size + 1),
        A_ub=np.array(others) if others else None,
        b_ub=np.zeros(len(others)) if others else None,
        A_eq=np.array(equal),
        b_eq=np.array([0.0] * len(best) + [1.0]),
        bounds=bounds,
    )
    return result.status == 0


def test_degenerate_tables_keep_their_extreme_equilibria() -> None:
    """All payoffs equal: every pair of pure strategies; matching pennies: the uniform one alone."""
    flat = nash_equilibria(PayoffTable(np.zeros((2, 3)), np.zeros((2, 3))))
    assert len(flat) == 6
    (pennies,) = nash_equilibria(PayoffTable(np.eye(2), 1 - np.eye(2)))
    assert pennies.leader_strategy == pytest.approx([0.5, 0.5])


def test_trap_nash_gap_vanishes_while_the_stackelberg_loss_stays_one_half() -> None:
    """The best equilibrium is worth 1 on paper and 0 to a leader whose follower breaks ties against it."""
    game = load_game("bandit/trap", num_risky=4)
    for which in ("best", "backward_induction"):
        runs = run(game, which, 40, kind="ladder", rungs=8, epsilon=0.01)
        gaps = np.array([[rung.diagnostics["nash_gap"] for rung in ladder] for ladder in runs])
        losses = np.array([[loss(game, rung) for rung in ladder] for ladder in runs])
        assert (gaps[:, -1] < 0.02).all()
        assert (gaps[:, 0] / gaps[:, -1] > 50).all()
        assert losses[:, -1].mean() >= (0.5 if which == "best" else 0.35)
    assert all(loss(game, found) == 0 for (found,) in run(game, "worst", 20, epsilon=0.1))


def test_random_picks_every_equilibrium_of_the_trap_equally_often() -> None:
    """Four risky pairs, and the safe row with either response: 2/3 of 300 runs lose 1/2.

    False alarm: |Binomial(300, 2/3) - 200| > 40 has probability 1e-6.
    """
    game = load_game("bandit/trap", num_risky=4)
    losses = [loss(game, found) for (found,) in run(game, "random", 300, epsilon=0.1)]
    assert set(losses) == {0.0, 0.5}
    assert abs(sum(losses) / 0.5 - 200) <= 40


def test_the_papers_table_has_one_equilibrium_and_it_is_worth_less_than_commitment() -> None:
    """(a1, b1) is worth 1/2 to the leader, committing to a mixed strategy 7/8 (leader payoffs over 4)."""
    game = load_game("simultaneous/commitment")
    for which in ("best", "worst", "random"):
        ((found,),) = run(game, which, 1, epsilon=0.1)
        assert found.leader_strategy is not None
        assert found.leader_strategy.tolist() == [1.0, 0.0]
        assert loss(game, found) == pytest.approx(0.375)


def test_nash_gap_bounds_the_true_gap() -> None:
    """On random bimatrix games neither player gains more than the diagnostic (allowed rate 0.05, seen: 0)."""
    sizes = {"num_leader_actions": 3, "num_follower_actions": 3}
    for seed in range(60):
        game = load_game("simultaneous/random", instance_seed=seed, **sizes)
        ((found,),) = run(game, "random", 1, epsilon=0.3)
        strategy = found.leader_strategy
        assert strategy is not None
        means = strategy @ game.table.follower_means
        # The response is the most likely one of the equilibrium, hence within the gap of the best.
        assert means.max() - means[found.follower_response] <= found.diagnostics["nash_gap"]


def test_options_and_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="best, worst, random"):
        make_learner("simultaneous", "nash", which="backward_induction")
    with pytest.raises(InputError, match="which"):
        make_learner("bandit", "paper", which="best")
    game = load_game("simultaneous/random", num_leader_actions=12, num_follower_actions=12)
    with pytest.raises(InputError, match="8 x 8"):
        make_learner("simultaneous", "nash").schedule(game.sampler, TheoryBudget())
