"""Cells of objects: same numbers as by name, an identity of their own, and none that forgets an option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stackel_bench.api import learn
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.learners import Paper
from stackel_bench.families.bandit_rl.exploration.rules import Uniform
from stackel_bench.families.bandit_rl.learners import Paper as EpisodePaper
from stackel_bench.families.games import load_game
from stackel_bench.notebook.sweep import sweep
from stackel_bench.outside.code import code_of, has_source
from stackel_bench.outside.reference import load_reference
from stackel_bench.sweeps.cell import Cell, CellBuilder
from stackel_bench.sweeps.verify import recompute

REST: dict[str, Any] = {"budget": {"kind": "fixed", "samples": 1000, "epsilon": 0.2}, "replicates": 3}


def cell_of(game: Any, algorithm: Any) -> Cell:
    return CellBuilder().build({"game": game, "algorithm": algorithm, **REST})


def test_an_object_has_the_numbers_of_its_name() -> None:
    by_name = cell_of({"name": "bandit/trap"}, {"name": "paper"})
    by_object = cell_of(load_game("bandit/trap"), Paper())
    assert recompute(by_name).records.equals(recompute(by_object).records)
    assert by_object.description["game"] == "bandit/trap"
    assert by_object.description["algorithm"] == "paper"


def test_ids_depend_on_content_options_and_source(folder: Path) -> None:
    learner = load_reference("my_file:Maximin", "algorithm").object
    game = load_game("bandit/trap")
    ids = {
        cell_of(game, learner()).cell_id,
        cell_of(game, learner(pulls=7)).cell_id,
        cell_of(load_game("bandit/trap", num_risky=2), learner()).cell_id,
    }
    assert len(ids) == 3
    assert cell_of(game, learner(pulls=1000)).cell_id in ids
    with (folder / "neighbour.py").open("a") as file:
        file.write("\nX = 1\n")
    changed = load_reference("my_file:Maximin", "algorithm").object
    assert cell_of(game, changed()).cell_id not in ids


def test_what_has_no_source_says_so(folder: Path) -> None:
    at_a_prompt: dict[str, Any] = {"__name__": "a_prompt"}
    exec("class Learner: pass", at_a_prompt)
    assert not has_source(at_a_prompt["Learner"]())
    assert has_source(load_reference("my_file:Maximin", "algorithm").object())
    assert has_source(Paper())
    assert code_of(Paper()).identity == []


def test_state_that_nobody_can_digest_is_refused() -> None:
    class Learner:
        name = "mine"

        def __init__(self) -> None:
            self.rounds = 3

        def schedule(self, sampler: Any, budget: Any) -> Any: ...

    with pytest.raises(InputError, match="a frozen dataclass"):
        cell_of(load_game("bandit/trap"), Learner())


def test_an_explorer_may_be_an_object(folder: Path) -> None:
    rule = load_reference("my_file:MyRule", "algorithm.explorer").object
    game = load_game("bandit_rl/random")
    words: Any = {"epsilon": 0.2, "budget": "fixed", "samples": 600}
    by_name = learn(game, explorer="my_file:MyRule", **words)
    assert learn(game, explorer=rule(), **words).estimated_value == by_name.estimated_value
    own, other = (cell_of(game, EpisodePaper(rule(unvisited_reward=x))) for x in (0.5, 0.4))
    assert own.description["explorer"] == "my_rule"
    assert own.trial.code.modules == {"my_file", "neighbour"}
    ids = {own.cell_id, other.cell_id, cell_of(game, EpisodePaper("uniform")).cell_id}
    assert len(ids) == 3, "its class and its options are part of a cell's identity"
    assert cell_of(game, EpisodePaper(Uniform())).cell_id in ids, "an object of this package is its name"
    named = cell_of(game, {"name": "paper", "explorer": "my_file:MyRule"})
    assert cell_of(game, EpisodePaper("my_file:MyRule")).cell_id == named.cell_id
    for wrong in (rule, 5):
        with pytest.raises(InputError, match=r"algorithm\.explorer"):
            learn(game, explorer=wrong, **words)
    with pytest.raises(InputError, match="a learner for bandit_rl games; this game is of the family bandit"):
        cell_of(load_game("bandit/trap"), EpisodePaper())


def test_explorer_objects_are_swept_beside_names(folder: Path) -> None:
    rule = load_reference("my_file:MyRule", "algorithm.explorer").object
    choice = {"algorithm.explorer": ["uniform", rule(), rule(unvisited_reward=0.4)]}
    found = sweep("bandit_rl/random", budget="fixed", samples=600, replicates=2, options=choice)
    assert list(found.cells["explorer"]) == ["uniform", "my_rule", "my_rule"]
