"""Imports point one way, and each heavy dependency has one home."""

from __future__ import annotations

import ast
import functools
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = "stackel_bench"

# A part imports from lower levels only; parts of one level do not know each other.
LEVELS: list[set[str]] = [
    {"errors", "kernel", "text", "tolerances"},
    {"checks", "options", "streams", "outside"},
    {"models", "statistics"},
    {"simulation", "planning"},
    {"games"},
    {"learners", "config"},
    {"evaluation"},
    {"families"},
    {"trials", "api"},
    {"execution", "testing"},
    {"results"},
    {"tracking"},
    {"sweeps"},
    {"claims"},
    {"reporting"},
    {"verbs"},
    {"cli", "notebook"},
]
RANK = {part: rank for rank, level in enumerate(LEVELS) for part in level}

HOMES = {
    "numba": ["stackel_bench/kernel.py"],
    "ray": ["stackel_bench/execution/ray/"],
    "mlflow": ["stackel_bench/tracking/mlflow_", "stackel_bench/reporting/mlflow/ui_app.py"],
    "matplotlib": ["stackel_bench/reporting/figures/"],
    "hydra": ["stackel_bench/config/"],
    "jinja2": ["stackel_bench/reporting/templates/"],
    "gymnasium": ["stackel_bench/families/bandit_rl/mdps/grid_mdps.py"],
}

SOURCES = sorted((ROOT / PACKAGE).rglob("*.py"))


def part_of(path: Path) -> str:
    """models, games, ..., or a top-level module's own name."""
    inside = path.relative_to(ROOT).parts
    return inside[1].removesuffix(".py")


@functools.cache
def imported_modules(path: Path) -> tuple[str, ...]:
    """Every module that the file imports, wherever in it; `from package import module` is resolved."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            if node.module == PACKAGE:
                yield from (f"{PACKAGE}.{alias.name}" for alias in node.names)
            else:
                yield node.module


def test_every_part_has_a_level() -> None:
    parts = {part_of(path) for path in SOURCES} - {"__init__"}
    assert parts == set(RANK)


@pytest.mark.parametrize("part", sorted(RANK))
def test_imports_point_downwards(part: str) -> None:
    for path in (path for path in SOURCES if part_of(path) == part):
        for module in imported_modules(path):
            names = module.split(".")
            if names[0] != PACKAGE or len(names) == 1:
                continue
            other = names[1]
            if other in RANK and other != part:
                assert RANK[other] < RANK[part], f"{path.relative_to(ROOT)} imports {module}"


@pytest.mark.parametrize("dependency", sorted(HOMES))
def test_heavy_dependencies_have_one_home(dependency: str) -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if any(module.split(".")[0] == dependency for module in imported_modules(path))
    }
    assert users, f"nobody imports {dependency}"
    strangers = {user for user in users if not any(user.startswith(home) for home in HOMES[dependency])}
    assert not strangers


def test_dynamic_imports_are_rare_and_known() -> None:
    """The analysis above cannot see through import_module; for families, verbs and public names, by name."""
    users = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if "import_module(" in path.read_text("utf-8").replace("initialize_config_module(", "")
    }
    assert users <= {
        "stackel_bench/families/registry.py",
        "stackel_bench/outside/reference.py",  # somebody else's modules
        "stackel_bench/cli.py",
        "stackel_bench/__init__.py",
    }


def test_every_package_says_what_it_exports() -> None:
    """Most export nothing: their modules do."""
    for path in (path for path in SOURCES if path.name == "__init__.py"):
        name = ".".join(path.parent.relative_to(ROOT).parts)
        package = importlib.import_module(name)
        assert all(hasattr(package, exported) for exported in package.__all__), name


def test_help_waits_for_nothing_heavy() -> None:
    """Within a tenth of a second, of which the interpreter itself takes a quarter."""
    program = (
        "import sys; from stackel_bench.cli import main; main(['--help']); "
        "print(sorted({'numpy', 'pandas', 'hydra', 'omegaconf', 'importlib.metadata'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_reports_can_neither_load_nor_solve_games() -> None:
    """They read a journal, perhaps somebody else's: nothing is computed again, no code of theirs is run."""
    solvers = ("planning", "evaluation.oracle", "families.games", "families.oracles", "outside")
    for path in (path for path in SOURCES if part_of(path) == "reporting"):
        for module in imported_modules(path):
            assert not module.startswith(tuple(f"{PACKAGE}.{name}" for name in solvers)), path


FAMILY_FOLDERS = ("bandit", "bandit_rl", "linear", "simultaneous")


def test_nothing_outside_families_names_a_family() -> None:
    """Neither as a word nor by importing its modules; the public name BlackBoxGame is the one exception."""
    found = []
    for path in SOURCES:
        where = path.relative_to(ROOT).as_posix()
        if part_of(path) == "families" or where == "stackel_bench/__init__.py":
            continue
        names = [f"{PACKAGE}.families.{folder}" for folder in FAMILY_FOLDERS]
        found += [
            (where, module)
            for module in imported_modules(path)
            if any(module == name or module.startswith(f"{name}.") for name in names)
        ]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and node.value in set(FAMILY_FOLDERS) - {"linear"}:
                found.append((where, node.value))  # "linear" is also a kind of axis
    assert not found


def test_families_know_few_of_each_other() -> None:
    """Tables serve two families; others may be made of a bandit game; learners know no oracle."""
    allowed = {
        "bandit": {"tables"},
        "bandit_rl": {"tables", "bandit"},
        "linear": {"bandit"},
        "simultaneous": {"tables"},
        "tables": set(),
    }
    for path in (path for path in SOURCES if part_of(path) == "families"):
        inside = path.relative_to(ROOT / PACKAGE / "families").parts
        for module in imported_modules(path):
            words = module.split(".")
            if words[:2] != [PACKAGE, "families"] or len(inside) == 1:
                continue
            if words[2] in allowed and words[2] != inside[0]:
                assert words[2] in allowed[inside[0]], f"{path} imports {module}"
            if "learners" in inside[-1] or "explorers" in inside:
                assert words[-1] not in ("oracle", "diagnosis"), f"{path} imports {module}"


def test_benchmarks_can_be_imported() -> None:
    """They are run by hand and seldom: a name that was moved would be noticed by the next person only."""
    names = [path.stem for path in (ROOT / "benchmarks").glob("*.py")]
    assert names
    for name in names:
        importlib.import_module(f"benchmarks.{name}")
