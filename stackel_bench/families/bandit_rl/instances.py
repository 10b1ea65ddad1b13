"""Named bandit-RL games."""

from collections.abc import Callable

from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.families.bandit_rl.mdps.economy_mdps import citizens_mdps, tax_design_mdps, taxation_mdps
from stackel_bench.families.bandit_rl.mdps.exploration_mdps import chain_mdps, lock_mdps
from stackel_bench.families.bandit_rl.mdps.grid_mdps import four_rooms_mdps, frozen_lake_mdps
from stackel_bench.families.bandit_rl.mdps.lower_bound_mdps import (
    bandit_embedding,
    lower_bound_mdps,
    tree_mdps,
)
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import mdps_from_file, mdps_of_arrays
from stackel_bench.families.bandit_rl.mdps.random_mdps import random_mdps
from stackel_bench.families.bandit_rl.mdps.room_mdps import rooms_mdps
from stackel_bench.families.bandit_rl.mdps.toll_mdps import toll_mdps
from stackel_bench.families.bandit_rl.programs.economy import economy_game
from stackel_bench.families.bandit_rl.programs.game import gymnasium_game
from stackel_bench.families.bandit_rl.programs.worlds import lake_game, taxi_game
from stackel_bench.games.noise import Builder, episode_noise, with_noise
from stackel_bench.models import FollowerMDP

MDPS: dict[str, Callable[..., tuple[FollowerMDP, ...]]] = {
    "chain": chain_mdps,
    "citizens": citizens_mdps,
    "explicit": mdps_of_arrays,
    "from_file": mdps_from_file,
    "four_rooms": four_rooms_mdps,
    "frozen_lake": frozen_lake_mdps,
    "lock": lock_mdps,
    "lower_bound": lower_bound_mdps,
    "random": random_mdps,
    "rooms": rooms_mdps,
    "tax_design": tax_design_mdps,
    "taxation": taxation_mdps,
    "tolls": toll_mdps,
    "tree": tree_mdps,
}

INSTANCES: dict[str, Builder] = {
    "bandit_embedding": bandit_embedding,  # brings its own noise
    **{name: with_noise(BanditRLGame, mdps, episode_noise) for name, mdps in MDPS.items()},
    "economy": economy_game,
    "gymnasium": gymnasium_game,
    "lake_program": lake_game,
    "slow_economy": economy_game,
    "taxi_program": taxi_game,
}
