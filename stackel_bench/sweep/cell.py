"""A cell: game x algorithm x budget x tie-breaking with its replicates, validated, with a stable id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.games.catalog import load_game
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.catalog import make_learner
from stackel_bench.models import TieBreaking
from stackel_bench.trials.trial import Trial

RESULTS_VERSION = 2  # raised whenever a change alters the numbers of existing cells
MAX_SEED = 2**63 - 1  # what tables and MLflow can hold
RESULT_KEYS = ("game", "algorithm", "budget", "replicates", "seed")
CELL_KEYS = (*RESULT_KEYS, "tie_breaking")


@dataclass(frozen=True, eq=False)
class Cell:
    """One row of the results."""

    cell_id: str
    config: Mapping[str, Any]  # what determines the result, plain values, defaults spelled out
    trial: Trial  # for both tie-breakings; the cell wants one of them
    trial_id: str  # cells that share it share their samples
    tie_breaking: TieBreaking
    label: str = ""  # both set by its plan: they depend on the other cells
    varying: tuple[str, ...] = ()  # configuration keys that tell the cells of the plan apart

    @property
    def description(self) -> dict[str, Any]:
        """The columns that say which cell this is; the same in results.csv and in MLflow's tags."""
        config = self.config
        return {
            "cell_id": self.cell_id,
            "family": self.trial.game.family,
            "game": self.trial.game.name,
            "algorithm": config["algorithm"]["name"],
            "explorer": config["algorithm"].get("explorer", ""),
            "tie_breaking": str(self.tie_breaking),
            "budget": config["budget"]["kind"],
            "epsilon": config["budget"]["epsilon"],
            "delta": config["budget"]["delta"],
            "replicates": config["replicates"],
            "seed": config["seed"],
            **self.trial.game.sizes,
        }


class CellBuilder:
    """Builds cells from configurations; equal games and trials are built once."""

    def __init__(self) -> None:
        self._games: dict[str, Game] = {}
        self._trials: dict[str, tuple[Trial, dict[str, Any]]] = {}

    def build(self, plain: Mapping[str, Any]) -> Cell:
        """The cell of this configuration, or an InputError that says what is wrong with it."""
        tie_breaking = TieBreaking.parse(plain["tie_breaking"])
        checks.integer("replicates", plain["replicates"], least=1, most=10**7)
        checks.integer("seed", plain["seed"], least=0, most=MAX_SEED)
        asked = {key: plain[key] for key in RESULT_KEYS}
        text = _canonical(asked)
        if text not in self._trials:
            self._trials[text] = self._trial(asked)
        trial, shared = self._trials[text]
        trial_id = _digest([RESULTS_VERSION, trial.game.identity, shared])
        config = {**shared, "tie_breaking": str(tie_breaking)}
        return Cell(_digest([trial_id, str(tie_breaking)]), config, trial, trial_id, tie_breaking)

    def _trial(self, asked: Mapping[str, Any]) -> tuple[Trial, dict[str, Any]]:
        """The trial, and its configuration with the defaults that learner and budget really use."""
        game = self._game(asked["game"])
        algorithm = dict(asked["algorithm"])
        learner = make_learner(game.family, algorithm.pop("name"), **algorithm)
        budget = Budget(**asked["budget"])
        schedule = learner.schedule(game.sampler, budget)
        trial = Trial(game, learner, schedule, tuple(TieBreaking), asked["replicates"], asked["seed"])
        shared = {
            **asked,
            "algorithm": {"name": learner.name, **getattr(learner, "options", {})},
            "budget": budget.options,
        }
        return trial, shared

    def _game(self, config: Mapping[str, Any]) -> Game:
        text = _canonical(config)
        if text not in self._games:
            try:
                self._games[text] = load_game(**config)
            except InputError as error:
                if error.field in config:  # as it is typed here
                    raise InputError(f"game.{error.field}", error.found, error.allowed) from error
                raise
        return self._games[text]


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(value: object) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:16]
