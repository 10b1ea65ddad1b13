"""A case of an exact claim: a true game, an accuracy and a tie-breaking."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import Oracle, values_by_leader_action
from stackel_bench.families.games import load_game
from stackel_bench.families.oracles import oracle_of
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import Budget, make_budget
from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking
from stackel_bench.models.linear_model import LinearModel


@dataclass(frozen=True, eq=False)
class Case:
    """What the exact quantities are computed on."""

    game: Game
    budget: Budget
    tie_breaking: TieBreaking
    seed: int = 0  # of what is drawn from the game
    config: Mapping[str, Any] = field(default_factory=dict)  # what it was made of

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Case:
        """The case of a composed configuration: its game, budget and tie-breaking."""
        tie = TieBreaking.parse(config["tie_breaking"])
        return cls(load_game(**config["game"]), make_budget(**config["budget"]), tie, config["seed"], config)

    @property
    def identity(self) -> str:
        """The same for equal cases, other for others."""
        return f"{self.game.identity} {self.budget} {self.tie_breaking} {self.seed}"

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
        table: PayoffTable = self._truth("table", "a game with a payoff table")
        return table

    @property
    def mdps(self) -> Sequence[FollowerMDP]:
        """The follower's MDP for each leader action, for quantities of games that have them."""
        mdps: Sequence[FollowerMDP] = self._truth("mdps", "a game with one follower MDP per leader action")
        return mdps

    @property
    def model(self) -> LinearModel:
        """The linear model, for quantities of games that have one."""
        model: LinearModel = self._truth("model", "a game with features")
        return model

    def _truth(self, attribute: str, allowed: str) -> Any:
        if not hasattr(self.game, attribute):
            raise InputError("game", self.game.name, allowed)
        return getattr(self.game, attribute)

    def leader_values(self, slack: float) -> np.ndarray:
        """phi_slack or psi_slack [A], for games whose leader picks from a list."""
        return values_by_leader_action(self.oracle, self.game.name, slack, self.tie_breaking)
