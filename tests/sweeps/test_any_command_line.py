"""Any text on the command line ends in a valid plan or in exit code 2 with one message, never a traceback."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stackel_bench.cli import _say_at_once, main
from stackel_bench.config.groups import group_names, options

KEYS = [
    *group_names(),
    *("game.num_leader_actions", "game.num_follower_actions", "game.epsilon", "game.gap", "game.name"),
    *("game.noise", "game.path", "game.leader_means", "algorithm.name", "algorithm.explorer"),
    *("algorithm.explorer_options", "algorithm.printed_lp", "algorithm.time_limit"),
    *("budget.kind", "budget.epsilon", "budget.delta", "budget.scale", "budget.samples", "budget.rungs"),
    *("budget.ratio", "execution.kind", "execution.address", "execution.num_cpus", "execution.runtime_env"),
    *("execution.batch_seconds", "execution.cpus_per_task", "execution.memory_per_task", "tracking.uri"),
    *("tracking.kind", "tracking.patience", "study.name", "study.grids", "study.question", "tie_breaking"),
    *("replicates", "seed", "output", "only", "limit", "shuffle", "fail_fast", "quiet", "hydra.run.dir"),
]
names = st.sampled_from([option for group in group_names() for option in options(group)])
numbers = st.one_of(
    st.integers(-3, 12).map(str),
    st.sampled_from(["0.5", "-0.1", "1e-3", "1e9", "1e400", "nan", "inf", "-inf", "9" * 30, "0x1", "1_0"]),
)
words = st.sampled_from(
    [
        "null",
        "true",
        "off",
        "''",
        "[]",
        "{}",
        "[1,2]",
        "{a: 1}",
        "${seed}",
        "${oc.env:HOME}",
        "???",
        "\\",
        "'",
    ]
)
plain = st.one_of(names, numbers, words, st.text(max_size=8))
values = st.one_of(
    plain,
    st.lists(plain, min_size=2, max_size=3).map(",".join),
    st.builds("range({},{})".format, numbers, numbers),
    st.builds("choice({},{})".format, plain, plain),
    st.builds("glob({})".format, st.sampled_from(["*", "bandit/*", "x*", "["])),
    st.builds("interval({},{})".format, numbers, numbers),
)
signs = st.sampled_from(["", "", "", "", "+", "++", "~"])
overrides = st.one_of(
    st.builds(
        "{}{}={}".format, st.sampled_from(["", "", "", "", "+", "++", "~"]), st.sampled_from(KEYS), values
    ),
    st.builds("{}={}".format, st.text(max_size=6), plain),
    st.sampled_from(["~game", "~seed", "--cfg", "job", "-m", "=", "==", "a=b=c", "game@x=bandit/trap", ""]),
    st.text(max_size=10),
)
command_lines = st.tuples(st.sampled_from(["sweep", "sweep", "run"]), st.lists(overrides, max_size=4))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(command_lines)
def test_a_plan_or_one_message(line: tuple[str, list[str]]) -> None:
    verb, given_overrides = line
    # First, so that whatever else is on the line cannot start anything; `dry_run=...` is not among the keys.
    arguments = [verb, "dry_run=true", *given_overrides]
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main(arguments)
    message = errors.getvalue()
    if code == 0:
        assert message == ""
        assert output.getvalue()
    else:
        assert code == 2
        assert message.startswith("error: ")
        assert message.count("\n") == 1
        assert "Traceback" not in message


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["swep"],
        ["sweep", "game=bandit/trp"],
        ["sweep", "gme=bandit/trap"],
        ["sweep", "budget.epsilon=abc"],
        ["run", "seed=1,2"],
        ["sweep", "execution=cluster", "execution.address=127.0.0.1:1"],
        ["sweep", "tracking=server"],
        ["sweep", "tracking=server", "tracking.uri=http://127.0.0.1:1"],
        ["sweep", "only=finished"],
        ["sync", "tracking=off"],
    ],
)
def test_mistakes(arguments: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    where = [f"output={tmp_path / 'output'}"] if len(arguments) > 1 else []
    assert main([*arguments, *where]) == 2
    captured = capfd.readouterr()
    if arguments:
        assert captured.err.count("\n") == 1
        assert captured.err.startswith("error: ")
        assert captured.out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "game=bandit/trap"], "run: planning ...\n"),
        (["sweep", "dry_run=true"], ""),
        (["run", "--help"], ""),
        (["list"], ""),
    ],
)
def test_first_words_need_no_imports(words: list[str], told: str, capfd: pytest.CaptureFixture[str]) -> None:
    _say_at_once(words)
    assert capfd.readouterr().out == told
