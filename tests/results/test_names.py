"""Whatever differs in the configurations of cells differs in their rows and names."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stackel_bench.results.frames import parquet_bytes
from stackel_bench.results.names import ROOM, CellName, cell_names, run_names
from stackel_bench.results.varying import described_columns, varying_keys


@dataclass(frozen=True)
class MadeUp:
    """A cell that nobody can run."""

    cell_id: str
    config: dict[str, Any]
    description: dict[str, Any]


def cell(number: int, **changes: Any) -> MadeUp:
    """A cell of bandit/trap; changes are values of dotted keys with _ for the first dot, None leaves out."""
    config: dict[str, Any] = {
        "game": {"name": "bandit/trap", "num_risky": 4},
        "algorithm": {"name": "paper"},
        "budget": {"kind": "fixed", "epsilon": 0.1, "delta": 0.05, "samples": 100},
        "replicates": 3,
        "seed": 0,
        "tie_breaking": "pessimistic",
    }
    for key, value in changes.items():
        group, _, rest = key.partition("_")
        if group in ("game", "algorithm", "budget"):
            config[group] = {**config[group], rest: value}
        else:
            config[key] = value
    description = {
        "cell_id": f"{number:04d}",
        "family": str(config["game"]["name"]).partition("/")[0],
        "game": config["game"]["name"],
        "algorithm": config["algorithm"]["name"],
        "explorer": config["algorithm"].get("explorer", ""),
        "tie_breaking": config["tie_breaking"],
        "budget": config["budget"]["kind"],
        "epsilon": config["budget"]["epsilon"],
        "delta": config["budget"]["delta"],
        "replicates": config["replicates"],
        "seed": config["seed"],
    }
    return MadeUp(f"{number:04d}", config, description)


def names(*changes: dict[str, Any]) -> list[CellName]:
    return list(cell_names([cell(number, **each) for number, each in enumerate(changes)]).values())


def runs(*changes: dict[str, Any]) -> list[str]:
    return list(run_names([cell(number, **each) for number, each in enumerate(changes)]).values())


def test_tables_name_what_varies_beside_the_game() -> None:
    found = names({"game_correlation": -1}, {"game_correlation": 0, "tie_breaking": "optimistic"})
    assert [each.instance for each in found] == ["bandit/trap correlation=-1", "bandit/trap correlation=0"]
    assert {each.learner for each in found} == {"paper"}


def test_a_list_of_runs_begins_with_the_tie_breaking() -> None:
    assert runs({}, {"tie_breaking": "optimistic"}) == ["PES paper trap ε.1", "OPT paper trap ε.1"]


def test_what_varies_comes_last_if_it_fits_and_second_otherwise() -> None:
    assert runs({"game_num_leader_actions": 2}, {"game_num_leader_actions": 8}) == [
        "PES paper trap ε.1 A2",
        "PES paper trap ε.1 A8",
    ]
    long = runs({"game_correlation": -1}, {"game_correlation": 0, "tie_breaking": "optimistic"})
    assert long == ["PES correlation=-1 paper trap ε.1", "OPT correlation=0 paper trap ε.1"]


def test_families_are_told_apart_by_a_short_word() -> None:
    found = runs({"game_name": "bandit/random"}, {"game_name": "linear/random"}, {"game_name": "mine:random"})
    assert found == ["PES paper random ε.1", "PES paper lin/random ε.1", "PES paper mine:random ε.1"]
    assert max(map(len, found[:2])) <= ROOM


@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.1 + 1e-9, 1e-9],  # equal in six digits
        ["x" * 40 + "a", "x" * 40 + "b"],  # equal in the first letters
        ["/data/a/game.npz", "/data/b/game.npz"],
        ["a/" + "x" * 40 + "/1/" + "y" * 40, "a/" + "x" * 40 + "/2/" + "y" * 40, "b"],
        ["game.npz", "sub/game.npz", None],
        [1, 1.0, True, "one"],
        [[1, 2], [1, 3]],
    ],
)
def test_any_values_are_told_apart(values: list[Any]) -> None:
    cells = [cell(number, game_option=value) for number, value in enumerate(values)]
    found = cell_names(cells)
    assert len(set(run_names(cells).values())) == len(values)
    assert len({each.instance for each in found.values()}) == len(values)
    assert varying_keys(cells) == ("game.option",)
    frame = pd.DataFrame(list(described_columns(cells).values()))
    kept = pd.read_parquet(io.BytesIO(parquet_bytes(frame)))["game.option"]
    assert kept.nunique(dropna=False) == len(values)


def test_same_file_name_in_two_folders_is_short() -> None:
    folder = "/" + "/".join(["a_long_name"] * 6)
    found = names(*({"game_path": f"{folder}/{name}/measured_payoffs.npz"} for name in ("may", "june")))
    assert [each.instance for each in found] == ["bandit/trap path=may", "bandit/trap path=june"]


def test_a_key_of_two_groups_is_spelled_in_full() -> None:
    found = names({"game_epsilon": 0.2}, {"game_epsilon": 0.4})
    assert [each.instance for each in found] == [
        "bandit/trap game.epsilon=0.2",
        "bandit/trap game.epsilon=0.4",
    ]


def test_keys_that_only_some_cells_have() -> None:
    """An option that one of two equal learners has varies; one that belongs to another game does not."""
    assert varying_keys([cell(0), cell(1, algorithm_margin=1)]) == ("algorithm.margin",)
    assert varying_keys([cell(0), cell(1, game_name="bandit/other", game_extra=1)]) == ()
    assert varying_keys([cell(0), cell(1, budget_epsilon=0.2, seed=7, tie_breaking="optimistic")]) == ()


def test_huge_integers_fit_a_file() -> None:
    cells = [cell(number, game_instance_seed=value) for number, value in enumerate((1, 2**70))]
    frame = pd.DataFrame(list(described_columns(cells).values()))
    kept = pd.read_parquet(io.BytesIO(parquet_bytes(frame)))["game.instance_seed"]
    assert kept.tolist() == ["1", str(2**70)]


def test_random_sweeps_are_told_apart() -> None:
    """Products of random keys: as many different names, labels and rows as there are configurations."""
    rng = np.random.default_rng(20261118)
    options: dict[str, list[Any]] = {
        "game_name": ["bandit/trap", "bandit/other"],
        "game_num_risky": [4, 5, 6],
        "game_noise": ["gaussian", "bernoulli"],
        "algorithm_name": ["paper", "plug_in"],
        "algorithm_explorer": ["uniform", "euler"],
        "budget_kind": ["fixed", "theory"],
        "budget_epsilon": [0.1, 0.2],
        "budget_delta": [0.05, 0.1],
        "replicates": [3, 4],
        "seed": [0, 1],
        "tie_breaking": ["pessimistic", "optimistic"],
    }
    for _ in range(40):
        keys = rng.choice(list(options), size=rng.integers(1, 5), replace=False)
        combinations = list(itertools.product(*(options[key] for key in keys)))
        cells = [
            cell(number, **dict(zip(keys, values, strict=True))) for number, values in enumerate(combinations)
        ]
        found = cell_names(cells).values()
        assert len(set(run_names(cells).values())) == len(cells)
        rows = pd.DataFrame(list(described_columns(cells).values())).drop(columns="cell_id")
        assert not rows.duplicated().any()
        ties = [c.config["tie_breaking"] for c in cells]
        epsilons = [c.config["budget"]["epsilon"] for c in cells]
        labels = {
            (each.instance, each.learner, *rest) for each, *rest in zip(found, ties, epsilons, strict=True)
        }
        assert len(labels) == len(cells)
