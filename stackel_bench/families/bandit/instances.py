"""Named bandit games."""

from __future__ import annotations

from collections.abc import Callable

from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.tables import economic_tables, paper_tables, random_tables, table_files
from stackel_bench.games.builders import with_noise
from stackel_bench.models import PayoffTable

TABLES: dict[str, Callable[..., PayoffTable]] = {
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

INSTANCES = {name: with_noise(BanditGame, table) for name, table in TABLES.items()}
