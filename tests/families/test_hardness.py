"""Hardness cards against numbers that are known by hand, and in `stackel-bench list`."""

from __future__ import annotations

from pathlib import Path

import pytest

import stackel_bench as sb
from stackel_bench.cli import main
from stackel_bench.families.games import game_names
from stackel_bench.families.hardness import hardness_card, samples_needed

WITHOUT_TRUTH = {
    *("from_file", "simulator", "gymnasium"),
    *("economy", "slow_economy", "lake_program", "taxi_program"),
}


def test_a_traps_card_is_known_by_hand() -> None:
    card = hardness_card(sb.load_game("bandit/trap", num_risky=4, lead=0.05))
    assert card["sizes"] == "A = 5, B = 2"
    assert (
        card["lead of the best response / eps"] == "0 to 0.5"
    )  # the safe row ties, risky ones lead by eps/2
    assert card["responses within eps"] == "100 %"
    assert card["pessimistic gap / eps"] == "5"  # 1 at slack 0, 1/2 at eps
    assert card["leader actions that break the guarantee"] == "4 of 5"
    paper = sb.learn(sb.load_game("bandit/trap", num_risky=4), epsilon=0.1, delta=0.05, seed=0)
    assert card["samples asked by paper"] == f"{paper.samples:.3g}"


def test_leads_in_an_mdp_are_losses_of_single_deviations() -> None:
    """Two steps of one lock: the first digit is worth (0.9 - 0.1), so is the second."""
    game = sb.load_game("bandit_rl/lock", num_leader_actions=1, horizon=2, treasure=0.9, background=0.1)
    card = hardness_card(game)
    assert card["lead of the best response / eps"] == "8 to 8"
    assert card["responses within eps"] == "33.3 %"  # the best policy, of it and two deviations


def test_linear_games_have_the_leads_of_their_tables() -> None:
    table = {"num_risky": 3, "lead": 0.05}
    bandit = hardness_card(sb.load_game("bandit/trap", **table))
    linear = hardness_card(sb.load_game("linear/one_hot", bandit="bandit/trap", parameters=table))
    for title in ("lead of the best response / eps", "responses within eps"):
        assert linear[title] == bandit[title]


def test_the_page_shows_every_card_and_what_was_measured() -> None:
    """docs/hardness.md has a row for every game with a truth, with the needs that `list game=...` shows."""
    page = (Path(__file__).parents[2] / "docs" / "hardness.md").read_text("utf-8")
    for name in game_names():
        family, _, instance = name.partition("/")
        rows = page.split(f"## {family}\n")[1].split("\n## ")[0].splitlines()
        found = [row for row in rows if row.startswith(f"| `{instance}` |")]
        if instance in WITHOUT_TRUTH:
            assert not found
        else:
            (row,) = found
            assert all(f" {text} |" in row for text in samples_needed(name).values())


def test_list_shows_formula_and_card(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("bandit/contracts", "bandit/from_file", "bandit_rl/slow_economy")
    assert main(["list", *(f"game={name}" for name in names)]) == 0
    shown = capsys.readouterr().out
    assert "hidden effort" in shown
    assert "gap / eps" in shown
    assert "set game.path first" in shown
    assert "a program has no truth" in shown
