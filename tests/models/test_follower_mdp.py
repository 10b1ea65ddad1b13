"""Follower MDPs: probabilities, shapes and start are checked once, with the entry that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP

H, S, B = 3, 2, 4


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    transitions = rng.dirichlet(np.ones(S), (H, S, B))
    return {
        "transitions": transitions,
        "leader_rewards": rng.random((H, S, B)),
        "follower_rewards": rng.random((H, S, B)),
    }


def test_shape_and_start() -> None:
    mdp = FollowerMDP(**arrays(), initial_state=1)
    assert mdp.shape == (H, S, B)
    assert mdp.initial_state == 1
    for name in arrays():
        assert not getattr(mdp, name).flags.writeable


def changed(name: str, index: tuple[int, ...], value: float) -> dict[str, np.ndarray]:
    result = arrays()
    result[name][index] = value
    return result


@pytest.mark.parametrize(
    ("faulty", "field"),
    [
        (changed("transitions", (1, 0, 2, 0), -0.25), "transitions[1,0,2,0]"),
        (changed("transitions", (1, 0, 2, 0), 0.999), "sum of transitions[1,0,2]"),
        (changed("transitions", (1, 0, 2, 0), np.nan), "transitions[1,0,2,0]"),
        (changed("leader_rewards", (0, 1, 3), np.inf), "leader_rewards[0,1,3]"),
        (changed("follower_rewards", (2, 1, 3), np.nan), "follower_rewards[2,1,3]"),
        (arrays() | {"transitions": np.full((H, S, B, S + 1), 1 / (S + 1))}, "transitions.shape"),
        (arrays() | {"transitions": np.ones((0, S, B, S))}, "transitions.shape"),
        (arrays() | {"transitions": np.ones((H, 0, B, 0))}, "transitions.shape"),
        (arrays() | {"transitions": np.ones((H, S, 0, S))}, "transitions.shape"),
        (arrays() | {"transitions": np.ones((H, S, B))}, "transitions.shape"),
        (arrays() | {"leader_rewards": np.ones((H, S))}, "leader_rewards.shape"),
        (arrays() | {"follower_rewards": np.ones((H, S, B + 1))}, "follower_rewards.shape"),
        (arrays() | {"initial_state": S}, "initial_state"),
        (arrays() | {"initial_state": -1}, "initial_state"),
        (arrays() | {"initial_state": 0.0}, "initial_state"),
    ],
)
def test_faults_are_named(faulty: dict[str, object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        FollowerMDP(**faulty)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_rows_may_miss_one_by_rounding_only() -> None:
    for shift, passes in ((1e-10, True), (1e-8, False)):
        faulty = arrays()
        faulty["transitions"][0, 0, 0, 0] += shift
        if passes:
            FollowerMDP(**faulty)
        else:
            with pytest.raises(InputError, match="sum of transitions"):
                FollowerMDP(**faulty)
