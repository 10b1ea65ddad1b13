"""The record of bandit-RL games."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stackel_bench.families.bandit_rl import learners
from stackel_bench.families.bandit_rl.diagnosis import diagnose
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS
from stackel_bench.families.bandit_rl.instances import INSTANCES
from stackel_bench.families.bandit_rl.oracle import bandit_rl_oracle
from stackel_bench.families.bandit_rl.stopping.certified import CertifiedLearner
from stackel_bench.families.family import Contract, Family, Measured
from stackel_bench.families.sizes import PAIRS, SIZES
from stackel_bench.families.tables.theory import PAIR_EXPONENTS


def episode_cost(method: str, arguments: Mapping[str, Any], result: Any) -> float:
    """Episodes that one call plays; H queries of a generative model cost one."""
    if method in ("play", "play_mixture"):
        return float(arguments["episodes"])
    if method == "query":
        return float(np.sum(arguments["visits"])) / len(arguments["visits"])
    return float(result) if method == "play_until_doubled" else 0.0


def measured_episodes(game: Any, count: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Transitions [H,S,B,S] and both reward sums [H,S,B] of episodes of uniform play, by leader action.

    Given how often a triple was visited, its next states and rewards are independent draws.
    """
    sizes = (game.sizes[name] for name in ("horizon", "num_states", "num_follower_actions"))
    shape, mdps = tuple(sizes), getattr(game, "mdps", None)
    for action in range(game.sizes["num_leader_actions"]):
        simulator = game.sampler.simulator(action)
        played = simulator.play(np.full(shape, 1 / shape[2]), count, rng)
        simulator.draw_rewards(played, rng)
        counts, visits = played.counts, played.visits()
        if (visits.sum(axis=(1, 2)) != count).any():
            raise ValueError(f"{count} episodes of leader action {action} have not {count} steps each")
        if visits[0].sum(axis=1)[simulator.initial_state] != count:
            raise ValueError(f"episodes of leader action {action} do not start in the initial state")
        where = f"of leader action {action}"
        truth = None if mdps is None else mdps[action]
        true_next = None if truth is None else truth.transitions
        wide = np.repeat(visits[..., None], shape[1], axis=3)
        yield Measured(f"transitions {where}", counts, wide, (*shape, shape[1]), true_next, 0.5)
        for name, sums in (("leader", played.leader_sums), ("follower", played.follower_sums)):
            means = None if truth is None else getattr(truth, f"{name}_rewards")
            yield Measured(f"{name}'s rewards {where}", sums, visits, shape, means, 0.5)


FAMILY = Family(
    name="bandit_rl",
    prefix="rl/",
    sizes=PAIRS | {name: SIZES[name] for name in ("num_states", "horizon")},
    games=INSTANCES,
    learners={"paper": learners.Paper, "plug_in": learners.PlugIn, "certified": CertifiedLearner},
    oracle=bandit_rl_oracle,
    exponents=PAIR_EXPONENTS | {"num_states": 2.0, "horizon": 5.0},  # H^5 S^2 AB / eps^2
    contract=Contract(
        "bandit_rl/random",
        {"num_leader_actions": 2, "num_follower_actions": 2, "num_states": 2, "horizon": 2},
        episode_cost,
        measured_episodes,
        inner=("simulator",),
        exact=False,
        goal=Goal,
    ),
    confidence=CertifiedLearner,
    explorers=EXPLORERS,
    diagnose=diagnose,
)
