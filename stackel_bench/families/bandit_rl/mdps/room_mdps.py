"""Follower MDPs that are hard in S: a lock in front of rooms, each with its own arms to tell apart."""

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory
from stackel_bench.games import dyadic
from stackel_bench.models import FollowerMDP

RIGHT_BESIDE_BAITS = 0.4  # below a half: of two rooms one bait that seems to be taken is enough to be misled


def rooms_mdps(
    num_leader_actions: int,
    num_follower_actions: int,
    num_states: int,
    horizon: int,
    decoy_value: float,
    lead: float,
    bait: float | None,
    optimal_leader_action: int | None,
    instance_seed: int,
) -> tuple[FollowerMDP, ...]:
    """A lock of H - 1 digits and S - 1 rooms behind it, with one good arm among B in each room.

    Before the last step state 0 is "all digits right so far" and a wrong digit leads to state 1 for good. The
    last right digit leads to one of the rooms, which are all states but state 1, each with the same
    probability. At the last step the good arm of the room pays the follower the mean (1 + lead)/2 and any
    other (1 - lead)/2, while the leader gets 1 in every room under the optimal leader action and decoy_value
    under the others; state 1 pays nothing. Codes and good arms are random, for each leader action its own.

    With V = (1 + lead)/2 a follower who errs by eps at worst fails the lock with probability eps/V: phi_eps
    is 1 - eps/V under the optimal leader action, psi_eps is 1, and the gap is eps/V. A response that is wrong
    in a share w of the rooms costs the follower lead * w, so all but eps/lead of the S - 1 rooms must be
    known, each of which needs about B/lead^2 visits, and an episode visits one at most: as in the lower bound
    for episodic MDPs, no learner is good with fewer than c SB/lead^2 episodes of the leader action it picks,
    for lead = 3 eps or more, which at 3 eps is SB/eps^2. Uniform play is in a room once in B^(H-1) episodes,
    so it needs about S B^H / lead^2. No leader action can be told from another before its lock is open.

    With a bait, a number from 0 to the lead, the optimal leader action pays the leader 2/5 in the rooms, and
    each of the others 1 for one arm of every room, the bait, and 0 for all other arms. The follower gets as
    much less for the bait as the number says. At 0 the bait ties with the good arm: phi is 0, but who takes
    an empirical best response at its word sees 1 half of the time; so phi_eps is 2/5 (1 - eps/V) as before.
    At the lead psi_0 is 0 and psi_eps is at most eps/lead, but 1 for who allows an error of the lead. Any of
    the A - 1 others can win by an error of its own: A z^2 episodes for a union over normal errors.
    """
    actions = checks.integer("num_leader_actions", num_leader_actions, least=1)
    arms = checks.integer("num_follower_actions", num_follower_actions, least=2)
    states = checks.integer("num_states", num_states, least=2)
    steps = checks.integer("horizon", horizon, least=2)
    decoy = checks.real("decoy_value", decoy_value, least=0, most=1, open_most=True)
    ahead = checks.real("lead", lead, least=0, most=1, open_least=True)
    best = actions - 1
    if optimal_leader_action is not None:
        best = checks.integer("optimal_leader_action", optimal_leader_action, least=0, most=actions - 1)
    behind = None if bait is None else checks.real("bait", bait, least=0, most=ahead)
    seed = checks.integer("instance_seed", instance_seed, least=0)
    check_memory(actions, steps, states, arms)
    rooms = np.delete(np.arange(states), 1)
    moves = np.zeros((steps, states, arms, states))
    moves[..., 1] = 1.0
    entry = np.zeros(states)
    entry[rooms] = dyadic.rounded_rows(np.full(states - 1, 1 / (states - 1)))

    def mdp(action: int) -> FollowerMDP:
        rng = streams.generator("instance", "mdp/rooms", seed, steps, states, arms, action)
        code, good = rng.integers(arms, size=steps - 1), rng.integers(arms, size=states - 1)
        transitions = moves.copy()
        transitions[np.arange(steps - 1), 0, code] = np.eye(states)[0]
        transitions[-2, 0, code[-1]] = entry
        leader, follower = np.zeros((2, steps, states, arms))
        leader[-1, rooms] = 1.0 if action == best else decoy
        follower[-1, rooms] = (1 - ahead) / 2
        follower[-1, rooms, good] = (1 + ahead) / 2
        if behind is not None:
            leader[-1, rooms] = RIGHT_BESIDE_BAITS if action == best else 0.0
        if behind is not None and action != best:
            baits = (good + 1) % arms
            leader[-1, rooms, baits] = 1.0
            follower[-1, rooms, baits] = (1 + ahead) / 2 - behind
        return FollowerMDP(transitions, leader, follower)

    return tuple(mdp(action) for action in range(actions))
