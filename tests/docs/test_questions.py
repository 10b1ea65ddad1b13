"""Every command of docs/questions.md, run for real, in order, in one folder."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import stackel_bench as sb
from stackel_bench.cli import main
from stackel_bench.outside.reference import load_reference
from tests.docs.code_blocks import ROOT
from tests.docs.example_files import put_example_files

CHEAP = ["execution=serial", "tracking=off", "quiet=true", "replicates=5"]
ROWS = re.findall(
    r"^\| (?!wish|---)(.+) \| `(.+)` \|$", (ROOT / "docs" / "questions.md").read_text("utf-8"), re.MULTILINE
)


def test_every_command_of_the_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(ROWS) == 19
    monkeypatch.setattr("stackel_bench.config.groups._given", ())  # as it was, afterwards
    put_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for wish, typed in ROWS:
        before, _, command = typed.rpartition(" && ")
        subprocess.run(before, shell=True, check=True)
        if command.startswith("stackel-bench "):
            words = shlex.split(command)[1:]
            cheap = CHEAP if words[0] in ("run", "sweep") else CHEAP[1:2] if words[0] == "report" else []
            assert main([*words, *cheap]) == 0, (wish, capsys.readouterr().err)
        else:
            learner = load_reference("my_file:Maximin", "algorithm").object
            found = eval(typed, {"sb": sb, "Maximin": learner})
            assert found is not None, wish
            if isinstance(found, pd.Series):
                assert sorted(found) == [-1, 0, 1]
    assert (tmp_path / "joined.html").is_file()
    assert (tmp_path / "moved" / "report.html").is_file()
    assert not list(tmp_path.glob("sweeps/both-*")), "nothing comes back where the folder was"
