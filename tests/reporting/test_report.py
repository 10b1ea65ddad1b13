"""The report says what is missing, stays self-contained, and does not grow without bound."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.errors import InputError
from stackel_bench.reporting.pages.report import write_report
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.reporting.tables import MOST_LATEX_ROWS, latex_table
from stackel_bench.results.journal import Journal
from stackel_bench.tracking.run_record import RunRecord
from stackel_bench.verbs.report import main
from tests.reporting.fixture_sweeps import make_entry, make_records, real_sweep, troubled_sweep, write_cell


def read(results: SweepResults) -> str:
    write_report(results)
    return (results.folder / "report.html").read_text("utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, bytes]:
    """The files of a report on a sweep in which some cells failed, the page first."""
    results = troubled_sweep(tmp_path_factory.mktemp("written"))
    return {path: path.read_bytes() for path in write_report(results)}


@pytest.fixture
def page(written: dict[Path, bytes]) -> str:
    return next(iter(written.values())).decode()


def test_failed_censored_and_unfinished_cells_are_named(page: str) -> None:
    assert "4 / 7" in page
    assert "1 of 7 cells failed with an error" in page
    assert "2 of 7 cells are not finished" in page
    assert "censored in 1 of 4 cells" in page
    assert "made to fail" in page
    assert "What if &lt;things&gt; go wrong?" in page


def test_samples_needed_have_their_interval_and_marks_on_the_page(page: str) -> None:
    assert "<th>needs</th><th>needs within</th></tr>" in page
    assert "<td>&gt;1600</td><td>[1600, –]</td>" in page
    assert "<td>612</td><td>[100, –]</td>" in page
    assert "<li>needs within: interval of the samples needed: the last budget" in page
    assert "≤: the smallest never failed" in page
    assert "needs at least" not in page  # columns of the files alone


def test_too_few_replicates_are_never_called_proof(tmp_path: Path) -> None:
    """58 clean replicates do not support delta = 5 %, 59 do."""
    journal = Journal(tmp_path / "few-0")
    (tmp_path / "few-0").mkdir()
    for replicates in (58, 59):
        entry = make_entry(f"cell{replicates}", replicates=replicates)
        write_cell(journal, entry, make_records((0, 0, 0), replicates))
    results = read_sweep(tmp_path / "few-0")
    page = read(results)
    assert page.count("</b> open</td>") == 1
    assert page.count("</b> holds</td>") == 1
    assert "in\n1 of 2 cells, whose verdict cannot be better than open" in page
    assert "<li>paper replicates=58: holds in 0 of 1 cell; needs 1/16" in page


def test_page_loads_nothing_and_is_small(page: str) -> None:
    assert not re.search(r'(?:src|href)="(?!#)(?!http://www\.w3\.org)', page.replace("xlink:href", "xlink"))
    assert "<script" not in page
    assert "url(http" not in page
    assert len(page) < 5_000_000


def test_files_for_papers(written: dict[Path, bytes]) -> None:
    folder = next(iter(written)).parent
    files = {path.relative_to(folder).as_posix() for path in written}
    assert {"report.html", "figures/curves_01.png", "figures/curves_01.svg", "figures/paired.svg"} <= files
    assert {"tables/headline_bandit.csv", "tables/headline_bandit.tex", "tables/paired.csv"} <= files
    for name in files:
        path = folder / name
        if path.suffix == ".svg":
            ET.fromstring(path.read_text("utf-8"))
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        if path.suffix == ".tex":
            text = path.read_text("utf-8")
            assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")
            assert r"plug\_in" in text


def test_latex_tables_say_that_they_are_cut() -> None:
    """The last row that is kept, none after it, and where all are."""
    table = pd.DataFrame({"row": [f"r{number}" for number in range(MOST_LATEX_ROWS + 1)]})
    cut = latex_table(table, "All.", "t")
    assert f"r{MOST_LATEX_ROWS - 1} " in cut
    assert f"r{MOST_LATEX_ROWS} " not in cut
    assert f"The first {MOST_LATEX_ROWS} of {MOST_LATEX_ROWS + 1} rows; t.csv has all." in cut
    assert "The first" not in latex_table(table[1:], "All.", "t")


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    """All of report.html, figures and tables, whatever the order of sets and the time of day."""
    program = (
        "import sys; from pathlib import Path; "
        "from stackel_bench.reporting.pages.report import write_report; "
        "from stackel_bench.reporting.sweep_results import read_sweep; "
        "write_report(read_sweep(Path(sys.argv[1])))"
    )
    made = []
    folder = Path(
        shutil.copytree(troubled_sweep(tmp_path / "made").folder, tmp_path / "troubled-0123456789ab")
    )
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", program, folder], env=environment, check=True)
        made.append({path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()})
        time.sleep(1.1)  # so that a time with seconds would differ
    assert {"report.html", "paired.csv"} <= {path.name for path in made[0]}
    assert sum(path.suffix in (".svg", ".png") for path in made[0]) >= 4
    assert made[0] == made[1]


def test_hundreds_of_cells_stay_readable(tmp_path: Path) -> None:
    """Figures are capped, and each cap is said; the same records stand for all cells."""
    folder = tmp_path / "many-1"
    folder.mkdir()
    journal = Journal(folder)
    records = make_records((30, 5, 0), 60)
    for number in range(20):
        entry = make_entry(
            f"c{number:03d}", num_leader_actions=2 + number // 2, epsilon=(0.1, 0.2)[number % 2]
        )
        write_cell(journal, entry, records)
    results = read_sweep(folder)
    page = read(results)
    assert len(page) < 5_000_000
    assert "Curves of 8 of 10 games are drawn." in page
    assert len(list((folder / "figures").glob("*.svg"))) < 20


def test_nothing_finished_yet(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    empty = dataclasses.replace(results, entries=results.failed)
    page = read(empty)
    assert "No cell has finished yet." in page
    assert "made to fail" in page


def test_report_verb_rebuilds_what_was_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    output = real_sweep()
    (page,) = output.glob("sweeps/real-*/report.html")
    before = page.read_bytes()
    page.unlink()
    assert main(["study=real", f"output={output}"]) == 0
    assert "8 cells" in capsys.readouterr().out
    assert page.stat().st_size == pytest.approx(len(before), rel=0.05)


def test_nothing_named_is_the_latest_sweep(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = real_sweep()
    monkeypatch.setattr("stackel_bench.verbs.report.write_report", lambda _: [])
    assert main([f"output={output}", "tracking=off"]) == 0
    assert capsys.readouterr().out.startswith("the latest sweep, real-")


@pytest.mark.parametrize("words", [["study=nonsense"], ["sweep=123"], ["study=quickstart"], ["replicates=3"]])
def test_unknown_study_lists_what_exists(words: list[str]) -> None:
    with pytest.raises(InputError, match=r"real-[0-9a-f]{12}"):
        main([*words, f"output={real_sweep()}"])


def test_empty_folder_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none yet; make some with"):
        main(["study=quickstart", f"output={tmp_path}"])


def test_a_report_made_again_is_logged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a store that takes everything; its runs belong to the sweep as they did before."""

    class Store:
        experiment_id, logged = "5", list[Mapping[str, str]]()

        def replace(self, _kind: str, prefix: str, records: Sequence[RunRecord]) -> None:
            assert prefix == f"{results.sweep_id}-"
            self.logged += [record.tags for record in records]

        def log_report(self, _sweep_id: str, tags: Mapping[str, str], *_: object) -> str:
            self.logged.append(tags)
            return "r1"

        def describe(self, tags: Mapping[str, str], _is_own: object) -> None:
            self.logged.append(tags)

    results, store = troubled_sweep(tmp_path), Store()
    (tmp_path / "mlflow.db").touch()
    monkeypatch.setattr("stackel_bench.verbs.report.open_store", lambda *_: store)
    monkeypatch.setattr("stackel_bench.verbs.report.write_report", lambda _: [])
    assert main([f"sweep={results.folder}", f"output={tmp_path}"]) == 0
    *runs, described = store.logged
    assert {(tags["stackel.sweep_id"], tags[f"stackel.sweep.{results.sweep_id}"]) for tags in runs} == {
        (results.sweep_id, "yes")
    }
    assert described["stackel.report_run"] == "r1"
