"""Every command that README and docs show is one that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stackel_bench.cli import VERBS, main
from tests.docs.code_blocks import ROOT, CommandLine, commands_of

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
    _put_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(cheap(line.words[1:])) == 0, capsys.readouterr().err


@pytest.mark.parametrize("line", commands_of("make"), ids=str)
def test_make_target_exists(line: CommandLine) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(line.words[1:]) <= set(targets)


def _put_example_files(folder: Path) -> None:
    """The files that the commands of docs/add_a_game.md and docs/add_a_learner.md read."""
    import numpy as np

    from tests.outside.conftest import MY_FILE, NEIGHBOUR

    (folder / "my_file.py").write_text(MY_FILE)
    (folder / "neighbour.py").write_text(NEIGHBOUR)
    (folder / "my_conf" / "study").mkdir(parents=True)
    (folder / "my_conf" / "study" / "mine.yaml").write_text("name: mine\ngrids: [{game: bandit/trap}]\n")

    leader, follower = np.array([[0.5, 0.9], [0.7, 0.1]]), np.array([[0.6, 0.2], [0.3, 0.8]])
    np.savez(folder / "my_game.npz", leader_means=leader, follower_means=follower)
    payoffs = " ".join(f"{x} {y}" for x, y in zip(leader.T.ravel(), follower.T.ravel(), strict=True))
    (folder / "my_game.nfg").write_text(f'NFG 1 R "mine" {{ "leader" "follower" }} {{ 2 2 }}\n{payoffs}\n')
