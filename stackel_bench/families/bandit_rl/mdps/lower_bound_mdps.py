"""Follower MDPs of lower bounds: bandit games as one-step MDPs, and the tree of the episodic bound."""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.instances import named_bandit
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory
from stackel_bench.families.tables.payoffs.paper_tables import lower_bound_table
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


def tree_mdps(
    num_leader_actions: int,
    num_follower_actions: int,
    depth: int,
    windows: int,
    horizon: int,
    epsilon: float,
    gap: float,
    bump: float,
) -> tuple[FollowerMDP, ...]:
    """The hard table with an arm for every (time of entry, leaf, action), in S states and H steps.

    In state 0 action 0 waits (for at most `windows` - 1 steps), any other enters a complete B-ary tree of
    `depth` levels; in a leaf the follower pulls one of B arms, M = windows * B^(depth + 1) in all. An arm
    pays the leader at once what its column of the lower-bound table pays, and leads to a good state with
    probability 1/2 + (its lead)/(payoff steps), else to a bad one; at each of the last
    horizon - windows - depth - 1 steps, the payoff steps P, the good state pays the follower 1. So a policy
    is a mixture of arms whose follower value is P/2 + lead, and values and gaps are those of
    bandit_rl/lower_bound with M columns. An arm must be known within eps/P: A M P^2 / eps^2 episodes up to
    constants, H^3 SAB / eps^2 if windows and P grow with H. Uniform play waits w steps with probability
    B^-w. After Domingues, Menard, Kaufmann, Valko (ALT 2021).
    """
    actions = checks.integer("num_follower_actions", num_follower_actions, least=2)
    levels = checks.integer("depth", depth, least=0, most=12)
    entries = checks.integer("windows", windows, least=1)
    steps = checks.integer("horizon", horizon, least=entries + levels + 2)
    payoff_steps = steps - entries - levels - 1
    leaves, nodes = actions**levels, (actions ** (levels + 1) - 1) // (actions - 1)
    states = 1 + nodes + 2
    good, bad = states - 2, states - 1
    table = lower_bound_table(
        num_leader_actions, entries * leaves * actions, epsilon, gap, bump, None, None, None
    )
    check_memory(len(table.leader_means), steps, states, actions)
    if 2 * table.follower_means.max() - 1 > payoff_steps:
        raise InputError("epsilon", epsilon, f"at most {payoff_steps / 4:g}, a quarter of the payoff steps")

    moves = np.zeros((steps, states, actions, states))
    first = 1 + nodes - leaves  # the first leaf
    for step in range(steps):
        moves[step, 0, :, 1] = 1.0
        if step < entries - 1:
            moves[step, 0, 0] = np.eye(states)[0]
        for node in range(1, first):  # children of node k (counted from 0) are B k + 1 ... B k + B
            for action in range(actions):
                moves[step, node, action, 1 + actions * (node - 1) + 1 + action] = 1.0
        moves[step, first:good, :, bad] = 1.0  # at other times than the follower can be there
    moves[:, good, :, good] = moves[:, bad, :, bad] = 1.0
    pulls = [(step + levels + 1) for step in range(entries)]  # when a leaf is reached after waiting so long

    def mdp(row: int) -> FollowerMDP:
        transitions, leader, follower = moves.copy(), *np.zeros((2, steps, states, actions))
        shape = (entries, leaves, actions)
        chances = 0.5 + (table.follower_means[row].reshape(shape) - 0.5) / payoff_steps
        transitions[pulls, first:good, :, good] = chances
        transitions[pulls, first:good, :, bad] = 1.0 - chances
        leader[pulls, first:good] = table.leader_means[row].reshape(shape)
        follower[steps - payoff_steps :, good] = 1.0
        return FollowerMDP(transitions, leader, follower)

    return tuple(mdp(row) for row in range(len(table.leader_means)))
