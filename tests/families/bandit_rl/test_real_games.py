"""Games with a formula: trees, tolls, rooms and economies, each against a statement that is known of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.families.bandit_rl.mdps.toll_mdps import VALLEY, fastest_route, links_of_tntp
from stackel_bench.models import TieBreaking

TIES = [tie.value for tie in TieBreaking]


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize(
    ("depth", "windows", "branches", "horizon"), [(0, 1, 3, 3), (1, 2, 2, 6), (2, 2, 2, 9), (1, 3, 3, 6)]
)
def test_a_tree_is_the_hard_table_with_an_arm_for_every_way_through_it(
    tie: str, depth: int, windows: int, branches: int, horizon: int
) -> None:
    """Its policies are mixtures of arms: values at every slack are those of the table, mixed."""
    tree = sb.load_game(
        "bandit_rl/tree",
        depth=depth,
        windows=windows,
        horizon=horizon,
        num_follower_actions=branches,
        num_leader_actions=3,
    )
    arms = windows * branches ** (depth + 1)
    table = sb.load_game("bandit_rl/lower_bound", num_leader_actions=3, num_follower_actions=arms)
    for slack in (0.0, 0.05, 0.1, 0.3):
        found, wanted = (sb.leader_values(game, slack=slack, tie_breaking=tie) for game in (tree, table))
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_a_tree_needs_payoff_steps() -> None:
    with pytest.raises(sb.InputError, match="horizon"):
        sb.load_game("bandit_rl/tree", depth=2, windows=2, horizon=5)


@pytest.mark.parametrize(("treasure", "background"), [(1.0, 0.0), (0.9, 0.1), (0.6, 0.3)])
def test_a_noisy_lock_has_the_gap_of_its_formula(treasure: float, background: float) -> None:
    lock = sb.load_game("bandit_rl/lock", horizon=4, treasure=treasure, background=background)
    epsilon = 0.05
    assert sb.gap(lock, epsilon=epsilon) == pytest.approx(epsilon * treasure / (treasure - background))


def test_a_random_start_is_a_mean_over_states() -> None:
    """Values are the mean, by the first step's law, of those of games that start in each state."""
    sizes = {"num_states": 3, "horizon": 3, "num_follower_actions": 2, "num_leader_actions": 2}
    game = sb.load_game("bandit_rl/random", random_start=True, **sizes)
    for mdp, value in zip(game.mdps, sb.leader_values(game), strict=True):
        law = mdp.transitions[0, 0, 0]
        assert (mdp.transitions[0] == law).all()
        parts = [
            sb.leader_values(
                sb.load_game(
                    "bandit_rl/explicit",
                    transitions=mdp.transitions[None, 1:],
                    leader_rewards=mdp.leader_rewards[None, 1:],
                    follower_rewards=mdp.follower_rewards[None, 1:],
                    initial_state=state,
                )
            )[0]
            for state in range(3)
        ]
        assert value == pytest.approx(law @ parts)


def test_tolls_drive_traffic_off_the_short_road() -> None:
    """The fastest route is found, and the follower's cost with no jam is that of the cheapest route."""
    assert fastest_route(VALLEY, 7) == {(0, 2), (2, 4), (4, 6)}  # 2 + 2 + 3 minutes
    game = sb.load_game("bandit_rl/tolls", jam=0.0, max_toll=4.0, num_leader_actions=2)
    scale = 5.0 + 4.0
    free, tolled = (-sb.planning.worst_case_best_response(mdp, 0.0).follower_optimum for mdp in game.mdps)
    steps = game.mdps[0].shape[0]
    assert steps + free == pytest.approx(7 / scale, abs=1e-5)
    assert steps + tolled == pytest.approx(13 / scale, abs=1e-5)  # around the centre: 4 + 4 + 3 + 2


def test_networks_of_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "Tiny_net.tntp"
    head = (
        "<NUMBER OF NODES> 3\n<END OF METADATA>\n~ init term capacity length time b power speed toll type ;\n"
    )
    file.write_text(f"{head}\t1\t2\t10\t5\t2.5\t0.15\t4\t0\t0\t1\t;\n\t2\t3\t10\t5\t1\t0.15\t4\t0\t0\t1\t;\n")
    assert links_of_tntp(str(file)) == [(0, 1, 2.5), (1, 2, 1.0)]
    assert sb.load_game("bandit_rl/tolls", path=str(file)).sizes["num_states"] == 3
    for body in ("1 2 ;", "1 1 0 0 3 ;", "1 2 0 0 -3 ;", ""):
        file.write_text(head + body)
        with pytest.raises(sb.InputError):
            sb.load_game("bandit_rl/tolls", path=str(file))
    file.write_text(head + "1 2 0 0 3 ;\n3 2 0 0 3 ;")
    with pytest.raises(sb.InputError, match="a road from node 1 to node 3"):
        sb.load_game("bandit_rl/tolls", path=str(file))


def test_four_rooms_have_as_many_cells_as_in_the_literature_and_two_equal_ways() -> None:
    assert sb.load_game("bandit_rl/four_rooms", room=5, horizon=1).sizes["num_states"] == 104
    game = sb.load_game("bandit_rl/four_rooms", slip=0.0)
    worst, best = (sb.leader_values(game, tie_breaking=tie) for tie in TIES)
    assert worst[0] == 0.0 < best[0]  # without a fine a follower may go either way
    assert worst[4] > 0.0  # the western door fined: it goes through the leader's room
    assert best[1] == 0.0 == worst[1]  # the northern door fined: it does not
    follower = [sb.planning.worst_case_best_response(mdp, 0.0).follower_optimum for mdp in game.mdps]
    assert follower[0] == pytest.approx(0.5 * 8 + 2)  # eight steps to the corner, two in it
    assert follower == pytest.approx([follower[0]] * 5)  # a fine on one way leaves the other


def test_economies_conserve_what_they_move() -> None:
    """Assets and the pot move to a grid with the right mean, and without tax the leader raises nothing."""
    game = sb.load_game("bandit_rl/tax_design", welfare_weight=0.0)
    assert sb.leader_values(game)[0] == 0.0
    levels = np.linspace(0, 1, 4)
    saved = game.mdps[0].transitions[0, 0] @ levels  # no assets: hours 0, 1/2, 1, and nothing or all spent
    np.testing.assert_allclose(saved, [0, 0, 0.5, 0, 1, 0], atol=2e-6)
    citizens = sb.load_game("bandit_rl/citizens", num_citizens=2, max_rate=0.5)
    richest = (
        citizens.mdps[-1].transitions[1, 0, -1] @ levels
    )  # skill 1, all labour: T(1) = 0.5 + 0.125, halved
    assert richest == pytest.approx(0.3125, abs=2e-6)
    assert citizens.sizes["horizon"] == 3
