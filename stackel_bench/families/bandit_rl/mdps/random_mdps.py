"""Random follower MDPs: Dirichlet transitions and uniform rewards."""

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory
from stackel_bench.games import dyadic
from stackel_bench.models import FollowerMDP


def random_mdps(
    num_leader_actions: int,
    num_follower_actions: int,
    num_states: int,
    horizon: int,
    concentration: float,
    num_successors: int | None,
    random_start: bool,
    instance_seed: int,
) -> tuple[FollowerMDP, ...]:
    """Independent MDPs, one per leader action, with rewards uniform on [0,1].

    Every row of transitions is Dirichlet(concentration) over num_successors states drawn without repetition
    (all states if None). Rows and rewards are multiples of 2**-20, rows sum to 1 exactly. With random_start
    the first step pays nothing and draws the state whatever the follower does: a random initial state, as the
    paper's footnote builds it, and H - 1 steps.
    """
    actions = checks.integer("num_leader_actions", num_leader_actions, least=1)
    shape = (
        checks.integer("horizon", horizon, least=1),
        checks.integer("num_states", num_states, least=1),
        checks.integer("num_follower_actions", num_follower_actions, least=1),
    )
    alpha = checks.real("concentration", concentration, least=1e-3, most=1e6)
    states = shape[1]
    support = states
    if num_successors is not None:
        support = checks.integer("num_successors", num_successors, least=1, most=states)
    seed = checks.integer("instance_seed", instance_seed, least=0)
    check_memory(actions, *shape)

    def mdp(action: int) -> FollowerMDP:
        rng = streams.generator("instance", "mdp/random", seed, *shape, support, action)
        leader, follower = dyadic.uniform(rng, (2, *shape))
        weights = dyadic.rounded_rows(rng.dirichlet(np.full(support, alpha), size=shape))
        rows = np.zeros((*shape, states))
        where = np.argsort(rng.random(rows.shape), axis=-1)[..., :support]
        np.put_along_axis(rows, where, weights, axis=-1)
        if random_start:
            leader[0], follower[0], rows[0] = 0.0, 0.0, rows[0, 0, 0]
        return FollowerMDP(rows, leader, follower)

    return tuple(mdp(action) for action in range(actions))
