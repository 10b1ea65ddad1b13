"""Shell completion knows verbs, groups, options and keys."""

from __future__ import annotations

import subprocess

import pytest

from stackel_bench.cli import VERBS, main

SCRIPT = """
source /dev/stdin <<'EOF'
{script}
EOF
COMP_LINE='stackel-bench {typed}' COMP_POINT={point} COMP_CWORD={number}
_stackel_bench
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete(typed: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What bash would offer after these words."""
    assert main(["completion", "bash"]) == 0
    line = f"stackel-bench {typed}"
    program = SCRIPT.format(
        script=capsys.readouterr().out, typed=typed, point=len(line), number=line.count(" ")
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sw", ["sweep"]),
        ("run game=bandit/tr", ["bandit/trap"]),
        ("run bud", ["budget=fixed", "budget=theory", "budget.epsilon="]),
        ("run budget.eps", ["budget.epsilon="]),
        ("sweep game.num_leader", ["game.num_leader_actions="]),
        ("run tie_b", ["tie_breaking="]),
        ("run game=nothing", []),
    ],
)
def test_offers(typed: str, offered: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = complete(typed, capsys)
    assert set(offered) <= set(found)
    assert bool(offered) == bool(found)


def test_all_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(complete("", capsys)) == sorted(VERBS)


def test_zsh_loads_bash_completion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("autoload -U +X bashcompinit && bashcompinit\n")


@pytest.mark.parametrize("words", [[], ["fish"], ["bash", "zsh"]])
def test_other_shells_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", *words]) == 2
    assert "bash, zsh" in capsys.readouterr().err
