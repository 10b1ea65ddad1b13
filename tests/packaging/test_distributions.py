"""Wheel and sdist are complete: what is installed from them works in an empty folder."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.parts import ROOT, SOURCES, SUFFIXES
from tests.sweeps import commands


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(wheel, sdist), built from a copy so that the checkout stays clean; setuptools comes from here."""
    import setuptools.build_meta  # noqa: F401 - the build below needs it without a network
    from build import ProjectBuilder

    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("dist")
    for name in tracked_files():
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    builder = ProjectBuilder(tree, runner=_quietly)
    return Path(builder.build("wheel", out)), Path(builder.build("sdist", out))


def _quietly(command: list[str], cwd: str | None = None, extra_environ: object = None) -> None:
    from pyproject_hooks import quiet_subprocess_runner

    quiet_subprocess_runner(command, cwd, extra_environ)


def tracked_files() -> list[str]:
    """Everything that packages are made of, caches aside."""
    wanted = [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE")]
    for folder in SOURCES.values():
        wanted += [p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return [path.relative_to(ROOT).as_posix() for path in wanted]


def test_wheel_has_every_source_file(distributions: tuple[Path, Path]) -> None:
    inside = set(zipfile.ZipFile(distributions[0]).namelist())
    for name in tracked_files():
        if name.endswith((*SUFFIXES, ".typed")):
            top, _, rest = name.partition("/")
            wanted = name if top == "stackel_bench" else f"stackel_bench/{top}/{rest}"
            assert wanted in inside


def test_wheel_brings_nothing_else_to_the_top_level(distributions: tuple[Path, Path]) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(distributions[0]).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"stackel_bench"}


def test_sdist_has_every_source_file(distributions: tuple[Path, Path]) -> None:
    with tarfile.open(distributions[1]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in tracked_files() if name.endswith(SUFFIXES)} <= inside


def installed(environment: Path, *wheels: Path) -> Path:
    """The packages of a new environment that has the wheels; its dependencies are those of this one."""
    venv.create(environment, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    for wheel in wheels:
        zipfile.ZipFile(wheel).extractall(packages)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return packages


def run(environment: Path, folder: Path, *words: str, code: int = 0) -> str:
    """What the command prints, in this folder, by the package that the environment has."""
    folder.mkdir(exist_ok=True)
    program = "import sys; from stackel_bench.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [environment / "bin" / "python", "-I", "-c", program, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_installed_command_works_in_an_empty_folder(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    packages, folder = installed(tmp_path / "environment", distributions[0]), tmp_path / "empty"
    where = "import stackel_bench; print(stackel_bench.__file__)"
    python = tmp_path / "environment" / "bin" / "python"
    imported = subprocess.run(
        [python, "-I", "-c", where], capture_output=True, text=True, timeout=60, check=True
    )
    assert imported.stdout.startswith(str(packages))
    assert "bandit/trap" in run(tmp_path / "environment", folder, "list")
    assert not list(folder.iterdir())
    words = ("game=bandit/trap", "replicates=2", "execution=serial", "tracking=off", "quiet=true")
    run(tmp_path / "environment", folder, "run", *words)
    assert list(folder.glob("sweeps/*/results.csv"))


def test_the_template_plugin(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    """Listed, checked, swept: in the process, on local Ray, on two nodes, where it is stopped and resumed."""
    from build import ProjectBuilder

    shutil.copytree(ROOT / "docs" / "plugin_template", tmp_path / "plugin")
    plugin = Path(ProjectBuilder(tmp_path / "plugin", runner=_quietly).build("wheel", tmp_path / "dist"))
    first, second = tmp_path / "environment", tmp_path / "newer"
    installed(first, distributions[0], plugin)
    (info,) = installed(second, distributions[0], plugin).glob("my_plugin-*.dist-info")
    metadata = (info / "METADATA").read_text("utf-8")
    (info / "METADATA").write_text(metadata.replace("Version: 0.1.0", "Version: 0.2.0"), "utf-8")

    folder = tmp_path / "empty"
    listed = run(first, folder, "list")
    for word in ("bandit/prices", "maximin", "Maximin against the paper's learner"):
        assert word in listed
    assert "all 14 checks passed" in run(first, folder, "check", "my_plugin.maximin:Maximin")
    assert "all 9 checks passed" in run(first, folder, "check", "my_plugin.prices:make_game")
    sweep = ("sweep", "study=prices", "replicates=2", "tracking=off", "budget.epsilon=0.3")
    run(first, folder, *sweep, "execution=serial")
    (results,) = folder.glob("sweeps/*/results.csv")
    rows = results.read_text("utf-8").splitlines()
    assert len(rows) == 5
    assert sum("maximin" in row for row in rows) == 2
    assert "4 cells, 0 to run" in run(first, folder, *sweep, "execution=serial")
    assert "4 cells, 4 to run" in run(second, folder, *sweep, "dry_run=true"), "no cell is shared"
    with _two_nodes(first / "bin" / "python", tmp_path) as address:
        where = ["execution=cluster", f"execution.address={address}", "output=cluster"]
        assert "4 cells, 3 to run" in run(first, folder, *sweep, *where, "limit=3")
        assert "4 cells, 1 to run" in run(first, folder, *sweep, *where)
        refused = run(second, folder, *sweep, *where, code=2)
        assert "can import stackel_bench" in refused
        assert "my_plugin 0.2.0" in refused
        assert "my_plugin 0.1.0" in refused
    (there,) = folder.glob("cluster/sweeps/*/results.csv")
    assert there.read_bytes() == results.read_bytes()
    run(first, folder, *sweep, "execution=local", "execution.num_cpus=1", "output=local")
    (here,) = folder.glob("local/sweeps/*/results.csv")
    assert here.read_bytes() == results.read_bytes()


@contextlib.contextmanager
def _two_nodes(python: Path, folder: Path) -> Iterator[str]:
    """The address of a cluster of two workers that run in that environment."""
    with (folder / "cluster.err").open("w") as errors:
        process = subprocess.Popen(
            [python, "-I", ROOT / "tests" / "sweeps" / "ray_cluster.py"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, (folder / "cluster.err").read_text("utf-8")
        yield address
    finally:
        process.communicate("stop\n", timeout=commands.SECONDS)
        for pid in commands.session_members(process.pid):
            commands.kill(pid)
