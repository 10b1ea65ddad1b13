"""Follower MDPs that are hard to explore: a combination lock and a chain of states against a current."""

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory
from stackel_bench.games import dyadic
from stackel_bench.models import FollowerMDP


def lock_mdps(
    num_leader_actions: int,
    num_follower_actions: int,
    num_states: int,
    horizon: int,
    decoy_value: float,
    treasure: float,
    background: float,
    optimal_leader_action: int | None,
    instance_seed: int,
) -> tuple[FollowerMDP, ...]:
    """One combination lock of `horizon` digits per leader action; only behind it are rewards.

    State 0 is "all digits right so far": the right action of the step (random, own code for each leader
    action) stays there, any other leads to one of the states 1..S-1, uniformly and for good. At the last step
    the right action in state 0 pays the mean `treasure` to the follower, and to the leader `treasure` under
    the optimal leader action, decoy_value * treasure under the others; all else pays the mean `background` to
    the follower at the last step (and 0 to the leader). Uniform play is in state 0 at the last step with
    probability B^-(H-1), yet without it no leader action can be told from another. gap_eps =
    eps * treasure / (treasure - background).
    """
    actions = checks.integer("num_leader_actions", num_leader_actions, least=1)
    digits = checks.integer("num_follower_actions", num_follower_actions, least=2)
    states = checks.integer("num_states", num_states, least=2)
    steps = checks.integer("horizon", horizon, least=1)
    decoy = checks.real("decoy_value", decoy_value, least=0, most=1, open_most=True)
    pays = checks.real("treasure", treasure, least=0, most=1, open_least=True)
    floor = checks.real("background", background, least=0, most=pays, open_most=True)
    best = actions - 1
    if optimal_leader_action is not None:
        best = checks.integer("optimal_leader_action", optimal_leader_action, least=0, most=actions - 1)
    seed = checks.integer("instance_seed", instance_seed, least=0)
    check_memory(actions, steps, states, digits)
    astray = np.zeros((steps, states, digits, states))
    astray[..., 1:] = dyadic.rounded_rows(np.full(states - 1, 1 / (states - 1)))

    def mdp(action: int) -> FollowerMDP:
        code = streams.generator("instance", "mdp/lock", seed, steps, digits, action).integers(
            digits, size=steps
        )
        transitions = astray.copy()
        transitions[np.arange(steps), 0, code] = np.eye(states)[0]
        leader, follower = np.zeros((2, steps, states, digits))
        follower[-1] = floor
        follower[-1, 0, code[-1]] = pays
        leader[-1, 0, code[-1]] = pays * (1.0 if action == best else decoy)
        return FollowerMDP(transitions, leader, follower)

    return tuple(mdp(action) for action in range(actions))


def chain_mdps(
    num_leader_actions: int,
    num_states: int,
    horizon: int,
    weakest_current: float,
    strongest_current: float,
    shore_reward: float,
    dam_cost: float,
) -> tuple[FollowerMDP, ...]:
    """A chain of states against a current (like RiverSwim) whose strength c the leader sets, from a grid.

    Follower action 0 drifts one state down. Action 1 swims: up with probability 1 - c, stays with 3c/4, is
    carried one down with c/4 (ends of the chain: stays). The follower gets shore_reward for drifting in
    state 0 and 1 for swimming in the last state; the leader gets, for the latter, 1 - dam_cost * (share by
    which the current is held back, 0 at the strongest and 1 at the weakest). So the leader wants as strong a
    current as the follower is still willing to swim against. Episodes start in state 0.
    """
    actions = checks.integer("num_leader_actions", num_leader_actions, least=1)
    states = checks.integer("num_states", num_states, least=2)
    steps = checks.integer("horizon", horizon, least=1)
    weakest = checks.real("weakest_current", weakest_current, least=0, most=1)
    strongest = checks.real("strongest_current", strongest_current, least=weakest, most=1)
    shore = checks.real("shore_reward", shore_reward, least=0, most=1)
    cost = checks.real("dam_cost", dam_cost, least=0, most=1)
    check_memory(actions, steps, states, 2)

    def mdp(current: float, held_back: float) -> FollowerMDP:
        rows = np.zeros((states, 2, states))
        for state in range(states):
            above, below = min(state + 1, states - 1), max(state - 1, 0)
            rows[state, 0, below] = 1.0
            for to, probability in ((above, 1 - current), (state, 0.75 * current), (below, 0.25 * current)):
                rows[state, 1, to] += probability
        leader, follower = np.zeros((2, steps, states, 2))
        follower[:, 0, 0] = shore
        follower[:, -1, 1] = 1.0
        leader[:, -1, 1] = 1 - cost * held_back
        full = (steps, states, 2, states)
        return FollowerMDP(np.broadcast_to(dyadic.rounded_rows(rows), full), leader, follower)

    shares = np.linspace(1, 0, actions)
    return tuple(mdp(strongest - (strongest - weakest) * share, share) for share in map(float, shares))
