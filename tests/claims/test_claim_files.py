"""Every claim's file is complete and its cells can be composed; mistakes in such a file are named."""

from __future__ import annotations

import copy
import inspect
import json
import re
from pathlib import Path

import pytest

from stackel_bench.claims.claim import GUARANTEE, IDENTITY, STATISTICS, claim_names, load_claim, parse_claim
from stackel_bench.claims.claims_plan import plan_claims
from stackel_bench.errors import InputError
from stackel_bench.reporting.pages.claims_page import claims_markdown
from tests.claims.good_claim import GOOD

LABELS = {
    "lower-bound-exact-stackelberg",
    "lemma-gap",
    "figure-gap",
    "gap-zero-sum",
    "gap-cooperative",
    "nested-bandit",
    "lower-bound-nested-bandit",
    "two-level-rl",
    "two-level-rl-optimistic",
    "linear-bandit",
    "lower-bound-linear-bandit",
    "nested-bandit-optimistic",
    "simultaneous",
    "simultaneous-optimistic",
    "table-mixed",
    "relationship-turn-based-mg",
}
MOST_FALSE_ALARMS = 0.01


def test_the_papers_claims_are_all_there() -> None:
    assert set(claim_names()) >= LABELS
    assert {name.partition("-")[2] for name in claim_names() if name.startswith("beyond-")} == {
        "bandit",
        "bandit-rl",
        "linear",
        "simultaneous",
    }


@pytest.mark.parametrize("name", claim_names())
def test_claims_are_complete(name: str) -> None:
    claim = load_claim(name)
    assert claim.statement
    assert claim.measurements
    for measurement in claim.measurements:
        assert measurement.asks
        inspect.signature(STATISTICS[measurement.statistic]).bind(None, None, 0.0, **measurement.options)
        assert measurement.grids("full")  # quick leaves out what is too dear


def test_the_chance_of_a_wrong_verdict_in_the_whole_table_is_small() -> None:
    sampled = [m for name in claim_names() for m in load_claim(name).measurements if not m.exact]
    assert sum(m.false_alarm for m in sampled) < MOST_FALSE_ALARMS


def test_cells_are_shared_between_claims_and_overrides_are_stronger() -> None:
    names = ["nested-bandit", "correction-20-constants"]
    planned = plan_claims([load_claim(name) for name in names], "quick", ["seed=5", "replicates=7"])
    guarantee = planned.subjects["nested-bandit", "guarantee"].own
    assert set(planned.subjects["correction-20-constants", "quarter-epsilon"].own) < set(guarantee)
    assert {cell.config["seed"] for cell in planned.plan.cells} == {5}
    assert {cell.config["replicates"] for cell in planned.plan.cells} == {7}
    assert planned.plan.study == "reproduce"


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("kind",), "folklore", "kind"),
        (("measurements", "one", "statistic"), "vibes", "statistic"),
        (("measurements", "one", "false_alarm"), 0.5, "false_alarm"),
        (("measurements", "one", "expected"), "maybe", "expected"),
    ],
)
def test_mistakes_are_named(path: tuple[str, ...], value: object, named: str) -> None:
    data = copy.deepcopy(GOOD)
    node = data
    for key in path[:-1]:
        node = node[key]  # type: ignore[assignment]
    node[path[-1]] = value  # type: ignore[index]
    with pytest.raises(InputError, match=named):
        parse_claim("x", data)


def test_an_unknown_claim_is_answered_with_the_closest_one() -> None:
    with pytest.raises(InputError, match="did you mean lemma-gap"):
        load_claim("lemma-gab")


def test_false_alarm_rates_are_added_up_and_not_called_a_bound() -> None:
    """Rows with normal intervals have nominal rates, of which a sum bounds nothing."""
    docs = Path(__file__).parents[2] / "docs"
    page = claims_markdown(json.loads((docs / "reproduction.json").read_text("utf-8")))
    assert re.search(r"nominal false-alarm rates of sampled numbers, added over rows, are 0\.00\d+: no", page)


def test_the_documented_table_is_generated_from_its_json() -> None:
    """docs/reproduction.md says what docs/reproduction.json says, and knows all claims."""
    docs = Path(__file__).parents[2] / "docs"
    rows = json.loads((docs / "reproduction.json").read_text("utf-8"))
    page = (docs / "reproduction.md").read_text("utf-8")
    assert page == claims_markdown(rows)
    assert {row["claim"] for row in rows} <= set(claim_names())  # the page names those that were not run
    assert all(row["as_expected"] for row in rows)
    assert all(row["power"] for row in rows if row["role"] == GUARANTEE)
    assert {row["verdict"] for row in rows if row["role"] == IDENTITY} <= {IDENTITY, "refuted"}


@pytest.mark.parametrize(("typed", "meant"), [("clam=x", "claim"), ("epsilon=0.1", "budget.epsilon")])
def test_a_misspelt_word_is_answered_with_the_one_that_exists(typed: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"\(did you mean {meant}\?\)"):
        plan_claims([], "quick", [typed])
