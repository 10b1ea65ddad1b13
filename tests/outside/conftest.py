"""A user's folder: a game, a learner whose findings are a neighbour's class, an explorer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stackel_bench.cli import main

NEIGHBOUR = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Finding:
    sums: object

def best(means):
    return int(means.min(axis=1).argmax())
"""

MY_FILE = '''
from dataclasses import dataclass

import numpy as np

import neighbour
import stackel_bench as sb
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.bandit_rl.exploration.rules import Uniform
from stackel_bench.families.tables.row_pulls import PullSums, pull_schedule, stack
from stackel_bench.learners.decision import Decision
from stackel_bench.options import option
from stackel_bench.streams import generator


@dataclass(frozen=True)
class Maximin:
    """The leader's security level."""

    pulls: int = option(1000, "pulls of each pair at the theorem's budget")

    name = "maximin"

    def schedule(self, sampler, budget):
        return pull_schedule(sampler, budget, theory_pulls=self.pulls)

    def explore(self, sampler, schedule, unit, key):
        rng = generator(*key, "pulls", unit)
        return neighbour.Finding(PullSums(*sampler.pull_row(unit, schedule.counts, rng)))

    def decide(self, sampler, schedule, findings, tie_breaking):
        sums, decisions = stack([finding.sums for finding in findings]), []
        for rung, (pulls, samples) in enumerate(zip(schedule.counts, schedule.samples)):
            means = sums.leader[rung] / pulls
            row = neighbour.best(means)
            worst = int(means[row].argmin())
            decisions.append(Decision(tie_breaking, row, None, worst, float(means[row, worst]), samples))
        return decisions


def make_game(rate=0.5, size=3):
    prices = np.linspace(0, 1, size)
    demand = 1 - np.outer(prices, prices)
    return BanditGame(sb.PayoffTable(rate * demand, 1 - demand))


@dataclass(frozen=True)
class MyRule(Uniform):
    """Uniform play under another name."""

    name = "my_rule"
'''

CHEAP = ["execution=serial", "tracking=off", "quiet=true", "replicates=5"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with my_file.py and the neighbour that it imports."""
    (tmp_path / "my_file.py").write_text(MY_FILE)
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR)
    monkeypatch.chdir(tmp_path)
    return tmp_path


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process: exit code, stdout, stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(list(words))
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run
