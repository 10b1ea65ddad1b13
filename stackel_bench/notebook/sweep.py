"""A sweep started from Python: names or objects in, results out."""

from __future__ import annotations

import dataclasses
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

from rich.console import Console

from stackel_bench.errors import InputError, UnknownKeyError
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.notebook.results import Results
from stackel_bench.notebook.tables import TablesInMemory
from stackel_bench.options import options_of
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.folder import locked
from stackel_bench.sweeps.plan import Plan, grid_overrides, plan_products
from stackel_bench.text import plural
from stackel_bench.verbs.steps.dry_run import rough_seconds
from stackel_bench.verbs.steps.publish import Ending, Session, publish
from stackel_bench.verbs.steps.session import carry_through, prepare_folder

Product = tuple[list[str], dict[str, Any]]

SMALL_SECONDS = 20.0  # of work that is done before a cluster of workers would have started to pay
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
    options={"game.correlation": [-1, 0, 1], "study.name": "mine"}. What is not given is as on the command
    line: game bandit/trap, algorithm paper, budget theory, 200 replicates.

    With output=None nothing is written, not even to MLflow. With a folder, journal, results and report are
    kept there and cells that it has are not run again. Small work runs in this process, large work on a
    private Ray cluster; execution="serial" or "local" decides. progress=True or False decides whether
    progress is shown; otherwise it is on terminals and in notebooks.
    """
    for word in budget_words:
        if word not in BUDGET_WORDS:
            raise UnknownKeyError(word, BUDGET_WORDS)
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
    if not any(key.partition(".")[0] == "execution" for key in given):
        plan = _where_it_pays(plan)
    if output is not None:
        found = _run(_writing_to(plan, output), _command(products, output), _console(progress), publish)
    else:
        with tempfile.TemporaryDirectory(prefix="stackel-bench-") as folder:
            command = _command(products, None)
            found = _run(_writing_to(plan, folder), command, _console(progress), lambda session: True)
            tables = TablesInMemory.copied(found.tables, [entry.cell_id for entry in found.finished])
            found = dataclasses.replace(found, tables=tables)
    if found.failed:
        warnings.warn(f"{plural(len(found.failed), 'cell')} failed: see results.failed", stacklevel=2)
    return Results(found)


def _products(game: Any, algorithm: Any, given: Mapping[str, Any]) -> list[Product]:
    """Overrides and objects: one product where there are names only, else one per game and learner."""
    groups = {"game": _listed(game), "algorithm": _listed(algorithm)}
    if all(isinstance(choice, str) for choices in groups.values() for choice in choices):
        return [(_words({**groups, **given}), {})]
    if "study" in given:
        allowed = "names only, beside a study, which has its own games and learners"
        raise InputError("study", given["study"], allowed)
    products: list[Product] = []
    for pair in itertools.product(*(choices or [None] for choices in groups.values())):
        chosen = {group: choice for group, choice in zip(groups, pair, strict=True) if choice is not None}
        objects = {group: choice for group, choice in chosen.items() if not isinstance(choice, str)}
        for key in given:
            group = key.partition(".")[0]
            if group in objects:
                allowed = f"nothing beside {group} objects, which have their own parameters"
                raise InputError(key, given[key], allowed)
        names = {group: choice for group, choice in chosen.items() if group not in objects}
        products.append((_words({**names, **given}), objects))
    return products


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _words(choices: Mapping[str, Any]) -> list[str]:
    """Overrides as they are typed."""
    return list(
        grid_overrides("sweep", {key: _listed(value) for key, value in choices.items() if value != []})
    )


def _writing_to(plan: Plan, folder: str | Path) -> Plan:
    return dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, output=str(folder)))


def _where_it_pays(plan: Plan) -> Plan:
    """The plan with small work in this process."""
    if rough_seconds(plan.cells) > SMALL_SECONDS:
        return plan
    execution = dataclasses.replace(plan.settings.execution, kind="serial")
    return dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, execution=execution))


def _run(plan: Plan, command: str, console: Console, ending: Ending) -> SweepResults:
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
