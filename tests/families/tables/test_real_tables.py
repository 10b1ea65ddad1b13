"""Contracts and clustered security against what is known of them without a grid."""

from __future__ import annotations

import numpy as np
import pytest

import stackel_bench as sb


def test_agents_answer_contracts_as_the_first_order_condition_says() -> None:
    game = sb.load_game("bandit/contracts", num_leader_actions=5, num_follower_actions=401, effort_cost=0.8)
    shares, efforts = np.linspace(0, 1, 5), np.linspace(0, 1, 401)
    answered = efforts[game.table.follower_means.argmax(axis=1)]
    np.testing.assert_allclose(answered, np.minimum(1, shares * 0.9 / 1.6), atol=1 / 400)
    values = (1 - shares) * (0.1 + 0.9 * answered)
    np.testing.assert_allclose(sb.leader_values(game), values, atol=1e-5)


def test_a_patrol_protects_where_it_stands_and_density_is_a_share() -> None:
    game = sb.load_game("simultaneous/clustered_security", num_patrols=12, preference=0.0)
    leader, follower = game.table.leader_means, game.table.follower_means
    assert (leader == 1.0).any(axis=1).all()  # each patrol protects its own target
    np.testing.assert_allclose(leader + follower, 1.0, atol=2e-6)  # without tastes of its own: zero-sum
    assert 0 <= follower.min() < follower.max() <= 1


@pytest.mark.parametrize(
    ("lead", "slack", "worth"), [(0.0, 0.0, 0.0), (0.1, 0.05, 1.0), (0.1, 0.1, 0.0), (-0.1, 0.0, 0.0)]
)
def test_a_trap_springs_from_its_lead_on(lead: float, slack: float, worth: float) -> None:
    game = sb.load_game("bandit/trap", num_risky=2, lead=lead)
    assert sb.leader_values(game, slack=slack).tolist() == [worth, worth, 0.5]
