"""Names spell out what varies and nothing else."""

from __future__ import annotations

from stackel_bench.reporting.labels import label_cells
from stackel_bench.results.columns import NEEDED
from stackel_bench.results.numbers import about, count, needed, small
from tests.reporting.fixture_sweeps import make_entry


def test_only_what_varies() -> None:
    entries = [
        make_entry("a", num_leader_actions=5),
        make_entry("b", num_leader_actions=9),
        make_entry("c", game="bandit/other", delta=0.1),
        make_entry("d", game="bandit/other", delta=0.2),
        make_entry("e", num_leader_actions=9, tie_breaking="optimistic"),
    ]
    labels = label_cells(entries).set_index("cell_id")
    assert labels["instance"].tolist() == [
        "bandit/trap num_risky=4",
        "bandit/trap num_risky=8",
        "bandit/other",
        "bandit/other",
        "bandit/trap num_risky=8",
    ]
    assert labels["learner"].tolist() == ["paper", "paper", "paper delta=0.1", "paper delta=0.2", "paper"]
    assert labels["pair"]["b"] == labels["pair"]["e"] != labels["pair"]["a"]


def test_learners_that_stop_need_what_they_used() -> None:
    assert needed({"certified": 1.0, NEEDED: 4254.0}) == "4254"
    assert needed({"certified": 0.5, NEEDED: 4254.0}) == "–", "a cap ended some of them"
    assert about(0.2) == "less than 1 s"
    assert about(5) == "about 5 s"


def test_numbers() -> None:
    assert [count(x) for x in (20, 12.5, 9999, 213910, 1.8e11)] == ["20", "12.5", "9999", "2.14e5", "1.80e11"]
    assert [small(x) for x in (0, 0.00021, 0.5, 1)] == ["0", "2e-4", "0.500", "1.000"]
    assert needed({"budget": "ladder", "sample_complexity": 1600, "censored": 1, "at_most": 0}) == ">1600"
    assert needed({"budget": "ladder", "sample_complexity": 1600, "censored": 0, "at_most": 1}) == "≤1600"
    assert needed({"budget": "ladder", "sample_complexity": 1600, "censored": 0, "at_most": 0}) == "1600"
