"""Simultaneous matrix games: the leader commits to a mixed strategy, the follower does not see its draw."""

from stackel_bench.families.tables.game import TableGame


class SimultaneousGame(TableGame):
    """A payoff table whose rows the leader mixes; learners sample pairs as in a bandit game."""

    family = "simultaneous"
