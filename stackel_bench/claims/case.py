"""A case of an exact claim: a true game, an accuracy and a tie-breaking."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import FiniteLeaderOracle, Oracle
from stackel_bench.evaluation.truth import oracle_of
from stackel_bench.games.bandit import BanditGame
from stackel_bench.games.catalog import load_game
from stackel_bench.games.game import Game
from stackel_bench.games.simultaneous import SimultaneousGame
from stackel_bench.learners.budget import Budget, make_budget
from stackel_bench.models import PayoffTable, TieBreaking


@dataclass(frozen=True, eq=False)
class Case:
    """What the exact quantities are computed on."""

    game: Game
    budget: Budget
    tie_breaking: TieBreaking

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Case:
        """The case of a composed configuration: its game, budget and tie-breaking."""
        tie = TieBreaking.parse(config["tie_breaking"])
        return cls(load_game(**config["game"]), make_budget(**config["budget"]), tie)

    @property
    def epsilon(self) -> float:
        """The accuracy."""
        return self.budget.epsilon

    @functools.cached_property
    def oracle(self) -> Oracle:
        """Exact answers about the game."""
        return oracle_of(self.game)

    @property
    def table(self) -> PayoffTable:
        """The payoff table, for quantities of games that have one."""
        if not isinstance(self.game, BanditGame | SimultaneousGame):
            raise InputError("game", self.game.name, "a bandit or simultaneous game")
        return self.game.table

    def leader_values(self, slack: float) -> np.ndarray:
        """phi_slack or psi_slack [A], for games whose leader picks from a list."""
        if not isinstance(self.oracle, FiniteLeaderOracle):
            raise InputError("game", self.game.name, "a game whose leader picks from a finite list")
        return self.oracle.leader_values(slack, self.tie_breaking)
