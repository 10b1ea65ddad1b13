"""Named bandit games."""

from collections.abc import Callable
from typing import Any

from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.tables.black_box import simulator_of
from stackel_bench.families.tables.payoffs import economic_tables, paper_tables, random_tables, table_files
from stackel_bench.games.builders import with_noise
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
