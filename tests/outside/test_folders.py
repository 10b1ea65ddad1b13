"""Folders of configurations: joined, listed, swept; restricted sweeps; Hydra's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackel_bench.config.groups import VARIABLE, use_folders
from stackel_bench.errors import InputError
from stackel_bench.sweeps.plan import make_plan
from tests.outside.conftest import Command

STUDY = """# Two games of mine.
name: mine
grids:
  - game: [mine/large, my_file:make_game]
    algorithm: [paper, my_file:Maximin]
    tie_breaking: [pessimistic, optimistic]
"""


@pytest.fixture
def own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of configurations beside my_file.py."""
    conf = folder / "conf"
    (conf / "study").mkdir(parents=True)
    (conf / "game" / "mine").mkdir(parents=True)
    (conf / "study" / "mine.yaml").write_text(STUDY)
    game = "# @package game\n# A large trap.\nname: bandit/trap\nnum_risky: 8\n"
    (conf / "game" / "mine" / "large.yaml").write_text(game)
    (conf / "config.yaml").write_text(
        "defaults:\n  - budget: fixed\n  - _self_\nbudget:\n  samples: 500\n"
        "replicates: 5\ntracking: off\nexecution: serial\nquiet: true\n"
    )
    monkeypatch.setattr("stackel_bench.config.groups._given", ())  # as it was, afterwards
    return conf


def test_a_study_of_ones_own_is_listed_and_swept(own: Path, command: Command) -> None:
    for words in (["--config-dir", "conf", "list", "study"], ["list", "study", f"--config-dir={own}"]):
        assert "mine               Two games of mine." in command(*words)[1]
    assert "Two games" not in command("list", "study")[1]
    assert "A large trap." in command("list", "game=mine/large", "--config-dir", "conf")[1]
    code, out, errors = command("sweep", "study=mine", "--config-dir", "conf")
    assert code == 0, errors
    assert "mine: 8 cells, 8 to run in this process" in out
    assert command("report", "study=mine", "--config-dir", "conf")[0] == 0


def test_the_environment_names_folders_too(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(own))
    plan = make_plan(["study=mine"])
    assert len(plan.cells) == 8
    assert {cell.config["budget"]["samples"] for cell in plan.cells} == {500}
    assert {cell.config["replicates"] for cell in plan.cells} == {5}
    (cell,) = make_plan(["budget=theory", "replicates=2"]).cells
    assert cell.config["budget"]["kind"] == "theory"
    assert cell.config["replicates"] == 2
    monkeypatch.setenv(VARIABLE, str(own / "nowhere"))
    with pytest.raises(InputError, match="cannot read the folder"):
        make_plan([])


def test_files_that_are_not_complete(own: Path, command: Command) -> None:
    """A study has the name of its file unless it says another; YAML that cannot be read is one message."""
    (own / "study" / "nameless.yaml").write_text("grids: [{game: bandit/trap}]\n")
    (own / "study" / "torn.yaml").write_text("name: [")
    (own / "study" / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    assert "nameless: 1 cell" in command("sweep", "study=nameless", "dry_run=true", "-cd", "conf")[1]
    assert "binary" in command("list", "study", "-cd", "conf")[1]
    for name, place in (("torn", "torn.yaml"), ("binary", "study=binary")):
        code, _, errors = command("sweep", f"study={name}", "--config-dir", "conf")
        assert code == 2
        assert place in errors
        assert errors.count("\n") == 1


def test_what_files_point_to_is_what_was_typed(own: Path) -> None:
    (own / "game" / "mine" / "drawn.yaml").write_text(
        "# @package game\n# A draw per seed.\nname: bandit/random\ninstance_seed: ${seed}\n"
    )
    use_folders([str(own)])
    cells = make_plan(["game=mine/drawn", "seed=3,4"]).cells
    assert [cell.config["game"]["instance_seed"] for cell in cells] == [3, 4]


def test_a_name_that_is_taken_is_refused(own: Path) -> None:
    (own / "study" / "quickstart.yaml").write_text("name: quickstart\n")
    use_folders([str(own)])
    with pytest.raises(InputError, match="there is a study=quickstart already"):
        make_plan(["study=mine"])


def test_a_study_can_be_restricted() -> None:
    """Filtering cells is the same as listing them all and dropping some."""
    everything = make_plan(["study=quickstart"]).cells
    for words, wanted in (
        (["where.game='bandit/*'"], lambda c: c.config["game"]["name"].startswith("bandit/")),
        (
            ["where.algorithm=plug_in,margin"],
            lambda c: c.config["algorithm"]["name"] in ("plug_in", "margin"),
        ),
        (["where.budget.epsilon=[0.1,0.2]"], lambda c: c.config["budget"]["epsilon"] in (0.1, 0.2)),
        (
            ["where.algorithm.explorer=rf_*", "where.tie_breaking=optimistic"],
            lambda c: (
                c.description["explorer"] == "rf_ucrl" and c.description["tie_breaking"] == "optimistic"
            ),
        ),
    ):
        kept = [cell.cell_id for cell in make_plan(["study=quickstart", *words]).cells]
        assert kept == [cell.cell_id for cell in everything if wanted(cell)]
        assert kept
    with pytest.raises(InputError, match=r"unknown key where.epsilon \(did you mean where.budget.epsilon\?"):
        make_plan(["study=quickstart", "where.epsilon=0.1"])
    with pytest.raises(InputError, match="no cell matches"):
        make_plan(["study=quickstart", "where.game=chess"])
    assert len(make_plan(["study=quickstart", "game.num_risky=3", "where.game=bandit/trap"]).cells) == 8


def test_another_game_in_a_study_is_answered_with_what_was_meant(command: Command) -> None:
    code, _, errors = command("sweep", "study=quickstart", "game=bandit/trap", "dry_run=true")
    assert code == 2
    assert errors.endswith("where.game=bandit/trap keeps the cells of the study that have it\n")
    assert (
        "quickstart: 8 cells"
        in command("sweep", "study=quickstart", "where.game=bandit/trap", "dry_run=true")[1]
    )


UNFIT = [
    "game=bandit/trap,bandit_rl/random",
    "algorithm=paper,nash",
    "budget.epsilon=0.2,0.3",
    "dry_run=true",
]


def test_combinations_that_do_not_fit(folder: Path, command: Command) -> None:
    code, _, errors = command("sweep", *UNFIT)
    assert code == 2
    lines = errors.splitlines()
    assert lines[0] == "error: 2 of 8 cells do not fit (skip_invalid=true leaves them out):"
    for epsilon, line in zip((0.2, 0.3), lines[1:], strict=True):
        assert line.startswith(
            f"  game=bandit_rl/random algorithm=nash budget.epsilon={epsilon}: unknown algorithm 'nash'"
        )
    code, out, errors = command("sweep", *UNFIT, "skip_invalid=true")
    assert code == 0
    assert "6 cells, 6 to run" in out
    assert errors.count("left out: game=bandit_rl/random algorithm=nash") == 2


def test_a_combination_is_told_as_it_is_typed(folder: Path, command: Command) -> None:
    words = ["game=my_file:make_game,no_file:make_game", "dry_run=true", "skip_invalid=true"]
    code, _, errors = command("sweep", *words)
    assert code == 0
    assert errors.startswith("left out: game=no_file:make_game: game=no_file:make_game: ")


def test_many_that_do_not_fit_are_counted(folder: Path, command: Command) -> None:
    many = ["game=bandit/trap,bandit_rl/random", "algorithm=nash", "seed=range(20)", "dry_run=true"]
    code, _, errors = command("sweep", *many, "skip_invalid=true")
    assert code == 0
    assert errors.count("\n") == 11
    assert errors.endswith("left out: 10 more\n")
    assert command("sweep", *many)[2].endswith("... and 10 more\n")


def test_a_mistake_in_every_cell_is_said_once(folder: Path, command: Command) -> None:
    code, _, errors = command(
        "sweep", "game=bandit/trap", "game.num_riskyy=3", "seed=1,2", "skip_invalid=true"
    )
    assert code == 2
    assert errors.startswith("error: unknown key game.num_riskyy (did you mean game.num_risky?)")


ANSWERS = {
    "--config-name=x": "--config-dir FOLDER",
    "-cp=x": "--config-dir FOLDER",
    "hydra.sweep.dir=x": "output=FOLDER",
    "hydra/launcher=ray": "execution=local",
    "hydra.verbose=true": "`stackel-bench VERB --help`",
    "algorithm._target_=my_file.Maximin": "algorithm=FILE:NAME",
    "study=conf/study/mine.yaml": "FOLDER/study/NAME.yaml, then study=NAME --config-dir FOLDER",
    "algorithm=xyzzy": "or FILE:NAME of your own",
    "-cn=x": "whose config.yaml has your defaults",
    "--config-dir=nowhere": "cannot read the folder nowhere: there is none",
    "hydra.searchpath=[pkg://x]": "folders that exist",
}


@pytest.mark.parametrize("word", ANSWERS)
def test_other_words_of_hydra_are_answered(word: str, own: Path, command: Command) -> None:
    code, out, errors = command("run", word)
    assert (code, out) == (2, "")
    assert ANSWERS[word] in errors
    assert errors.count("\n") == 1


def test_a_verb_comes_first(command: Command) -> None:
    code, _, errors = command("-m", "game=bandit/trap")
    assert (code, errors) == (2, "error: a verb comes first: stackel-bench run game=bandit/trap\n")


def test_words_of_hydra_that_work(own: Path, command: Command) -> None:
    lists = ["game=bandit/trap,bandit/random", "dry_run=true"]
    assert "custom: 2 cells" in command("run", "-m", *lists)[1]
    assert "custom: 2 cells" in command("sweep", "--multirun", *lists)[1]
    assert f"file://{own}" in command("run", "--info", "searchpath", "-cd", "conf")[1]
    assert "replicates: 5" in command("run", f"hydra.searchpath=[file://{own}]", "--cfg", "job")[1]
