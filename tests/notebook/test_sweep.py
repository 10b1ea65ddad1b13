"""Sweeps from Python: the bits of the command line, nothing written unless asked, objects beside names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import stackel_bench as sb
from stackel_bench.families.learners import make_learner
from stackel_bench.sweeps.verify import Verification
from tests.notebook.own_learner import Maximin

HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).parent / "stackel-bench"
TINY = {"budget": "ladder", "epsilon": 0.2, "rungs": 3, "replicates": 5}
WORDS = [
    "game=bandit/trap,bandit/random",
    "algorithm=paper,plug_in",
    "tie_breaking=pessimistic,optimistic",
    "budget=ladder",
    "budget.epsilon=0.2",
    "budget.rungs=3",
    "replicates=5",
]
CELLS = {
    "game": ["bandit/trap", "bandit/random"],
    "algorithm": ["paper", "plug_in"],
    "tie_breaking": ["pessimistic", "optimistic"],
    **TINY,
}


def fed_by_stdin(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, "-"], input=program, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    return ended


def numbers(results: sb.Results) -> pd.DataFrame:
    """The records without what names the cell."""
    order = ["game", "algorithm", "tie_breaking", "rung", "replicate"]
    records = results.records.drop(columns=["cell_id"]).sort_values(order, ignore_index=True)
    return records[[name for name in records.columns if "." not in name]]


def test_same_folder_and_bits_as_the_command_line(tmp_path: Path) -> None:
    """Also the same sweep: what the command line has finished is not run again, and the bytes stay."""
    command = [PROGRAM, "sweep", *WORDS, "tracking=off", "execution=serial", f"output={tmp_path}"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (folder,) = (tmp_path / "sweeps").iterdir()
    written = {name: (folder / name).read_bytes() for name in ("journal.jsonl", "results.csv")}
    resumed = sb.sweep(**CELLS, output=tmp_path, tracking="off", execution="serial")
    assert resumed.folder == folder
    assert {name: (folder / name).read_bytes() for name in written} == written
    fresh = sb.sweep(**CELLS)
    assert fresh.folder is None
    for name in ("cells", "rungs", "records", "actions"):
        pd.testing.assert_frame_equal(getattr(fresh, name), getattr(resumed, name), check_exact=True)


def test_nothing_is_written_or_printed(tmp_path: Path) -> None:
    program = f"import stackel_bench as sb; print(len(sb.sweep('bandit/trap', **{TINY})))"
    ended = fed_by_stdin(program, tmp_path)
    assert (ended.stdout, ended.stderr) == ("1\n", "")
    assert list(tmp_path.iterdir()) == []
    told = fed_by_stdin(program.replace("'bandit/trap',", "'bandit/trap', progress=True,"), tmp_path)
    assert told.stdout == "1\n"
    assert "1/1 cell" in told.stderr


def test_own_learner_from_stdin_gives_the_bits_of_the_command_line(tmp_path: Path) -> None:
    """The class typed at a prompt, on Ray and in the process; and named as FILE:NAME by the command."""
    source = (HERE / "own_learner.py").read_text("utf-8")
    (tmp_path / "own_learner.py").write_text(source)
    call = f"sb.sweep(['bandit/trap', sb.load_game('bandit/random')], [Maximin(), 'paper'], **{TINY}"
    program = f"""{source.replace("from __future__ import annotations", "")}
import stackel_bench as sb
{call}).records.to_pickle("serial.pickle")
{call}, execution="local", options={{"execution.num_cpus": 1}}).records.to_pickle("ray.pickle")
try:
    {call}, output="kept", tracking="off")
except sb.InputError as error:
    print(error)
"""
    ended = fed_by_stdin(program, tmp_path)
    assert "Maximin of a prompt" in ended.stdout
    assert not (tmp_path / "kept").exists()
    words = ["game=bandit/trap,bandit/random", "algorithm=own_learner:Maximin,paper", *WORDS[3:]]
    command = [PROGRAM, "sweep", *words, "tracking=off", "execution=serial"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    typed = sb.load_results(tmp_path).records
    for name in ("serial", "ray"):
        found = pd.read_pickle(tmp_path / f"{name}.pickle")
        columns = [c for c in found.columns if c not in ("cell_id", "algorithm") and "." not in c]
        assert {"leader_action", "estimated_value", "value"} <= set(columns)
        pd.testing.assert_frame_equal(found[columns], typed[columns], check_exact=True)


def test_a_name_and_its_object_see_the_same_samples() -> None:
    by_name = sb.sweep("bandit/random", "paper", **TINY)
    by_object = sb.sweep(sb.load_game("bandit/random"), "paper", **TINY)
    pd.testing.assert_frame_equal(numbers(by_name), numbers(by_object), check_exact=True)
    learned = sb.learn(
        sb.load_game("bandit/random"), epsilon=0.2, budget="ladder", rungs=3, replicates=5, delta=0.05
    )
    records = by_name.records.set_index(["replicate", "rung"])
    for replicate, ladder in enumerate(learned):
        for rung, decision in enumerate(ladder):
            row = records.loc[(replicate, rung)]
            assert decision.leader_action == row["leader_action"]
            assert decision.samples == row["samples"]
            assert decision.estimated_value == row["estimated_value"]


def test_replicates_cross_blocks() -> None:
    """70 replicates of a game whose blocks hold 64 are the first 70 of a sweep; one is the first of them."""
    game = sb.load_game("bandit/random")
    options = {"epsilon": 0.2, "budget": "fixed", "samples": 1000}
    learned = sb.learn(game, Maximin(shift=1.0), replicates=70, **options)
    swept = sb.sweep(game, Maximin(shift=1.0), replicates=70, **options).records
    assert [decision.estimated_value for decision in learned] == swept["estimated_value"].tolist()
    assert sb.learn(game, Maximin(shift=1.0), **options).estimated_value == learned[0].estimated_value
    assert len({decision.estimated_value for decision in learned}) > 1


def test_ids_of_objects() -> None:
    """Other options, another class or another game is another cell; a built-in learner is its name."""
    game = sb.load_game("bandit/trap")
    first = sb.sweep(game, [Maximin(), Maximin(shift=0.5), Maximin(0.5)], **TINY)
    assert len(first) == 2
    assert first.cells["algorithm.shift"].tolist() == [0.0, 0.5]
    again = type("Maximin", (Maximin,), {"__module__": "__main__"})()
    other = sb.sweep([game, sb.load_game("bandit/random")], again, **TINY)
    merged = sb.load_results([first, other])
    assert len(merged) == 4
    assert merged.cells["algorithm.code"].nunique() == 2
    named = sb.sweep("bandit/trap", "paper", **TINY)
    built_in = sb.sweep("bandit/trap", make_learner("bandit", "paper"), **TINY)
    assert named.cells["cell_id"].tolist() == built_in.cells["cell_id"].tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "bandit/trapp"}, "did you mean bandit/trap"),
        ({"epsilons": 0.1}, "did you mean epsilon"),
        ({"algorithm": Maximin}, r"or an object: Maximin\(...\)"),
        ({"algorithm": []}, "at least one name or object"),
        ({"options": {"algorithm.explorer": Maximin()}}, "unknown algorithm.explorer Maximin"),
        ({"options": {"game.rate": Maximin()}}, "a plain value or FILE:NAME; objects are games"),
        ({"options": "game.rate=1"}, "options: found .game.rate=1., allowed: a mapping"),
        ({"options": {"dry_run": True}}, "dry_run has no effect"),
        ({"algorithm": Maximin(), "options": {"algorithm.shift": 1}}, "objects have their own parameters"),
        ({"algorithm": Maximin(), "study": "quickstart"}, "not objects: leave out study, or name them"),
        ({"game": object()}, "a name FILE:NAME or FAMILY/NAME, or an object"),
        ({"samples": 100}, "has no effect"),
    ],
)
def test_mistakes(arguments: dict, words: str) -> None:
    with pytest.raises(sb.InputError, match=words):
        sb.sweep(**arguments)


def test_mistakes_with_objects() -> None:
    game = sb.load_game("bandit/trap")
    with pytest.raises(sb.InputError, match=r"or an object: Maximin\(\)"):
        sb.learn(game, Maximin, epsilon=0.3)  # type: ignore[call-overload]
    nameless = type("Nameless", (), {"schedule": 1, "explore": 1, "decide": 1})()
    with pytest.raises(sb.InputError, match="Nameless has no name"):
        sb.learn(game, nameless, epsilon=0.3)
    with pytest.raises(sb.InputError, match="a study's name, a sweep's id, a folder"):
        sb.load_results(3)  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    found = sb.sweep("bandit/trap", epsilon=np.array([0.2, 0.3]), replicates=np.int64(2), seed=range(2))
    assert sorted(zip(found.cells["epsilon"], found.cells["seed"], strict=True)) == [
        (0.2, 0),
        (0.2, 1),
        (0.3, 0),
        (0.3, 1),
    ]
    assert len(found.records) == 8


def test_what_does_not_fit_is_left_out_and_told() -> None:
    games, cheap = ["bandit/trap", "linear/random"], {"budget": "fixed", "samples": 10_000, "replicates": 2}
    with pytest.warns(UserWarning, match="left out: game=linear/random algorithm=nash .*: unknown algo"):
        found = sb.sweep(games, ["paper", "nash"], options={"skip_invalid": True}, **cheap)
    assert len(found) == 3
    only = type("Only", (Maximin,), {"family": "bandit"})()
    with pytest.raises(sb.InputError, match="maximin is a learner for bandit games; this game is of the"):
        sb.sweep(sb.load_game("linear/random"), only, **cheap)


def test_failing_cells_are_told() -> None:
    class Broken(Maximin):
        def decide(self, *_: object) -> list:
            raise ArithmeticError("made to fail")

    with pytest.warns(UserWarning, match="1 cell failed"):
        results = sb.sweep("bandit/trap", [Broken(), Maximin()], **TINY)
    assert len(results) == 1
    assert [entry.error for entry in results.failed] == ["ArithmeticError: made to fail"]
    assert "1 failed" in repr(results)


def test_sweeps_without_finished_cells_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from tests.notebook.own_learner import Maximin\nclass Broken(Maximin):\n    decide = None\n"
    )
    kept = {"output": tmp_path, "tracking": "off", **TINY}
    with pytest.warns(UserWarning, match="1 cell failed"):
        sb.sweep("bandit/trap", f"{tmp_path}/broken.py:Broken", **kept)
    with pytest.raises(sb.InputError, match="has no finished cells yet"):
        sb.load_results(tmp_path)
    sb.sweep("bandit/trap", **kept)
    assert len(sb.load_results(tmp_path)) == 1


def test_a_study_by_name() -> None:
    results = sb.sweep(study="quickstart", replicates=2, options={"limit": 2}, execution="serial")
    assert len(results) == 2
    assert results.study == "quickstart"


def test_a_kept_sweep_of_objects_verifies(tmp_path: Path) -> None:
    """The objects are not kept, so their cells are checked and not computed again; named ones are."""
    found = sb.sweep("bandit/trap", ["paper", Maximin()], output=tmp_path, tracking="off", **TINY)
    assert found.folder is not None
    verification = Verification(found.folder, 1.0)
    assert list(verification.findings()) == []
    assert (verification.checked, verification.recomputed) == (2, 1)
