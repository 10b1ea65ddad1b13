"""Named simultaneous games; tables that bandit games have too are built by the same functions."""

from collections.abc import Callable
from typing import Any

from stackel_bench.families.tables.black_box import simulator_of
from stackel_bench.families.tables.game import TableGame
from stackel_bench.families.tables.payoffs import (
    economic_tables,
    paper_tables,
    random_tables,
    security_tables,
    table_files,
)
from stackel_bench.games.noise import with_noise
from stackel_bench.models import PayoffTable


class SimultaneousGame(TableGame):
    """A payoff table whose rows the leader mixes; learners sample pairs as in a bandit game."""

    family = "simultaneous"


TABLES: dict[str, Callable[..., PayoffTable]] = {
    "bertrand": economic_tables.bertrand_table,
    "clustered_security": security_tables.clustered_security_table,
    "commitment": paper_tables.commitment_table,
    "correlated": random_tables.correlated_table,
    "explicit": paper_tables.explicit_table,
    "from_file": table_files.table_from_file,
    "indifference": paper_tables.indifference_table,
    "inspection": security_tables.inspection_table,
    "random": random_tables.random_table,
    "security": security_tables.security_table,
}

INSTANCES: dict[str, Callable[..., Any]] = {
    "simulator": simulator_of("simultaneous"),
    **{name: with_noise(SimultaneousGame, table) for name, table in TABLES.items()},
}
