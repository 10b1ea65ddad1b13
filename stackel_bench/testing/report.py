"""What checks found: one line each, and an error that names all that failed."""

import dataclasses
import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackel_bench.errors import InputError

_PACKAGE = Path(__file__).parents[1]
_LONGEST = 300  # characters of a detail


@dataclass(frozen=True)
class Check:
    """One check: what was checked, whether it passed, and what was seen."""

    name: str
    passed: bool
    detail: str

    def __str__(self) -> str:
        return f"{'ok  ' if self.passed else 'FAIL'}  {self.name}: {self.detail}"


@dataclass(frozen=True)
class Report:
    """All checks of one game, learner or explorer, in order."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return not self.failed

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __str__(self) -> str:
        count, bad = len(self.checks), len(self.failed)
        verdict = f"{self.subject}: all {count} checks passed"
        if bad:
            verdict = f"{self.subject}: {bad} of {count} checks failed"
        return "\n".join([*map(str, self.checks), verdict])

    def __repr__(self) -> str:
        return str(self)


class ContractError(InputError):
    """A contract that is not kept; `report` has every check, the message those that failed."""

    def __init__(self, report: Report) -> None:
        self.report = report
        told = "; ".join(f"{check.name}: {check.detail}" for check in report.failed)
        super().__init__("check", report.subject, "", f"{report.subject} breaks its contract: {told}")


class Broken(Exception):
    """A check that failed, in one sentence."""


def require(condition: object, sentence: str) -> None:
    """Fail the check that is running unless the condition holds."""
    if not condition:
        raise Broken(sentence)


def methods_of(cls: type) -> list[Callable[[Any], str]]:
    """The public methods of a class of checks, in order."""
    return [f for name, f in vars(cls).items() if inspect.isfunction(f) and not name.startswith("_")]


def run_checks(
    subject: str, checks: Iterable[Callable[[Any], str]], each: Sequence[object], raises: bool
) -> Report:
    """The report of what checks say of each object, named by their words.

    They return what they saw, and raise if they fail; one cause is told once.
    """
    done: list[Check] = []
    causes: dict[str, str] = {}
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            done.append(Check(name, True, "; ".join(dict.fromkeys(map(check, each)))))
        except (KeyboardInterrupt, MemoryError):
            raise
        except Broken as error:
            done.append(Check(name, False, str(error)[:_LONGEST]))
        except BaseException as error:  # somebody's code may raise anything, SystemExit included
            told = f"{error}" if isinstance(error, InputError) else _raised(error)
            detail = told[:_LONGEST]
            first = causes.setdefault(detail, name)
            done.append(Check(name, False, detail if first == name else f"as {first}"))
    report = Report(subject, tuple(done))
    if raises and report.failed:
        raise ContractError(report)
    return report


def _raised(error: BaseException) -> str:
    """What was raised, and by which line of somebody's code, where it is not this package's."""
    frames = traceback.extract_tb(error.__traceback__)
    between = (functools.__file__, dataclasses.__file__)  # what calls us for itself
    theirs = [
        frame
        for frame in frames
        if frame.filename not in between and not Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    where = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return f"raises {type(error).__name__}: {error}"[: _LONGEST - len(where)] + where
