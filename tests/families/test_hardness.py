"""Hardness cards against numbers that are known by hand, and in `stackel-bench list`."""

from __future__ import annotations

from pathlib import Path

import pytest

import stackel_bench as sb
from stackel_bench.cli import main
from stackel_bench.families.card_texts import needed_text, number
from stackel_bench.families.games import game_names
from stackel_bench.families.hardness import hardness_card, samples_asked, samples_needed
from stackel_bench.families.instance_bound import MOST_PAIRS, lower_bounds
from tests.families.bandit.characteristic_grids import NAMED, Formula

PAGE = (Path(__file__).parents[2] / "docs" / "hardness.md").read_text("utf-8")

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
    assert samples_asked(sb.load_game("bandit/trap", num_risky=4))["paper"] == number(paper.samples)
    assert float(number(paper.samples).replace(",", "")) == pytest.approx(paper.samples, rel=0.005)


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


def cells(family: str, instance: str) -> dict[str, str]:
    """The page's row of a game, by the titles of its family's table."""
    lines = [
        line for line in PAGE.split(f"## {family}\n")[1].split("\n## ")[0].splitlines() if line[:1] == "|"
    ]
    titles, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    (found,) = (dict(zip(titles, row, strict=True)) for row in rows if row[0] == f"`{instance}`")
    return found


@pytest.mark.parametrize("name", game_names())
def test_the_page_has_no_blank_cell(name: str) -> None:
    """docs/hardness.md has a row for every game with a truth, with the needs that `list game=...` shows."""
    family, _, instance = name.partition("/")
    if instance in WITHOUT_TRUTH:
        assert f"| `{instance}` |" not in PAGE.split(f"## {family}\n")[1].split("\n## ")[0]
        return
    row = cells(family, instance)
    assert all(row.values())
    assert "not measured" not in row.values()
    for learner, text in samples_needed(name).items():
        assert row[f"needed by `{learner}`"] == text


CHEAP = ("cooperative", "correlated", "explicit", "gap", "hard_pair", "random", "trap", "zero_sum")


@pytest.mark.parametrize("name", CHEAP)
def test_the_pages_characteristic_times_are_those_of_a_second_program(name: str) -> None:
    """Grids and cutting planes that share no code; `benchmarks/characteristic_time.py` has taxation."""
    game = sb.load_game(f"bandit/{name}")
    low, high = (
        float(end.replace(",", "")) for end in cells("bandit", name)["T\\*"].split("; ")[0].split(" to ")
    )
    assert high <= 1.05 * low
    unit = 2.0  # standard deviations are 1/2
    least, most = Formula(unit * game.table.leader_means, unit * game.table.follower_means, unit * 0.1).time()
    assert low <= 1.01 * most  # grids end a little above
    assert least <= 1.005 * high  # three digits


def test_every_bandit_game_has_a_certified_time() -> None:
    """Each noise and tie-breaking; the page has what the card has."""
    for name in game_names():
        family, _, instance = name.partition("/")
        if family == "bandit" and instance not in WITHOUT_TRUTH:
            found = lower_bounds(sb.load_game(name), 0.1, 0.05)
            times = found["T*, pessimistic"], found["T*, optimistic"]
            assert not any("not settled" in text for text in times)
            row = cells(family, instance)
            assert row["T\\*"] == "; ".join(times)
            bounds = found["lower bound, Gaussian noise"], found["lower bound, Bernoulli noise"]
            assert row["lower bound"] == "; ".join(bounds)


def test_a_linear_game_of_free_tables_has_the_tables_bound() -> None:
    bandit = lower_bounds(sb.load_game("bandit/lower_bound", **NAMED["lower_bound"]), 0.1, 0.05)
    linear = sb.load_game("linear/one_hot", bandit="bandit/lower_bound", parameters=NAMED["lower_bound"])
    assert lower_bounds(linear, 0.1, 0.05) == bandit


def test_what_has_no_bound_says_why() -> None:
    nothing = lower_bounds(
        sb.load_game("bandit/explicit", leader_means=[[0.3]], follower_means=[[0.3]]), 0.1, 0.05
    )
    assert nothing["T*, pessimistic"].startswith("0: ")
    assert nothing["worst case"] == "none: the theorem needs B >= 3"
    tied = {"leader_means": [[0.5], [0.5]], "follower_means": [[0.5], [0.5]]}
    assert lower_bounds(sb.load_game("bandit/explicit", **tied), 1e-9, 0.05)["T*, pessimistic"][0].isdigit()
    large = sb.load_game("bandit/random", num_leader_actions=MOST_PAIRS, num_follower_actions=2)
    assert "sb.characteristic_time" in lower_bounds(large, 0.1, 0.05)["T*, pessimistic"]
    loud = sb.load_game(
        "bandit/explicit", leader_means=[[1.5, 0.1]], follower_means=[[0.5, 0.9]], noise="gaussian"
    )
    assert lower_bounds(loud, 0.1, 0.05)["lower bound, Bernoulli noise"].startswith("none: ")
    for name in ("linear/random", "bandit_rl/lock", "simultaneous/random"):
        assert lower_bounds(sb.load_game(name), 0.1, 0.05)["T*, pessimistic"].startswith("not known: ")


def test_the_worst_case_is_the_theorems() -> None:
    """3 A floor(B/3) / (864 eps^2); in a linear game of the largest table with at most d pairs."""
    rl = sb.load_game("bandit_rl/lower_bound")
    assert lower_bounds(rl, 0.02, 0.05)["worst case"] == number(6 * 9 // (864 * 0.02**2))
    linear = sb.load_game("linear/random", dimension=20, num_leader_actions=20, num_follower_actions=20)
    assert lower_bounds(linear, 0.01, 0.05)["worst case"] == number(18 // (864 * 0.01**2))


def test_needs_are_written_like_other_numbers() -> None:
    assert needed_text("too few runs: 0 of 4") == "too few runs: 0 of 4"
    assert [needed_text(text) for text in ("> 2.1e+05", "< 78", "3.4e+03", "3.4e+08")] == [
        "> 210,000",
        "< 78",
        "3,400",
        "3.4e+08",
    ]


def test_list_shows_formula_and_card(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("bandit/contracts", "bandit/from_file", "bandit_rl/slow_economy")
    assert main(["list", *(f"game={name}" for name in names)]) == 0
    shown = capsys.readouterr().out
    assert "hidden effort" in shown
    assert "gap / eps" in shown
    assert "asks for" in shown
    assert "it promises nothing" in shown
    assert "set game.path first" in shown
    assert "a program has no truth" in shown
