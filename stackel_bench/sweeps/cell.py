"""A cell: game x algorithm x budget x tie-breaking with its replicates, validated, with a stable id."""

import functools
import hashlib
import json
import operator
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, is_dataclass
from typing import Any, NamedTuple

from stackel_bench import checks
from stackel_bench.config.settings import cell_scalar
from stackel_bench.errors import InputError
from stackel_bench.families.games import default_parameters, load_game
from stackel_bench.families.learners import changed_options, learner_options, make_learner
from stackel_bench.families.registry import family_of
from stackel_bench.learners.budget import fitting, make_budget
from stackel_bench.learners.learner import Learner, Schedule, scheduled
from stackel_bench.models import TieBreaking
from stackel_bench.options import changed, values_of
from stackel_bench.outside.code import Code, code_of, has_source, with_code
from stackel_bench.outside.reference import one_sentence, plain_name
from stackel_bench.trials.trial import Trial

RESULTS_VERSION = 2  # raised whenever a change alters the numbers of existing cells
MAX_SEED = 2**63 - 1  # what tables and MLflow can hold
_NOTHING = object()  # equal to no value
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
            "game": config["game"]["name"],
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


class _Part(NamedTuple):
    """A game, a learner or a budget, with the digest by which cells know it, and how it is shown."""

    built: Any
    digest: str
    config: dict[str, Any]
    code: Code = Code()


class CellBuilder:
    """Builds cells from configurations; what several cells share is built, checked and digested once.

    Results that are kept need the source of an object's class, so that another version is another cell.
    """

    def __init__(self, kept: bool = True) -> None:
        self._kept = kept
        self._parts: dict[tuple[str, ...], _Part] = {}
        self._code = Code()  # of all cells: one module has one source
        self._schedules: dict[tuple[str, str, str], tuple[Schedule, Code]] = {}
        self._trials: dict[str, tuple[Trial, dict[str, Any]]] = {}

    def build(self, composed: Mapping[str, Any]) -> Cell:
        """The cell of this configuration, or an InputError that says what is wrong with it.

        A game or a learner may also be an object.
        """
        tie_breaking = TieBreaking.parse(cell_scalar("tie_breaking", composed))
        count, seed = cell_scalar("replicates", composed), cell_scalar("seed", composed)
        replicates = checks.integer("replicates", count, least=1, most=checks.MAX_REPLICATES)
        seed = checks.integer("seed", seed, least=0, most=MAX_SEED)
        game = self._game(composed.get("game"))
        learner = self._learner(game.built.family, composed.get("algorithm"))
        budget = self._budget(composed.get("budget"))
        parts = (game.digest, learner.digest, budget.digest)
        trial_id = _digest([RESULTS_VERSION, *parts, str(replicates), str(seed)])
        if trial_id not in self._trials:
            if parts not in self._schedules:
                self._schedules[parts] = self._scheduled(game, learner, budget)
            schedule, code = self._schedules[parts]
            trial = Trial(game.built, learner.built, schedule, tuple(TieBreaking), replicates, seed, code)
            config = {
                "game": game.config,
                "algorithm": learner.config,
                "budget": budget.config,
                "replicates": replicates,
                "seed": seed,
            }
            self._trials[trial_id] = trial, config
        trial, config = self._trials[trial_id]
        cell_id = _digest([trial_id, str(tie_breaking)])
        return Cell(cell_id, {**config, "tie_breaking": str(tie_breaking)}, trial, trial_id, tie_breaking)

    def _scheduled(self, game: _Part, learner: _Part, budget: _Part) -> tuple[Schedule, Code]:
        name, code = learner.config["name"], game.code | learner.code
        what = f"a learner for this game; scheduling on {game.config['name']}"
        with one_sentence("algorithm", name, what) if code.identity else nullcontext():
            schedule = scheduled(learner.built, game.built.sampler, budget.built, name)
        self._code |= code
        return schedule, code

    def _game(self, section: Any) -> _Part:
        if hasattr(section, "sampler"):
            code = self._code_of("game", section)
            digest = _digest([section.identity, section.name, *code.identity])
            return _Part(section, digest, {"name": section.name, "identity": section.identity}, code)
        config = _section("game", section)
        key = ("game", _canonical(config))
        if key not in self._parts:
            try:
                (game, defaults), code = with_code(
                    lambda: (load_game(**config), default_parameters(config["name"]))
                )
            except InputError as error:
                if error.field in config:  # as it is typed here
                    raise InputError(f"game.{error.field}", error.found, error.allowed) from error
                raise
            own = {key: value for key, value in config.items() if value != defaults.get(key, _NOTHING)}
            digest = _digest([game.identity, own | {"name": plain_name(config["name"])}, *code.identity])
            self._parts[key] = _Part(game, digest, {"name": config["name"], **defaults, **config}, code)
        return self._parts[key]

    def _learner(self, family: str, section: Any) -> _Part:
        if hasattr(section, "schedule"):
            return self._own_learner(family, section)
        config = _section("algorithm", section)
        key = ("algorithm", family, _canonical(config))
        if key not in self._parts:
            options = dict(config)
            name = options.pop("name", None)
            learner, code = with_code(lambda: make_learner(family, name, **options))
            digest = _digest([plain_name(name), changed_options(learner), *code.identity])
            self._parts[key] = _Part(learner, digest, _shown(learner, name), code)
        return self._parts[key]

    def _own_learner(self, family: str, learner: Any) -> _Part:
        """A learner given as an object; one of the family's own is the learner of that name."""
        kind = learner if isinstance(learner, type) else type(learner)
        if kind is learner or not is_dataclass(kind):
            allowed = "an object of a frozen dataclass, whose fields are its options"
            raise InputError("algorithm", kind.__name__, allowed)
        learner = make_learner(family, learner)
        shown = _shown(learner, learner.name)
        parts = (learner, *getattr(learner, "programs", ()))
        if len(parts) == 1 and family_of(family).learners.get(learner.name) is kind:
            return self._learner(family, shown)
        code = self._code_of("algorithm", learner)
        words = [kind.__qualname__, learner.name, changed_options(learner), *code.identity]
        shown["code"] = ", ".join(f"{type(part).__module__}:{type(part).__qualname__}" for part in parts)
        return _Part(learner, _digest(words), shown, code)

    def _code_of(self, field: str, thing: object) -> Code:
        """The code of an object from outside; an InputError if its results are kept and it has no file."""
        parts = (thing, *getattr(thing, "programs", ()))
        for part in parts:
            if self._kept and not has_source(part):
                allowed = (
                    "an object whose code is in a file, since results are kept; output=None keeps nothing"
                )
                found = getattr(part, "__qualname__", type(part).__name__)
                raise InputError(field, f"{found} of a prompt", allowed)
        return functools.reduce(operator.or_, map(code_of, parts))

    def _budget(self, section: Any) -> _Part:
        config = _section("budget", section)
        key = ("budget", _canonical(config))
        if key not in self._parts:
            budget = make_budget(**fitting(config))
            shown = {"kind": budget.kind, **values_of(budget)}
            self._parts[key] = _Part(budget, _digest([budget.kind, changed(budget)]), shown)
        return self._parts[key]


def is_made_of_names(config: Mapping[str, Any]) -> bool:
    """Whether the configuration alone says how to compute the cell; objects from Python are not kept."""
    return "identity" not in config["game"] and "code" not in config["algorithm"]


def _shown(learner: Learner, name: str) -> dict[str, Any]:
    """A learner's name and options, as a configuration has them."""
    return {"name": name} | {key: value for key, value in learner_options(learner).items() if key != "name"}


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
