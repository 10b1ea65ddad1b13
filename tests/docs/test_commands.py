"""Every command that README and docs show is one that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stackel_bench.cli import VERBS, main
from tests.docs.code_blocks import ROOT, CommandLine, commands_of
from tests.docs.example_files import put_example_files

OWN = commands_of("stackel-bench")
# What would start a server, or needs results of an earlier command, is only asked for its help.
EXPLAINED = {"ui", "report", "sync", "verify", "reproduce", "compare"}


def cheap(words: tuple[str, ...]) -> list[str]:
    """The same command in a form that takes no cluster and next to no time."""
    verb, *overrides = words
    if verb in EXPLAINED:
        return [verb, "--help"]
    if verb == "sweep" and any(o.startswith("execution=cluster") for o in overrides):
        return [verb, *overrides, "--cfg", "job"]  # composed and type-checked; no cluster is asked
    if verb == "sweep" and "--help" not in overrides:
        return [verb, *(o for o in overrides if o != "dry_run=true"), "dry_run=true"]
    if verb == "run":
        kept = [o for o in overrides if not o.startswith(("execution", "tracking", "replicates"))]
        return [verb, *kept, "replicates=2", "execution=serial", "tracking=off"]
    return [verb, *overrides]


def test_there_are_commands_of_every_verb() -> None:
    assert {line.words[1] for line in OWN} >= {"run", "sweep", "list"}
    assert {line.words[1] for line in OWN} <= {*VERBS, "--help"}


@pytest.mark.parametrize("line", OWN, ids=str)
def test_command_works(
    line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stackel_bench.config.groups._given", ())  # as it was, afterwards
    put_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(cheap(line.words[1:])) == 0, capsys.readouterr().err


@pytest.mark.parametrize("line", commands_of("make"), ids=str)
def test_make_target_exists(line: CommandLine) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(line.words[1:]) <= set(targets)
