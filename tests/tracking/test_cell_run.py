"""What a cell's run says: colours that tell, no empty parameters, few metrics, a picture."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

from PIL import Image

from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.results.colours import SHADES, cell_colour
from stackel_bench.results.entry import Entry
from stackel_bench.tracking.cell_run import (
    artifacts,
    cell_description,
    identity_tags,
    outcome_tags,
    parameters,
    points,
)
from tests.reporting.fixture_sweeps import make_entry, troubled_sweep


def cells(folder: Path) -> dict[str, Entry]:
    return {entry.cell_id: entry for entry in read_sweep(troubled_sweep(folder).folder).entries}


def hue(colour: str) -> str:
    red, _, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "cold" if blue > red else "warm"


def test_hue_is_the_tie_breaking_and_every_learner_has_its_shade() -> None:
    assert {hue(shade) for shade in SHADES["pessimistic"]} == {"cold"}
    assert {hue(shade) for shade in SHADES["optimistic"]} == {"warm"}
    learners = ("paper", "plug_in", "half_tolerance", "anytime", "nash")
    for tie in SHADES:
        made = [make_entry("a", algorithm=name, tie_breaking=tie).description for name in learners]
        shades = [cell_colour(description) for description in made]
        assert len(set(shades)) == len(learners)
        assert shades[0] == SHADES[tie][0], "the paper's learner has the colour of the report's figures"
    assert cell_colour({"tie_breaking": "neither"}) is None
    assert (
        cell_colour({"tie_breaking": "optimistic", "family": "gone", "algorithm": "x"})
        in SHADES["optimistic"]
    )


def test_tags_and_parameters(tmp_path: Path) -> None:
    entry = cells(tmp_path)["aaaa"]
    assert identity_tags(entry)["mlflow.runColor"] == "#0072b2"
    outcome = outcome_tags(entry)
    assert outcome["verdict"] == "holds"
    assert outcome["failure"] == "0 [0, 0.060]"
    assert outcome["needs"].endswith("[100, –]")
    assert outcome_tags(cells(tmp_path / "again")["cccc"])["needs"].startswith(">1600")
    config = {**entry.config, "empty": "", "nothing": None, "off": False, "zero": 0}
    kept = parameters(dataclasses.replace(entry, config=config))
    assert "algorithm.explorer" not in kept
    assert {"off": "False", "zero": "0"}.items() <= kept.items()
    assert not {"empty", "nothing"} & kept.keys()


def test_metrics_are_few_and_a_ladder_is_a_curve(tmp_path: Path) -> None:
    found = cells(tmp_path)
    entry = dataclasses.replace(found["aaaa"], metrics={**found["aaaa"].metrics, "diagnostic_rounds": 3.0})
    known = points(entry)
    keys = {key for key, _, _ in known}
    assert len(keys) <= 20
    assert "diagnostic/rounds" in keys
    assert not [key for key in keys if "vacuous" in key]
    curve = [(step, value) for key, value, step in known if key == "failure_probability"]
    assert curve == [(round(rung["samples"]), rung["failure_probability"]) for rung in entry.rungs]
    assert "log10_sample_complexity" in keys
    assert "log10_sample_complexity" not in {key for key, _, _ in points(found["cccc"])}, "it needs more"


def test_description_and_picture(tmp_path: Path) -> None:
    found = cells(tmp_path)
    text = cell_description(found["cccc"], outcome_tags(found["cccc"]), "5")
    first, second, third, *table = text.splitlines()
    assert first.startswith("**fails** · plug_in on bandit/trap, pessimistic")
    assert "0.750 [0.621, 0.853]" in second
    assert "#/experiments/5/runs?" in third
    assert len(table) == 3 + len(found["cccc"].rungs)
    picture = Image.open(io.BytesIO(artifacts(found["cccc"], None, None)["curve.png"]))
    assert picture.width > 500
    colours = {colour for _, colour in picture.convert("RGB").getcolors(1000) or []}
    assert (0x56, 0xB4, 0xE9) in colours, "the shade of its learner"
    single = dataclasses.replace(found["cccc"], rungs=found["cccc"].rungs[-1:])
    assert "curve.png" not in artifacts(single, None, None)
    assert "made to fail" in cell_description(found["eeee"], {}, "5")
