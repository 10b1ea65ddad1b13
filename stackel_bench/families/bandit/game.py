"""Bandit games: the leader picks a row, the follower sees it and picks a column."""

from stackel_bench.families.tables.game import TableGame


class BanditGame(TableGame):
    """A payoff table whose rows the leader picks."""

    family = "bandit"
