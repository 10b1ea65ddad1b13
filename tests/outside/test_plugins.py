"""Packages with entry points: listed, swept, told apart by version; a broken one breaks nothing."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.families.registry import family_of
from stackel_bench.outside import plugins
from stackel_bench.sweeps.plan import make_plan
from tests.outside.conftest import CHEAP, MY_FILE, NEIGHBOUR, Command
from tests.sweeps import commands

POINTS = """
[stackel_bench.games]
bandit/prices = plug.mine:make_game
[stackel_bench.learners]
maximin = plug.mine:Maximin
[stackel_bench.explorers]
my_rule = plug.mine:MyRule
[stackel_bench.configs]
plug = plug.conf
[stackel_bench.families]
tables = plug.family:FAMILY
"""
FAMILY = """
import dataclasses
from stackel_bench.families.bandit.record import FAMILY as BANDIT
FAMILY = dataclasses.replace(BANDIT, name="tables")
"""
GAME = """
def make_table():
    import dataclasses
    from plug.mine import make_game
    class TableGame(type(make_game())):
        family = "tables"
    return TableGame(make_game().table)
"""


def write_distribution(folder: Path, name: str, version: str, points: str) -> None:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(points)


def forget_plugins() -> None:
    """Look again at what is installed."""
    for cached in (plugins.plugins, plugins.loaded_plugins, plugins.config_folders, plugins._load):
        cached.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts a version of the plug-in on the path, in the place of the one before."""
    monkeypatch.chdir(tmp_path)

    def put(version: str) -> None:
        folder = tmp_path / f"site-{version}"
        conf = folder / "plug" / "conf" / "study"
        conf.mkdir(parents=True)
        (folder / "plug" / "__init__.py").touch()
        (folder / "plug" / "conf" / "__init__.py").touch()
        (folder / "plug" / "mine.py").write_text(
            MY_FILE.replace("import neighbour", "from plug import neighbour").replace(
                'name = "maximin"', 'name, family = "maximin", ("bandit", "tables")'
            )
            + GAME
        )
        (folder / "plug" / "neighbour.py").write_text(NEIGHBOUR)
        (folder / "plug" / "family.py").write_text(FAMILY)
        (conf / "plugged.yaml").write_text(
            "# A study that came with a package.\nname: plugged\n"
            "grids: [{game: bandit/prices, algorithm: [maximin, paper], game.rate: [0.25, 0.5]}]\n"
        )
        write_distribution(folder, "stackel-plug", version, POINTS)
        clean()
        sys.path.insert(0, str(folder))

    def clean() -> None:
        sys.path[:] = [place for place in sys.path if not place.startswith(f"{tmp_path}/site-")]
        for name in [name for name in sys.modules if name.split(".")[0] == "plug"]:
            del sys.modules[name]
        sys.path_importer_cache.clear()
        forget_plugins()
        family_of.cache_clear()

    yield put
    clean()


def test_installed_is_listed_and_swept(
    install: Callable[[str], None], command: Command, tmp_path: Path
) -> None:
    install("1.0")
    listed = command("list")[1]
    for word in ("bandit/prices", "maximin", "my_rule", "A study that came with a package."):
        assert word in listed
    assert "algorithm.pulls=1000" in command("list", "algorithm=maximin")[1]
    assert "game.rate=0.5" in command("list", "game=bandit/prices")[1]
    code, _, errors = command("sweep", "study=plugged", *CHEAP)
    assert code == 0, errors
    cells = pd.read_csv(commands.sweep_folder(tmp_path) / "results.csv")
    assert list(cells["algorithm"]) == ["maximin", "maximin", "paper", "paper"]
    assert list(cells["game.rate"]) == [0.25, 0.5, 0.25, 0.5]
    code, out, _ = command("verify", str(commands.sweep_folder(tmp_path)), "recompute=1")
    assert (code, out) == (0, "4 cells checked, 4 recomputed, 0 findings\n")
    few = ["budget=fixed", "budget.samples=2000"]
    code, _, errors = command(
        "run", "game=bandit_rl/random", "algorithm.explorer=my_rule", *CHEAP, *few, "replicates=2"
    )
    assert code == 0, errors


def test_a_family_of_a_package(install: Callable[[str], None], command: Command) -> None:
    install("1.0")
    for algorithm in ("maximin", "paper"):
        words = ["game=plug.mine:make_table", f"algorithm={algorithm}", "budget.epsilon=0.3"]
        code, _, errors = command("run", *words, *CHEAP)
        assert code == 0, errors


def test_a_learner_of_another_family_does_not_fit(install: Callable[[str], None], command: Command) -> None:
    install("1.0")
    code, _, errors = command("run", "game=linear/random", "algorithm=maximin")
    assert code == 2
    assert "maximin is a learner for bandit, tables games; this game is of the family linear" in errors


def test_versions_never_share_a_cell(install: Callable[[str], None]) -> None:
    words = (["algorithm=maximin"], ["game=bandit/prices"], [])
    ids = []
    for version in ("1.0", "1.1"):
        install(version)
        ids.append([make_plan(list(each)).cells[0].cell_id for each in words])
    assert ids[0][0] != ids[1][0]
    assert ids[0][1] != ids[1][1]
    assert ids[0][2] == ids[1][2]


def test_a_broken_plugin_breaks_nothing(
    install: Callable[[str], None], command: Command, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    install("1.0")
    kinds = ("games", "learners", "explorers", "configs", "families")
    points = "".join(f"[stackel_bench.{kind}]\nbroken = no_such_module:Thing\n" for kind in kinds)
    write_distribution(tmp_path / "site-1.0", "shaky", "0.3", points)
    forget_plugins()
    with caplog.at_level(logging.WARNING):
        code, out, _ = command("list")
    assert code == 0
    assert "maximin" in out
    assert "broken" not in [line.split()[0] for line in out.splitlines() if line.strip()]
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == len(kinds)
    assert all(
        line.startswith("plug-in shaky 0.3: broken is left out: ModuleNotFoundError") for line in lines
    )
    assert command("run", "algorithm=maximin", *CHEAP)[0] == 0
    points = "".join(f"[stackel_bench.{kind}]\nstrange = math:pi\n" for kind in kinds)
    write_distribution(tmp_path / "site-1.0", "odd", "0.1", points)
    forget_plugins()
    code, out, errors = command("list")
    assert code == 0, errors
    assert "strange" not in out
    for word in ("game=strange", "algorithm=strange", "algorithm.explorer=strange"):
        code, _, errors = command("run", "game=bandit_rl/random", word, *CHEAP)
        assert (code, errors.count("\n")) == (2, 1), errors
        assert "plug-in odd 0.1 raises TypeError: math:pi is none of the" in errors
    code, _, errors = command("run", "algorithm=broken", *CHEAP)
    assert code == 2
    assert "shaky 0.3 raises ModuleNotFoundError" in errors
