"""A cell: game x algorithm x budget x tie-breaking with its replicates, validated, with a stable id."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import marshal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackel_bench import checks
from stackel_bench.config.settings import cell_scalar
from stackel_bench.errors import InputError
from stackel_bench.families.games import default_parameters, load_game
from stackel_bench.families.learners import changed_options, learner_options, make_learner
from stackel_bench.families.registry import FAMILIES, family_of
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import Budget, fitting, make_budget
from stackel_bench.learners.learner import Learner
from stackel_bench.models import TieBreaking
from stackel_bench.options import changed, values_of
from stackel_bench.trials.trial import Trial

RESULTS_VERSION = 2  # raised whenever a change alters the numbers of existing cells
MAX_SEED = 2**63 - 1  # what tables and MLflow can hold
CELL_KEYS = ("game", "algorithm", "budget", "replicates", "seed", "tie_breaking")


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

    @functools.cached_property
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
    """Builds cells from configurations; what several cells share is built, checked and digested once.

    In the place of the groups game and algorithm there may be objects. Results that are kept need the source
    file of an object's class, so that another version of it is another cell.
    """

    def __init__(self, kept: bool = True) -> None:
        self._kept = kept
        self._games: dict[str, tuple[Game, dict[str, Any], str]] = {}
        self._learners: dict[str, tuple[Learner, dict[str, Any], str]] = {}
        self._budgets: dict[str, tuple[Budget, str]] = {}
        self._trials: dict[str, tuple[Trial, dict[str, Any]]] = {}

    def build(self, composed: Mapping[str, Any]) -> Cell:
        """The cell of this configuration, or an InputError that says what is wrong with it."""
        tie_breaking = TieBreaking.parse(cell_scalar("tie_breaking", composed))
        replicates = checks.integer("replicates", cell_scalar("replicates", composed), least=1, most=10**7)
        seed = checks.integer("seed", cell_scalar("seed", composed), least=0, most=MAX_SEED)
        game, game_config, game_digest = self._game(composed.get("game"))
        learner, learner_config, learner_digest = self._learner(game.family, composed.get("algorithm"))
        budget, budget_digest = self._budget(_section("budget", composed.get("budget")))
        parts = [game_digest, learner_digest, budget_digest, str(replicates), str(seed)]
        trial_id = _digest([RESULTS_VERSION, *parts])
        if trial_id not in self._trials:
            schedule = learner.schedule(game.sampler, budget)
            trial = Trial(game, learner, schedule, tuple(TieBreaking), replicates, seed)
            config = {
                "game": game_config,
                "algorithm": learner_config,
                "budget": {"kind": budget.kind, **values_of(budget)},
                "replicates": replicates,
                "seed": seed,
            }
            self._trials[trial_id] = trial, config
        trial, config = self._trials[trial_id]
        cell_id = _digest([trial_id, str(tie_breaking)])
        return Cell(cell_id, {**config, "tie_breaking": str(tie_breaking)}, trial, trial_id, tie_breaking)

    def _game(self, chosen: Any) -> tuple[Game, dict[str, Any], str]:
        if getattr(chosen, "family", None) in FAMILIES:
            code = _code("game", type(chosen), self._kept)
            config = {"name": chosen.name, "identity": chosen.identity, **code}
            return chosen, config, _digest([chosen.identity, config])
        config = dict(_section("game", chosen))
        text = _canonical(config)
        if text not in self._games:
            try:
                game = load_game(**config)
            except InputError as error:
                if error.field in config:  # as it is typed here
                    raise InputError(f"game.{error.field}", error.found, error.allowed) from error
                raise
            defaults = default_parameters(game.name)
            own = {key: value for key, value in config.items() if value != defaults.get(key)}
            self._games[text] = game, config, _digest([game.identity, own])
        return self._games[text]

    def _learner(self, family: str, chosen: Any) -> tuple[Learner, dict[str, Any], str]:
        if hasattr(chosen, "schedule"):
            return self._own_learner(family, chosen)
        config = _section("algorithm", chosen)
        text = family + _canonical(config)
        if text not in self._learners:
            options = dict(config)
            learner = make_learner(family, options.pop("name", None), **options)
            config = {"name": learner.name, **learner_options(learner)}
            self._learners[text] = learner, config, _digest([learner.name, changed_options(learner)])
        return self._learners[text]

    def _own_learner(self, family: str, learner: Any) -> tuple[Learner, dict[str, Any], str]:
        """A learner given as an object; one of the family's own is the learner of that name."""
        cls = type(learner)
        if isinstance(learner, type) or not dataclasses.is_dataclass(cls):
            allowed = "an object of a frozen dataclass, whose fields are its options"
            raise InputError("algorithm", learner if isinstance(learner, type) else cls, allowed)
        known = family_of(family).learners.get(learner.name) is cls
        code = {} if known else _code("algorithm", cls, self._kept)
        config = {"name": learner.name, **learner_options(learner), **code}
        changes = changed_options(learner)
        return learner, config, _digest([learner.name, changes, *([code] if code else [])])

    def _budget(self, config: Mapping[str, Any]) -> tuple[Budget, str]:
        text = _canonical(config)
        if text not in self._budgets:
            budget = make_budget(**fitting(config))
            self._budgets[text] = budget, _digest([budget.kind, changed(budget)])
        return self._budgets[text]


def _code(field: str, cls: type, kept: bool) -> dict[str, str]:
    """Class of code from outside this package, and the digest of its source file (without one, of bytecode).

    An InputError where results are kept and no file says what the class was when they were made.
    """
    if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return {}
    path = Path(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")
    if path.is_file():
        source = path.read_bytes()
    elif kept:
        allowed = "an object whose class is in a file, since results are kept; output=None keeps nothing"
        raise InputError(field, f"{cls.__name__} of a prompt", allowed)
    else:
        methods = [part.__code__ for part in vars(cls).values() if hasattr(part, "__code__")]
        source = b"".join(map(marshal.dumps, methods))
    return {"code": f"{cls.__module__}:{cls.__qualname__}", "source": hashlib.sha256(source).hexdigest()[:16]}


def _section(name: str, section: Any) -> Mapping[str, Any]:
    if not isinstance(section, Mapping):
        raise InputError(name, section, "a group of keys")
    for key, value in section.items():
        if isinstance(value, Mapping) and not all(isinstance(inner, str) for inner in value):
            raise InputError(f"{name}.{key}", dict(value), "a mapping whose keys are words")
    return section


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(value: object) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:16]
