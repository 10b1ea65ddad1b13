"""Bandit games as bandit-RL games of one step and one state, where the follower may mix its actions."""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from stackel_bench.families.bandit.by_name import named_bandit
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.families.tables.paper_tables import lower_bound_table
from stackel_bench.models import FollowerMDP, PayoffTable


def one_step_mdps(table: PayoffTable) -> tuple[FollowerMDP, ...]:
    """One MDP with H = S = 1 per row of the table."""
    actions = table.shape[1]
    return tuple(
        FollowerMDP(np.ones((1, 1, actions, 1)), leader.reshape(1, 1, -1), follower.reshape(1, 1, -1))
        for leader, follower in zip(table.leader_means, table.follower_means, strict=True)
    )


def bandit_embedding(bandit: str, parameters: Mapping[str, Any]) -> BanditRLGame:
    """A bandit game by name, with its noise, as H = S = 1.

    Values at slack 0 are the bandit game's. At slack eps > 0 they are not: the follower may mix a best
    response with any worse one, so that phi_eps is lower (psi_eps higher) and continuous in eps.
    """
    game = named_bandit(bandit, parameters)
    return BanditRLGame(one_step_mdps(game.table), game.noise)


@functools.wraps(lower_bound_table, assigned=())  # its parameters
def lower_bound_mdps(*arguments: Any, **parameters: Any) -> tuple[FollowerMDP, ...]:
    """The hard bandit game as H = S = 1: every wrong row loses gap + bump * eps.

    Because the follower may mix, the game's gap at eps is not `gap` but
    max(gap + bump * eps / 5, (gap + bump * eps) / 2). With bump > 2 that is below the loss by more than eps,
    so that a wrong row violates the upper bound.
    """
    return one_step_mdps(lower_bound_table(*arguments, **parameters))
