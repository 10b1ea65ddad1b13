"""`reproduce` on a subset: verdicts as expected, whatever the seed, all files, and verdicts that can fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stackel_bench.cli import main

SUBSET = "lemma-gap,erratum-01-printed-lp,erratum-06-occupancies,erratum-12-sub-gaussian"
FIELDS = {"claim", "prediction", "measured", "low", "high", "verdict"}


def reproduce(folder: Path, *words: str) -> list[dict[str, Any]]:
    """Run the command in this process and read what it wrote; its code says whether all is as expected."""
    common = ["execution=serial", "tracking=off", "quiet=true", f"output={folder}"]
    code = main(["reproduce", *words, *common])
    (path,) = folder.glob("sweeps/reproduce-*/claims.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text())
    assert code == (0 if all(row["as_expected"] for row in rows) else 1)
    return rows


def verdicts(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["measurement"]: row["verdict"] for row in rows}


def test_a_subset_of_the_quick_profile(tmp_path: Path) -> None:
    """All as expected; the false-alarm rate of the whole quick profile is below 0.01."""
    rows = reproduce(tmp_path, "profile=quick", f"claim={SUBSET}")
    assert all(row.keys() >= FIELDS for row in rows)
    assert [row for row in rows if not row["as_expected"]] == []
    (folder,) = tmp_path.glob("sweeps/reproduce-*")
    page, text = (folder / "reproduce.html").read_text(), (folder / "claims.md").read_text()
    for row in rows:
        assert row["claim"] in page
        assert row["claim"] in text
    assert "src=" not in page  # self-contained: no script, no image, no style sheet from elsewhere
    assert "<link" not in page
    records = list((folder / "records").glob("*.parquet"))
    before = {path: path.stat().st_mtime_ns for path in records}
    assert reproduce(tmp_path, "profile=quick", f"claim={SUBSET}") == rows
    assert {path: path.stat().st_mtime_ns for path in records} == before  # nothing ran again


def test_another_seed_gives_the_same_verdicts(tmp_path: Path) -> None:
    rows = reproduce(tmp_path, "claim=simultaneous-optimistic", "seed=1")
    assert [row for row in rows if not row["as_expected"]] == []


@pytest.mark.parametrize(
    "broken", [("algorithm=plug_in",), ("budget=scaled", "budget.scale=0.001")], ids=["no slack", "N/1000"]
)
def test_a_broken_learner_is_refuted(tmp_path: Path, broken: tuple[str, ...]) -> None:
    """The trap and the hard game defeat it far more often than delta = 0.05."""
    rows = reproduce(tmp_path, "claim=correction-20-constants", "replicates=100", *broken)
    found = {(row["claim"], row["measurement"]): row["verdict"] for row in rows}
    assert found["correction-20-constants", "quarter-epsilon"] == "refuted"
    assert found["correction-20-constants", "divergence"] == "identity"  # has nothing to do with it


def test_a_learner_without_slack_is_refuted(tmp_path: Path) -> None:
    """Without slack the guarantee fails and no budget of the ladder suffices: refuted, the rest is open."""
    found = verdicts(reproduce(tmp_path, "claim=nested-bandit", "replicates=20", "algorithm=plug_in"))
    assert found["guarantee"] == "refuted"
    assert found["exponent-epsilon"] == "inconclusive"


def test_too_few_replicates_are_inconclusive_not_confirmed(tmp_path: Path) -> None:
    rows = reproduce(tmp_path, "claim=simultaneous", "replicates=10")
    assert verdicts(rows) == {"guarantee": "inconclusive"}


def test_claims_without_cells_keep_what_others_found(tmp_path: Path) -> None:
    """Exact claims have no cells that could tell their sweeps apart; another seed draws other games."""
    words = ["claim=lemma-gap", "claim=figure-gap", "claim=lemma-gap"]
    common = ["reproduce", "execution=serial", "tracking=off", "quiet=true", f"output={tmp_path}"]
    for word in words:
        main([*common, word])
    found = [json.loads(path.read_text()) for path in tmp_path.glob("sweeps/reproduce-*/claims.json")]
    assert sorted({row["claim"] for row in rows} for rows in found) == [{"lemma-gap"}, {"figure-gap"}]
    main([*common, "claim=figure-gap", "seed=1"])
    assert len(list(tmp_path.glob("sweeps/reproduce-*"))) == 3


@pytest.mark.parametrize("word", ["profile=huge", "claim=nothing", "study=quickstart", "game=bandit/gap"])
def test_mistakes_end_with_code_two(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", word]) == 2
    assert "error: " in capsys.readouterr().err
