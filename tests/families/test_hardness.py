"""Hardness cards against numbers that are known by hand, and in `stackel-bench list`."""

from __future__ import annotations

import pytest

import stackel_bench as sb
from stackel_bench.cli import main
from stackel_bench.families.hardness import card_lines, hardness_card


def test_a_traps_card_is_known_by_hand() -> None:
    card = hardness_card(sb.load_game("bandit/trap", num_risky=4, lead=0.05))
    assert card["sizes"] == "A = 5, B = 2"
    assert (
        card["lead of the best response / eps"] == "0 to 0.5"
    )  # the safe row ties, risky ones lead by eps/2
    assert card["responses within eps"] == "2 of 2"
    assert card["pessimistic gap / eps"] == "5"  # 1 at slack 0, 1/2 at eps
    assert card["leader actions that break the guarantee"] == "4 of 5"
    paper = sb.learn(sb.load_game("bandit/trap", num_risky=4), epsilon=0.1, delta=0.05, seed=0)
    assert card["samples asked by paper"] == f"{paper.samples:.3g}"
    assert card_lines(card)[0] == "hardness at epsilon = 0.1, delta = 0.05:"


def test_list_shows_formula_and_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "game=bandit/contracts", "game=bandit/from_file"]) == 0
    shown = capsys.readouterr().out
    assert "hidden effort" in shown
    assert "gap / eps" in shown
    assert "set game.path first" in shown
