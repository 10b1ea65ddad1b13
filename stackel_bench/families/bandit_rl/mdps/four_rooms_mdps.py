"""Follower MDPs of four rooms: the leader blocks a door with a fine, the follower walks to the far corner."""

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory, stationary_mdp
from stackel_bench.models import FollowerMDP

MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left


def four_rooms_mdps(
    room: int, slip: float, fine: float, step_reward: float, incentive_cost: float, horizon: int
) -> tuple[FollowerMDP, ...]:
    """Four rooms of room x room cells, four doors; leader action 0 does nothing, a = 1..4 fines door a.

    Cells are states (20 for room = 2, 104 for room = 5), the follower's actions are the four moves: with
    probability 1 - slip it goes there, else in one of the four directions, each as likely; walls hold it. It
    starts in the north-west corner. Its reward is 1 in the south-east corner and step_reward elsewhere,
    less `fine` at the fined door. The leader's is 1 in the north-east room, times 1 - incentive_cost if it
    fines. Both ways round are equally long, so without a fine a follower owes the leader nothing. Doors, in
    order: north (between the northern rooms), east, south, west. The rooms are those of Sutton, Precup and
    Singh (1999) the incentives after HPGD (Thoma et al., NeurIPS 2024).
    """
    size = checks.integer("room", room, least=1, most=20)
    slips = checks.real("slip", slip, least=0, most=1)
    ordinary = checks.real("step_reward", step_reward, least=0, most=1, open_most=True)
    pays = checks.real("fine", fine, least=0, most=ordinary)
    cost = checks.real("incentive_cost", incentive_cost, least=0, most=1)
    steps = checks.integer("horizon", horizon, least=1)
    wall, side, middle = size, 2 * size + 1, size // 2
    doors = [(middle, wall), (wall, wall + 1 + middle), (wall + 1 + middle, wall), (wall, middle)]
    cells = [(r, c) for r in range(side) for c in range(side) if (r != wall and c != wall) or (r, c) in doors]
    index = {cell: state for state, cell in enumerate(cells)}
    states = len(cells)
    check_memory(5, steps, states, 4)
    to = [[index.get((r + dr, c + dc), index[r, c]) for dr, dc in MOVES] for r, c in cells]
    rows = np.zeros((states, 4, states))
    for state in range(states):
        for move in range(4):
            rows[state, move, to[state][move]] += 1 - slips
            for other in range(4):
                rows[state, move, to[state][other]] += slips / 4
    goal = index[side - 1, side - 1]
    inside = [r < wall < c for r, c in cells]

    def mdp(action: int) -> FollowerMDP:
        follower = np.full((states, 4), ordinary)
        follower[goal] = 1.0
        if action:
            follower[index[doors[action - 1]]] -= pays
        leader = np.repeat(np.array(inside, dtype=float)[:, None], 4, axis=1) * (1 - cost * (action > 0))
        return stationary_mdp(rows, leader, follower, steps)

    return tuple(mdp(action) for action in range(5))
