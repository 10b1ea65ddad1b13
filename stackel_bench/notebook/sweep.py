"""A sweep started from Python: names or objects in, results out."""

import dataclasses
import inspect
import io
import itertools
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from stackel_bench.errors import InputError, NoEffectError, UnknownKeyError
from stackel_bench.families.learners import make_learner
from stackel_bench.families.registry import all_families
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.notebook.results import Results
from stackel_bench.options import options_of
from stackel_bench.reporting.merged_sweeps import TablesInMemory
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.folder import locked
from stackel_bench.sweeps.plan import Plan, grid_overrides, plan_products
from stackel_bench.text import plural
from stackel_bench.verbs.steps.publish import Ending, Session, publish
from stackel_bench.verbs.steps.session import carry_through, prepare_folder

_EXPLORER = "algorithm.explorer"
_MEMBER = {"game": "sampler", "algorithm": "schedule"}  # what an object has
Product = tuple[list[str], dict[str, Any]]

BUDGET_WORDS = tuple(dict.fromkeys(name for kind in BUDGETS.values() for name in options_of(kind)))


def sweep(
    game: Any = None,
    algorithm: Any = None,
    *,
    tie_breaking: str | Iterable[str] | None = None,
    budget: str | Iterable[str] | None = None,
    replicates: int | None = None,
    seed: int | Iterable[int] | None = None,
    study: str | None = None,
    output: str | Path | None = None,
    execution: str | None = None,
    tracking: str | None = None,
    progress: bool | None = None,
    options: Mapping[str, Any] | None = None,
    **budget_words: Any,
) -> Results:
    """The results of all cells of the product that the lists span, as `stackel-bench sweep` computes them.

    game and algorithm are names, objects, or lists of both. Further keywords are those of the budget:
    epsilon, delta, samples, scale, rungs, ratio. options has any other configuration key by its dotted name:
    options={"game.correlation": [-1, 0, 1], "study.name": "mine"}, and "algorithm.explorer" may be an object.
    What is not given is as on the command line: game bandit/trap, algorithm paper, budget theory, and 200
    replicates.

    With output=None nothing is written, not even to MLflow. With a folder, journal, results and report are
    kept there and cells that it has are not run again. Small work runs in this process, large work on a
    private Ray cluster; execution="serial" or "local" decides. progress=True or False decides whether
    progress is shown; otherwise it is on terminals and in notebooks.
    """
    for word in budget_words:
        if word not in BUDGET_WORDS:
            raise UnknownKeyError(word, BUDGET_WORDS, inspect.signature(sweep).parameters)
    if not isinstance(options, Mapping | None):
        raise InputError("options", options, 'a mapping, {"game.correlation": 0.5} for example')
    axes = {
        "tie_breaking": tie_breaking,
        "budget": budget,
        **{f"budget.{word}": value for word, value in budget_words.items()},
        "replicates": replicates,
        "seed": seed,
        "study": study,
        "execution": execution,
        "tracking": "off" if output is None else tracking,
        **(options or {}),
    }
    given = {key: value for key, value in axes.items() if value is not None}
    products = _products(game, algorithm, given)
    plan = plan_products(products, kept=output is not None)
    if plan.left_out:
        warnings.warn("left out: " + "; ".join(plan.left_out), stacklevel=2)
    if output is not None:
        found = _run(plan, output, _command(products, output), _console(progress), publish)
    else:
        with tempfile.TemporaryDirectory(prefix="stackel-bench-") as folder:
            command = _command(products, None)
            found = _run(plan, folder, command, _console(progress), lambda session: True)
            tables = TablesInMemory.copied(found.tables, [entry.cell_id for entry in found.finished])
            found = dataclasses.replace(found, tables=tables)
    if found.failed:
        warnings.warn(f"{plural(len(found.failed), 'cell')} failed: see results.failed", stacklevel=2)
    return Results(found)


def _products(game: Any, algorithm: Any, given: Mapping[str, Any]) -> list[Product]:
    """Overrides and objects: one product where there are names only, else one per game and learner."""
    groups = {group: _choices(group, typed) for group, typed in (("game", game), ("algorithm", algorithm))}
    explorers = _listed(given.get(_EXPLORER, ()))
    if not all(isinstance(explorer, str) for explorer in explorers):
        given = {key: value for key, value in given.items() if key != _EXPLORER}
        family = next(family.name for family in all_families() if family.explorers)
        named = groups["algorithm"] or ["paper"]
        groups["algorithm"] = [make_learner(family, n, explorer=rule) for n in named for rule in explorers]
    if "dry_run" in given:
        raise NoEffectError("dry_run", "`stackel-bench sweep ... dry_run=true` plans, sb.sweep runs")
    if all(isinstance(choice, str) for choices in groups.values() for choice in choices):
        return [(_words({**groups, **given}), {})]
    if "study" in given:
        sentence = "a study takes names of games and learners, not objects: leave out study, or name them"
        raise InputError("study", given["study"], "names", sentence)
    products: list[Product] = []
    for pair in itertools.product(*(choices or [None] for choices in groups.values())):
        chosen = {group: choice for group, choice in zip(groups, pair, strict=True) if choice is not None}
        objects = {group: choice for group, choice in chosen.items() if not isinstance(choice, str)}
        for key in given:
            group = key.partition(".")[0]
            if group in objects:
                raise NoEffectError(key, f"{group} objects have their own parameters")
        names = {group: choice for group, choice in chosen.items() if group not in objects}
        products.append((_words({**names, **given}), objects))
    return products


def _choices(group: str, typed: Any) -> list[Any]:
    """Names and objects; nothing if nothing is given."""
    found = [] if typed is None else _listed(typed)
    if typed is not None and not found:
        raise InputError(group, typed, "at least one name or object")
    for choice in found:
        if isinstance(choice, type) or not (isinstance(choice, str) or hasattr(choice, _MEMBER[group])):
            called = f": {choice.__name__}(...)" if callable(choice) else ""
            raise InputError(group, choice, f"a name FILE:NAME or FAMILY/NAME, or an object{called}")
    return found


def _listed(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _words(choices: Mapping[str, Any]) -> list[str]:
    """Overrides as they are typed."""
    grid = {key: found for key, value in choices.items() if (found := _listed(value)) or key not in _MEMBER}
    for key, value in ((key, value) for key, values in grid.items() for value in values):
        if dataclasses.is_dataclass(value) or callable(value):
            raise InputError(
                key, value, "a plain value or FILE:NAME; objects are games, learners and explorers"
            )
    return list(grid_overrides("sweep", grid, settings=True))


def _run(plan: Plan, output: str | Path, command: str, console: Console, ending: Ending) -> SweepResults:
    plan = dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, output=str(output)))
    folder = prepare_folder(plan)
    with locked(folder):
        session = Session(plan, command, Journal(folder), console)
        carry_through(session, lambda ended: ending(dataclasses.replace(ended, console=_silent())))
        return session.results()


def _command(products: list[Product], output: str | Path | None) -> str:
    """What to type for the same cells; with objects, the program that made them."""
    (words, objects), *_ = products
    if objects or len(products) > 1:
        return shlex.join(["python", sys.argv[0] or "-"])
    where = [] if output is None else [f"output={output}"]
    return shlex.join(["stackel-bench", "sweep", *words, *where])


def _silent() -> Console:
    return Console(file=io.StringIO(), force_jupyter=False)  # in a notebook rich would show it all the same


def _console(progress: bool | None) -> Console:
    """Where progress is shown: nowhere, on stderr, or in the notebook."""
    notebook = Console().is_jupyter
    if progress is False or (progress is None and not notebook and not sys.stderr.isatty()):
        return _silent()
    live = True if notebook and find_spec("ipywidgets") is not None else None
    return Console(stderr=not notebook, force_terminal=live, highlight=False, soft_wrap=True)
