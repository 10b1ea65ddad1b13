"""Named bandit games; also for games of other families that are made of one."""

from collections.abc import Callable, Mapping
from typing import Any

from stackel_bench.errors import InputError, UnknownNameError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.games import game_names, load_game
from stackel_bench.families.tables.black_box import simulator_of
from stackel_bench.families.tables.payoffs import economic_tables, paper_tables, random_tables, table_files
from stackel_bench.games.noise import with_noise
from stackel_bench.models import PayoffTable

TABLES: dict[str, Callable[..., PayoffTable]] = {
    "contracts": economic_tables.contracts_table,
    "correlated": random_tables.correlated_table,
    "cooperative": random_tables.cooperative_table,
    "explicit": paper_tables.explicit_table,
    "from_file": table_files.table_from_file,
    "gap": paper_tables.gap_table,
    "hard_pair": paper_tables.hard_pair_table,
    "lower_bound": paper_tables.lower_bound_table,
    "random": random_tables.random_table,
    "taxation": economic_tables.taxation_table,
    "trap": paper_tables.trap_table,
    "zero_sum": random_tables.zero_sum_table,
}

INSTANCES: dict[str, Callable[..., Any]] = {
    "simulator": simulator_of("bandit"),
    **{name: with_noise(BanditGame, table) for name, table in TABLES.items()},
}


def named_bandit(bandit: str, parameters: Mapping[str, Any]) -> BanditGame:
    """The bandit game of this name; parameters that are not given have their defaults."""
    names = [name for name in game_names() if name.startswith("bandit/")]
    if bandit not in names:
        raise UnknownNameError("bandit", bandit, names)
    if not isinstance(parameters, Mapping):
        raise InputError("parameters", parameters, f"parameters of {bandit} by name")
    game = load_game(bandit, **{str(key): value for key, value in parameters.items()})
    assert isinstance(game, BanditGame)
    return game
