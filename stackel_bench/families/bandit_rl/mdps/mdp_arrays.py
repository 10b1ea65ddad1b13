"""Follower MDPs from arrays: given in a configuration or an .npz file, or one step repeated."""

from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.games import dyadic
from stackel_bench.games.array_files import arrays_of_npz, existing_file
from stackel_bench.models import FollowerMDP

MAX_ENTRIES = 2**28  # of all transition arrays together: 2 GiB


def mdps_of_arrays(
    transitions: Any, leader_rewards: Any, follower_rewards: Any, initial_state: int
) -> tuple[FollowerMDP, ...]:
    """One MDP per leader action from transitions [A,H,S,B,S], two rewards [A,H,S,B] and one initial state."""
    probabilities = checks.array("transitions", transitions, shape=(None,) * 5)
    if probabilities.shape[4] != probabilities.shape[2]:
        raise InputError("transitions.shape", probabilities.shape, "[A,H,S,B,S], same S twice")
    checks.distributions("transitions", probabilities)
    shape = probabilities.shape[:4]
    leader = checks.array("leader_rewards", leader_rewards, shape=shape)
    follower = checks.array("follower_rewards", follower_rewards, shape=shape)
    for field, rewards in (("leader_rewards", leader), ("follower_rewards", follower)):
        checks.reject_first(field, rewards, (rewards < 0) | (rewards > 1), "mean rewards in [0, 1]")
    start = checks.integer("initial_state", initial_state, least=0, most=shape[2] - 1)
    models = zip(probabilities, leader, follower, strict=True)
    return tuple(FollowerMDP(*arrays, initial_state=start) for arrays in models)


def mdps_from_file(path: str) -> tuple[FollowerMDP, ...]:
    """The MDPs of an .npz file with transitions, leader_rewards, follower_rewards, initial_state (or 0)."""
    file = existing_file("path", path, (".npz",))
    arrays = arrays_of_npz(file, ("transitions", "leader_rewards", "follower_rewards"), ("initial_state",))
    start = arrays.pop("initial_state", np.array(0))
    if start.ndim != 0 or start.dtype.kind not in "iu":
        raise InputError(f"{file}[initial_state]", start.tolist(), "one integer")
    try:
        return mdps_of_arrays(**arrays, initial_state=int(start))
    except InputError as error:
        raise InputError(f"{file}[{error.field}]", error.found, error.allowed) from error


def stationary_mdp(
    rows: np.ndarray, leader: np.ndarray, follower: np.ndarray, horizon: int, start: int = 0
) -> FollowerMDP:
    """The MDP whose steps are all alike: rows [S,B,S] and rewards [S,B], rounded to the dyadic grid."""
    steps = (dyadic.rounded_rows(rows), dyadic.rounded(leader), dyadic.rounded(follower))
    moves, first, second = (np.broadcast_to(step, (horizon, *step.shape)) for step in steps)
    return FollowerMDP(moves, first, second, start)


def check_memory(num_leader_actions: int, horizon: int, num_states: int, num_follower_actions: int) -> None:
    """Raise an InputError if the transitions of all leader actions would not fit into 2 GiB."""
    entries = num_leader_actions * horizon * num_states**2 * num_follower_actions
    if entries > MAX_ENTRIES:
        raise InputError(
            "num_leader_actions * horizon * num_states^2 * num_follower_actions",
            entries,
            f"<= {MAX_ENTRIES}, transitions of 2 GiB",
        )
