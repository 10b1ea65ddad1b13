"""Learners of simultaneous games: the paper's table, the game that its printed program fails on, margins."""

from __future__ import annotations

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.families.simultaneous.instances import SimultaneousGame
from stackel_bench.games.noise import Noise
from stackel_bench.learners.budget import FixedBudget, ScaledBudget, TheoryBudget
from stackel_bench.models import PayoffTable, TieBreaking
from tests.replicates import decisions, failure_rate, plausible, verdicts

COMMITMENT = 7 / 8


@pytest.mark.parametrize("epsilon", [1 / 64, 1 / 16, 0.1, 0.3])
def test_values_of_the_papers_table(epsilon: float) -> None:
    """Spec 5.5: sup phi_0 = 7/8, sup phi_eps = 7/8 - eps/8, gap eps/8, max psi_eps = 7/8 + eps/8, gap 1/2."""
    game = sb.load_game("simultaneous/commitment")
    value = sb.stackelberg_value
    assert value(game, 0.0, "pessimistic") == pytest.approx(COMMITMENT, abs=1e-9)
    assert value(game, 0.0, "optimistic") == pytest.approx(COMMITMENT, abs=1e-9)
    assert value(game, epsilon, "pessimistic") == pytest.approx(COMMITMENT - epsilon / 8, abs=1e-5)
    assert value(game, epsilon, "optimistic") == pytest.approx(COMMITMENT + epsilon / 8, abs=1e-9)
    assert sb.gap(game, epsilon, "pessimistic") == pytest.approx(epsilon / 8, abs=1e-5)
    assert sb.gap(game, epsilon, "optimistic") == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.25])
def test_gaps_of_the_lemmas_game_and_of_the_hard_instance(epsilon: float) -> None:
    """Spec 5.5, bandit games: the lemma's gap is 1/2, the hard instance's gap is its parameter."""
    assert sb.gap(sb.load_game("bandit/gap", epsilon=epsilon), epsilon) == pytest.approx(0.5)
    hard = sb.load_game("bandit/lower_bound", epsilon=epsilon, gap=0.08, bump=1.5)
    assert sb.gap(hard, epsilon) == pytest.approx(0.08)


def test_margin_beats_the_optimistic_algorithm_on_the_papers_own_table() -> None:
    """1,000 pulls of each pair: margin is worth at least 0.86, the optimistic algorithm less than 0.45."""
    game = sb.load_game("simultaneous/commitment")
    budget = FixedBudget(epsilon=0.1, samples=4000)
    margin, paper = (verdicts(game, algorithm, budget, 50) for algorithm in ("margin", "paper"))
    for tie in TieBreaking:
        assert min(verdict.value for verdict in margin[tie]) >= 0.86
    assert max(verdict.value for verdict in paper[TieBreaking.OPTIMISTIC]) < 0.45
    assert all(verdict.guarantee_held for verdict in paper[TieBreaking.OPTIMISTIC])  # its gap is 1/2


def test_margin_serves_both_tie_breakings_with_one_strategy() -> None:
    game = sb.load_game("simultaneous/commitment")
    decided = decisions(game, "margin", FixedBudget(epsilon=0.1, samples=4000), 10)
    for (one,), (other,) in zip(*decided.values(), strict=True):
        assert (one.leader_strategy == other.leader_strategy).all()
        assert one.diagnostics["fallback"] == 0.0


def test_margin_falls_back_where_no_response_can_win_by_enough() -> None:
    """All responses tie everywhere: no margin exists, so it acts as paper."""
    table = PayoffTable(np.array([[0.2, 0.6], [0.4, 0.1]]), np.full((2, 2), 0.5))
    game = SimultaneousGame(table, Noise("deterministic"))
    decided = decisions(game, "margin", FixedBudget(epsilon=0.1, samples=400), 1)
    paper = decisions(game, "paper", FixedBudget(epsilon=0.1, samples=400), 1)
    for tie in TieBreaking:
        ((one,),), ((other,),) = decided[tie], paper[tie]
        assert one.diagnostics["fallback"] == 1.0
        assert (one.leader_strategy == other.leader_strategy).all()


@pytest.mark.parametrize("scale", [1.0, 25.0])
def test_printed_program_fails_on_indifference_and_the_corrected_one_never(scale: float) -> None:
    """Erratum 1: about half of the runs violate the theorem, at any budget (band 0.4 to 0.55, alarm 1e-6)."""
    game = sb.load_game("simultaneous/indifference")
    budget = ScaledBudget(epsilon=0.1, scale=scale)
    optimistic = TieBreaking.OPTIMISTIC
    printed = verdicts(game, "paper", budget, 400, printed_lp=True)[optimistic]
    failures = sum(not verdict.guarantee_held for verdict in printed)
    assert plausible(failures, 400, 0.40, 0.55)
    assert failure_rate(verdicts(game, "paper", budget, 400)[optimistic]) == 0.0
    assert sb.gap(game, 0.1, "optimistic") == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", ["random", "correlated", "security", "inspection", "bertrand"])
def test_failure_probability_at_theory_budgets(name: str) -> None:
    """delta = 0.05 is promised; none of 50 replicates fails, on the certified intervals of the truth."""
    sizes = {"num_leader_actions": 3, "num_follower_actions": 4}
    game = sb.load_game(f"simultaneous/{name}", **(sizes if name in ("random", "correlated") else {}))
    for judged in verdicts(game, "paper", TheoryBudget(0.2), 50).values():
        assert failure_rate(judged) == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_zero_noise_gives_the_optimum(seed: int) -> None:
    """On exact estimates: sup phi at slack 3 eps/4 up to eps/8, max psi at that slack exactly."""
    epsilon = 0.1
    game = sb.load_game(
        "simultaneous/random",
        num_leader_actions=3,
        num_follower_actions=3,
        instance_seed=seed,
        noise="deterministic",
    )
    slack = 3 * epsilon / 4
    decided = decisions(game, "paper", FixedBudget(epsilon, samples=900), 1)
    for tie in TieBreaking:
        ((decision,),) = decided[tie]
        best = sb.stackelberg_value(game, slack, tie)
        room = epsilon / 8 if tie is TieBreaking.PESSIMISTIC else 1e-5  # rounding of the strategy
        assert best - room - 1e-6 <= decision.estimated_value <= best + 1e-5
        assert decision.leader_strategy is not None
        grid = decision.leader_strategy * 2**20
        assert (grid == np.round(grid)).all()
        assert sb.evaluate(game, decision, epsilon).guarantee_held
    plug_in = decisions(game, "plug_in", FixedBudget(epsilon, samples=900), 1)
    ((decision,),) = plug_in[TieBreaking.PESSIMISTIC]
    assert sb.evaluate(game, decision, epsilon).value_suboptimality <= epsilon / 8 + 1e-5


def test_pessimistic_and_optimistic_values_enclose_the_truth_of_a_strategy() -> None:
    """phi <= any response's payoff <= psi among the follower's best responses to the decided strategy."""
    game = sb.load_game("simultaneous/security")
    for tie in TieBreaking:
        result = sb.learn(game, epsilon=0.2, tie_breaking=tie)
        assert result.leader_strategy is not None
        follower = result.leader_strategy @ game.table.follower_means
        leader = result.leader_strategy @ game.table.leader_means
        best = leader[follower >= follower.max() - 1e-12]
        value = sb.evaluate(game, result, 0.2).value
        assert value == pytest.approx(best.min() if tie is TieBreaking.PESSIMISTIC else best.max(), abs=1e-9)


def test_an_interrupted_search_says_so_and_carries_what_is_certified() -> None:
    """After a microsecond: the supremum is at most value plus shortfall, as a longer run shows."""
    unfinished = 0
    for seed in range(3):
        sizes = {"num_leader_actions": 10, "num_follower_actions": 30, "instance_seed": seed}
        game = sb.load_game("simultaneous/random", **sizes)
        budget = FixedBudget(epsilon=0.3, samples=300_000)
        short, long = (
            decisions(game, "paper", budget, 1, time_limit=limit)[TieBreaking.PESSIMISTIC][0][0]
            for limit in (1e-6, 60.0)
        )
        unfinished += short.diagnostics["search_finished"] == 0.0
        assert long.diagnostics["search_finished"] == 1.0
        assert long.diagnostics["certified_shortfall"] <= 0.3 / 8 + 1e-4
        assert short.diagnostics["certified_shortfall"] >= -1e-9
        certified = short.estimated_value + short.diagnostics["certified_shortfall"]
        assert long.estimated_value <= certified + 1e-9
    assert unfinished > 0
