"""The Dockerfile and the scripts around it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.docker.files import DOCKER, ROOT, tool

DOCKERFILE = (DOCKER / "Dockerfile").read_text("utf-8")


def test_hadolint() -> None:
    checked = tool("hadolint", DOCKER / "Dockerfile")
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("script", sorted(DOCKER.glob("*.sh")), ids=lambda path: path.name)
def test_scripts_parse_and_are_executable(script: Path) -> None:
    subprocess.run(["bash", "-n", script], check=True, timeout=60)
    assert script.stat().st_mode & 0o111
    assert "set -euo pipefail" in script.read_text("utf-8")


def test_base_image_is_an_argument_and_the_user_is_nobody_special() -> None:
    assert DOCKERFILE.count("FROM ${BASE_IMAGE}") == DOCKERFILE.count("FROM ") == 2
    users = [line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("USER ")]
    assert users == ["1000"]


def test_dependencies_are_pinned_by_hash_to_the_versions_that_are_tested() -> None:
    assert "pip install --quiet --no-cache-dir --require-hashes --requirement requirements.lock" in DOCKERFILE
    blocks = (DOCKER / "requirements.lock").read_text("utf-8").replace("\\\n", "").splitlines()
    assert len(blocks) > 50
    assert all("--hash=sha256:" in block for block in blocks)
    tested = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert {block.split()[0] for block in blocks} <= {line.split()[0] for line in tested if line}


def test_build_context_holds_what_is_copied_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert patterns[0] == "*"
    let_in = {line[1:] for line in patterns if line.startswith("!")}
    copied = {
        word
        for line in DOCKERFILE.splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for word in line.split()[1:-1]
    }
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)


def test_warm_up_command_of_the_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sweep that the build runs is one that exists; here only its plan."""
    from stackel_bench.cli import main

    commands = re.split(r"&&|^RUN", DOCKERFILE.replace("\\\n", " "), flags=re.MULTILINE)
    (sweep,) = [line.split() for line in commands if line.strip().startswith("stackel-bench ")]
    words = [word for word in sweep[1:] if not word.startswith("output=")]
    assert main([*words, f"output={tmp_path}", "dry_run=true"]) == 0


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("sweep study=quickstart", "sweep study=quickstart execution=cluster TRACKING output=/results"),
        ("run execution=serial tracking=off", "run execution=serial tracking=off output=/results"),
        ("sweep dry_run=true output=/x", "sweep dry_run=true output=/x execution=cluster TRACKING"),
        ("list game", "list game"),
    ],
)
def test_driver_adds_the_cluster_to_commands_that_compute(command: str, runs: str, tmp_path: Path) -> None:
    for program in ("ray", "stackel-bench"):
        fake = tmp_path / program
        fake.write_text(f'#!/bin/sh\nif [ {program} = stackel-bench ]; then echo "$@"; fi\n')
        fake.chmod(0o755)
    done = subprocess.run(
        ["bash", DOCKER / "entrypoint.sh", "driver", *command.split()],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "MLFLOW_TRACKING_URI": "http://mlflow:5000"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == runs.replace("TRACKING", "tracking=server tracking.uri=http://mlflow:5000")
