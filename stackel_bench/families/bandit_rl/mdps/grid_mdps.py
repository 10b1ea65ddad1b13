"""Follower MDPs of small worlds: Gymnasium's tables with a lever, and four rooms with a fine at a door."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory, stationary_mdp
from stackel_bench.models import FollowerMDP

LEVERS = ("slipperiness", "toll", "subsidy")
# environment -> the option that makes it rough
ENVIRONMENTS = {"FrozenLake": "is_slippery", "CliffWalking": "is_slippery", "Taxi": "is_rainy"}


@dataclass(frozen=True)
class _World:
    """A stationary MDP: transitions [S,B,S], rewards [S,B] in [0,1], which states go on, where it starts."""

    transitions: np.ndarray
    rewards: np.ndarray
    active: np.ndarray
    start: int


def frozen_lake_mdps(
    environment: str,
    num_leader_actions: int,
    horizon: int,
    lever: str,
    lever_actions: Sequence[int],
    lever_size: float,
    slipperiness: float,
    welfare_weight: float,
) -> tuple[FollowerMDP, ...]:
    """One MDP per level a/(A-1) of the lever, in a Gymnasium world of H steps.

    The world is a mixture, (1-q) calm + q rough, of Gymnasium's transition tables; where an episode
    terminates, it stays, with reward 0. `base` is Gymnasium's reward mapped to [0,1], the smallest that it
    gives (or 0) to 0 and the largest (or 0) to 1. `used` is 1 if the action is one of lever_actions and the
    episode has not terminated, `going` is 1 until it terminates. With w = welfare_weight and
    x = lever_size * level:

    - slipperiness: q = slipperiness * level, follower gets base, leader w base + (1-w) x going (saved upkeep)
    - toll: q = slipperiness, follower gets (base + 1 - x used) / 2, leader w base + (1-w) x used
    - subsidy: q = slipperiness, follower gets (base + x used) / 2, leader w base + (1-w) (1 - x used)
    """
    checks.choice("environment", environment, list(ENVIRONMENTS))
    levels = checks.integer("num_leader_actions", num_leader_actions, least=2)
    steps = checks.integer("horizon", horizon, least=1)
    checks.choice("lever", lever, LEVERS)
    size = checks.real("lever_size", lever_size, least=0, most=1)
    roughest = checks.real("slipperiness", slipperiness, least=0, most=1)
    weight = checks.real("welfare_weight", welfare_weight, least=0, most=1)
    calm, rough = (_world(environment, rough) for rough in (False, True))
    states, actions = calm.rewards.shape
    check_memory(levels, steps, states, actions)
    used = np.zeros((states, actions))
    if isinstance(lever_actions, str) or not isinstance(lever_actions, Sequence):
        raise InputError("lever_actions", lever_actions, "a list of actions")
    for i, action in enumerate(lever_actions):
        used[:, checks.integer(f"lever_actions[{i}]", action, least=0, most=actions - 1)] = 1
    used *= calm.active[:, None]

    def mdp(level: float) -> FollowerMDP:
        q = roughest * (level if lever == "slipperiness" else 1.0)
        x = size * level
        base = (1 - q) * calm.rewards + q * rough.rewards
        if lever == "slipperiness":
            follower, money = base, x * calm.active[:, None]
        elif lever == "toll":
            follower, money = (base + 1 - x * used) / 2, x * used
        else:
            follower, money = (base + x * used) / 2, 1 - x * used
        leader = weight * base + (1 - weight) * money
        rows = (1 - q) * calm.transitions + q * rough.transitions
        return stationary_mdp(rows, leader, follower, steps, calm.start)

    return tuple(mdp(float(level)) for level in np.linspace(0, 1, levels))


def toy_text() -> Any:
    """Gymnasium's module of FrozenLakeEnv, CliffWalkingEnv and TaxiEnv; gymnasium is an extra."""
    try:
        from gymnasium.envs import toy_text as found
    except ImportError as error:
        missing = "the package gymnasium is not installed"
        raise InputError("game", missing, "pip install stackel_bench[gym]") from error
    return found


def _world(environment: str, rough: bool) -> _World:
    world: Any = getattr(toy_text(), f"{environment}Env")(**{ENVIRONMENTS[environment]: rough})
    table, states, actions = world.P, len(world.P), len(world.P[0])
    transitions, rewards = np.zeros((states, actions, states)), np.zeros((states, actions))
    active = np.ones(states)
    smallest = largest = 0.0
    for state, action in np.ndindex(states, actions):
        for probability, successor, reward, terminated in table[state][action]:
            transitions[state, action, successor] += probability
            rewards[state, action] += probability * reward
            smallest, largest = min(smallest, reward), max(largest, reward)
            if terminated:
                active[successor] = 0
    ended = active == 0
    transitions[ended], rewards[ended] = np.eye(states)[ended][:, None, :], 0
    start = int(np.argmax(world.initial_state_distrib))
    return _World(transitions, (rewards - smallest) / (largest - smallest), active, start)


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
