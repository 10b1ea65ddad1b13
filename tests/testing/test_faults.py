"""Every check can fail: for each there is an example that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stackel_bench as sb
from tests.outside.conftest import Command, command, folder  # noqa: F401 - fixtures
from tests.testing import faulty

# What breaks with the fault, because it rests on the same thing.
ALSO = {
    "guarantee": {"schedule", "determinism", "batching", "findings", "both tie breakings"},
    "determinism": {"order of units", "batching", "pickles", "means", "growing plans", "samples"},
    "findings": {"random streams"},
    "budget": {"samples counted"},
    "samples counted": {"budget"},
    "identity stable": {"pickles"},
    "samples": {"means"},
}


def failed(report: Any) -> set[str]:
    return {check.name for check in report.failed}


def test_the_good_one_passes() -> None:
    assert sb.testing.check_learner(faulty.Good, "bandit").passed
    assert sb.testing.check_game(faulty.Game()).passed
    assert sb.testing.check_explorer(faulty.FaultyRule).passed


@pytest.mark.parametrize("cls", faulty.LEARNERS)
def test_learners(cls: Any) -> None:
    report = sb.testing.check_learner(cls, "bandit", raises=False)
    assert cls.breaks in failed(report)
    if cls.breaks not in ("guarantee", "pickles"):  # without them, nothing can be decided or sent
        assert failed(report) <= {cls.breaks, *ALSO.get(cls.breaks, ())}


@pytest.mark.parametrize("cls", faulty.RULES)
def test_explorers(cls: Any) -> None:
    report = sb.testing.check_explorer(cls, raises=False)
    assert cls.breaks in failed(report)
    assert failed(report) <= {cls.breaks, *ALSO.get(cls.breaks, ())}


@pytest.mark.parametrize("name", faulty.GAMES)
def test_games(name: str) -> None:
    make: Callable[[], Any] = faulty.GAMES[name]
    report = sb.testing.check_game(make(), raises=False)
    assert name in failed(report)


def test_every_check_has_an_example() -> None:
    learner = {check.name for check in sb.testing.check_learner(faulty.Good, "bandit")}
    assert learner == {cls.breaks for cls in faulty.LEARNERS}
    assert {check.name for check in sb.testing.check_game("bandit/trap")} == set(faulty.GAMES)
    assert {c.name for c in sb.testing.check_explorer(faulty.FaultyRule)} == {r.breaks for r in faulty.RULES}


def test_the_error_names_every_failed_check() -> None:
    with pytest.raises(sb.InputError, match=r"breaks its contract: truth unseen: looks at _table") as caught:
        sb.testing.check_learner(faulty.Looks, "bandit")
    assert "FAIL  truth unseen" in str(caught.value.report)


def test_an_exception_is_told_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raising.py").write_text(
        "from tests.testing import faulty\n\n\nclass Raising(faulty.Good):\n"
        "    def decide(self, sampler, schedule, findings, tie_breaking):\n        return [][0]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from raising import Raising  # type: ignore[import-not-found]

    report = sb.testing.check_learner(Raising(), "bandit", raises=False)
    told = report.failed[0].detail
    assert told == "raises IndexError: list index out of range (raising.py, line 6)"


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "nothing": (lambda found: None, "decide returned NoneType; it must return a list with one Decision for"),
    "too few": (lambda found: found[:-1], "decide returned 0 Decisions; it must return a list with one"),
    "single": (lambda found: found[0], "decide returned Decision; it must return a list with one Decision"),
    "generator": (lambda found: (each for each in found), "decide returned generator; it must return a"),
    "numbers": (lambda found: [0], "decide returned list with int; it must return a list with one Decision"),
}
FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "type": ({"leader_action": 1.0}, "decision.leader_action: found 1.0, allowed: a whole number"),
    "array": ({"samples": np.array([5])}, "decision.samples: found array([5]), allowed: a whole number"),
    "nan": ({"estimated_value": float("nan")}, "estimated_value nan"),
    "none": ({"follower_response": None}, "decision.follower_response: found None, allowed: an action, or"),
    "range": ({"leader_action": 99}, "decision.leader_action[0,0]: found 99.0, allowed: integers >= 0 and"),
    "text": ({"diagnostics": {"x": "high"}}, "decision.diagnostics['x']: found 'high', allowed: a number"),
    "length": ({"actions": {"x": [1.0, 2.0]}}, "decision.actions['x']: found 'an array (3, 1, 2)', allowed"),
}
REPLACED = {name: (lambda found, v=v: [replace(d, **v) for d in found], t) for name, (v, t) in FIELDS.items()}


@pytest.mark.parametrize("name", [*WRONG, *REPLACED])
def test_what_decide_must_not_return_is_told_in_words(name: str) -> None:
    change, told = (WRONG | REPLACED)[name]

    class Wrong(faulty.Good):
        def decide(self, *arguments: Any) -> Any:
            return change(super().decide(*arguments))

    report = sb.testing.check_learner(Wrong(), "bandit", raises=False)
    assert any(check.detail.startswith(told) for check in report.failed), str(report)


FAULTY = '''
from my_file import Maximin, make_game, np
class Peeks(Maximin):
    """Looks at the truth."""
    def explore(self, sampler, *rest):
        assert sampler._table
        return super().explore(sampler, *rest)
class NoDecision:
    name = "undecided"
    schedule = explore = Maximin.schedule
'''


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["my_file:Maximin", "family=bandit"], 0, "all 14 checks passed"),
        (["my_file:make_game"], 0, "all 9 checks passed"),
        (["my_file.py:MyRule"], 0, "all 10 checks passed"),
        (["wrong:Peeks", "family=bandit"], 1, "FAIL  truth unseen"),
        (["my_file:Maximin"], 2, "family"),
        (["my_file:Maximin", "family=bandits"], 2, "did you mean bandit?"),
        (["my_file:Maximin", "famly=bandit"], 2, "unknown key famly"),
        (["my_file:nobody"], 2, "has no nobody"),
        (["my_file:Maximin", "family=bandit", "algorithm.pulls=ten"], 2, "algorithm.pulls: found 'ten'"),
        (["my_file:make_game", "game.rate=0.25"], 0, "2 parameters changed"),
        (["my_file:make_game", "algorithm.rate=0.25"], 2, "algorithm.rate has no effect"),
        (["my_file:np"], 2, "my_file:np is module"),
        (["wrong:NoDecision", "family=bandit"], 2, "NoDecision has no decide or decide_block"),
        ([], 2, "check FILE:NAME"),
    ],
)
def test_verb(
    folder: Path,  # noqa: F811
    command: Command,  # noqa: F811
    words: list[str],
    code: int,
    text: str,
) -> None:
    (folder / "wrong.py").write_text(FAULTY)
    ended, out, errors = command("check", *words)
    assert ended == code, errors
    assert text in (out if code < 2 else errors)
