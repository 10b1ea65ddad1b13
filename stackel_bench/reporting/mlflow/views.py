"""The saved views of a study in MLflow: what its Views menu and our links open, each of at most 100 runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stackel_bench.reporting.mlflow.cards import Json, bars, grouped_bars, line, scatter, section, view_state
from stackel_bench.reporting.mlflow.series_runs import Step
from stackel_bench.results.columns import NEEDED
from stackel_bench.results.entry import Entry
from stackel_bench.results.frames import entry_verdict
from stackel_bench.statistics.verdicts import FAILS
from stackel_bench.tracking.cell_run import KIND as CELL
from stackel_bench.tracking.links import CELLS_VIEW, PAIRS_VIEW, equals, game_view, in_sweep
from stackel_bench.tracking.run_record import PAIR, SERIES

MOST_RUNS = 100  # MLflow loads and draws no more at once
MOST_VIEWS = 36  # its own dialogue stops at 40
TAG = "mlflow.sharedViewState."
_FIRST_CREATED = 1_700_000_000_000  # ms; the menu has the newest first, a person's own before ours


def make_views(
    sweep_id: str, entries: Sequence[Entry], varying: Sequence[str], paired: bool, steps: Sequence[Step]
) -> list[View]:
    """The views of a sweep, the most important first; varying are columns, steps those of series."""
    own = equals(in_sweep(sweep_id), "yes")
    found: list[View] = []
    if paired:
        found.append(pairs_page(own, entries, varying))
    found += [series_page(own, step, varying) for step in steps if not step.inverted]
    found += [
        cells_page(own, game_view(" ".join(words.values())), _title(words, members), words, members, varying)
        for words, members in _parts(entries)
    ]
    found += [series_page(own, step, varying) for step in steps if step.inverted]  # accuracies
    if len(entries) <= MOST_RUNS:
        found.append(cells_page(own, CELLS_VIEW, "All cells", {}, entries, varying))
    else:
        failing = [entry for entry in entries if entry_verdict(entry) == FAILS]
        if 0 < len(failing) <= MOST_RUNS:
            words = {"verdict": FAILS}
            found.append(cells_page(own, CELLS_VIEW, "Cells that fail", words, failing, varying))
    return found[:MOST_VIEWS]


def view_tags(views: Sequence[View]) -> dict[str, str]:
    """Tags of the experiment that put the views into MLflow's menu."""
    return {
        f"{TAG}{view.view_id}": json.dumps(
            {
                "name": view.name,
                "createdAt": _FIRST_CREATED + len(views) - position,
                "state": json.dumps(view.state),
            }
        )
        for position, view in enumerate(views)
    }


def is_own(tag: str) -> bool:
    """Whether a tag of an experiment is a view that was made here."""
    return tag.startswith(f"{TAG}stackel")


Part = tuple[dict[str, str], Sequence[Entry]]  # tags that all its cells have, and the cells


def _parts(entries: Sequence[Entry], used: tuple[str, ...] = ()) -> Iterator[Part]:
    """Cells by game; those of a game by learner, accuracy and so on as long as they are too many."""
    keys = [key for key in ("game", "algorithm", "explorer", "epsilon", "tie_breaking") if key not in used]
    if not keys:
        yield {}, entries
        return
    key = keys[0]
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(str(entry.description.get(key) or ""), []).append(entry)
    for value, members in groups.items():
        own = {key: value} if value else {}
        if len(members) <= MOST_RUNS:
            yield own, members
        else:
            yield from ((own | more, some) for more, some in _parts(members, (*used, key)))


def _title(words: dict[str, str], members: Sequence[Entry]) -> str:
    (_, game), *rest = words.items()
    few = [f"({MOST_RUNS} of {len(members)})"] if len(members) > MOST_RUNS else []  # of random instances
    parts = (f"ε {value}" if key == "epsilon" else value for key, value in rest)
    return " ".join([f"Game: {game}", *parts, *few])


COLOURS = "cold: pessimistic"  # the names of sections are cut after some 45 letters
_WIDE = {"columns": 2, "height": 460}
_PLACE = {"game": 150, "algorithm": 110, "tie_breaking": 110, "epsilon": 70}


@dataclass(frozen=True)
class View:
    """A name in the menu, and what the page shows."""

    view_id: str
    name: str
    state: Json


def _laddered(entries: Sequence[Entry]) -> bool:
    return any(len(entry.rungs) > 1 for entry in entries)


def _tags(widths: Mapping[str, int], varying: Sequence[str] = ()) -> list[tuple[str, int]]:
    """Columns of tags with their widths, then the keys that vary."""
    return [(f"tags.`{name}`", width) for name, width in {**widths, **dict.fromkeys(varying, 130)}.items()]


def pairs_page(own: str, entries: Sequence[Entry], varying: Sequence[str]) -> View:
    """Pessimistic against optimistic, a run per pair."""
    laddered = _laddered(entries)
    samples = {"samples_ratio": 140, "fewer_samples": 120} if laddered else {}
    outcome = {"smaller_loss": 110, "loss_difference": 190, "fewer_failures": 120}
    needs = {"needs_pessimistic": 190, "needs_optimistic": 190} if laddered else {}
    place = {name: width for name, width in _PLACE.items() if name != "tie_breaking"}
    sections = []
    if laddered:
        needed = grouped_bars("log10_samples/pessimistic", "log10_samples/optimistic")
        times = bars("ratio/log10_samples", "log10 of pessimistic / optimistic, in the list's order")
        title = "Samples needed (colour: fewer; grey: open)"
        sections.append(section("samples", title, needed, times, **_WIDE))
    both = [grouped_bars(f"{what}/pessimistic", f"{what}/optimistic") for what in ("loss", "failure")]
    sections.append(section("both", "Loss, failure: blue pessimistic, orange opt.", *both, **_WIDE))
    apart = [bars("difference/loss"), *([line("difference/loss")] if laddered else [])]
    sections.append(section("difference", "Loss difference, > 0: pessimistic is better", *apart, **_WIDE))
    columns = _tags({**samples, **outcome, **needs, **place}, varying)
    state = view_state(PAIR, [own], "tags.`pair`", columns, sections)
    return View(PAIRS_VIEW, "Pessimistic against optimistic", state)


def series_page(own: str, step: Step, varying: Sequence[str]) -> View:
    """What changes along a swept number, a run per learner and tie-breaking."""
    columns = _tags({"trend": 420, **_PLACE}, [key for key in varying if key != step.key])
    x = "log" if step.inverted or step.key.startswith(("game.num_", "budget.")) else "linear"
    cards = [line("scaling/failure_probability", x=x), line("scaling/value_suboptimality", x=x)]
    along = f"step: {step.words.replace(step.key, step.key.rpartition('.')[2])}"
    sections = [
        section("needed", f"Samples needed; {along}", line(f"scaling/{NEEDED}", y="log", x=x), columns=1),
        section("rest", f"Failure, loss; {along}", *cards, columns=2),
    ]
    slug = re.sub(r"[^A-Za-z0-9]+", "-", step.key)
    state = view_state(SERIES, [own, equals("swept", step.key)], "tags.`game`", columns, sections)
    return View(f"stackel-along-{slug}", f"Along {step.key.partition('.')[2] or step.key}", state)


def cells_page(
    own: str, view_id: str, name: str, words: dict[str, str], entries: Sequence[Entry], varying: Sequence[str]
) -> View:
    """A run per cell: curves where there is a ladder of budgets, bars where there is not."""
    laddered = _laddered(entries)
    outcome = {"verdict": 80, "failure": 160, "loss": 160, "allowed": 80}
    needs = {"needs": 170} if laddered else {}
    columns = _tags({**outcome, **needs, **_PLACE}, varying)
    columns += _tags({"delta": 60, "explorer": 110, "replicates": 80})
    names = ("failure_probability", "value_suboptimality", "guarantee", NEEDED, "theory_samples")
    columns += [(f"metrics.`{name}`", 130) for name in names]
    bounds = scatter("guarantee", "loss allowed", "value_suboptimality", "loss")
    last = [bars("failure_probability"), bars("value_suboptimality"), bounds]
    sections = []
    if laddered:
        curves = [line("failure_probability"), line("value_suboptimality", "guarantee")]
        length = bars(f"log10_{NEEDED}", "samples needed, log10")
        promise = scatter("log10_theory_samples", "theorem, log10", f"log10_{NEEDED}", "needed, log10")
        title = f"By samples; dashed: allowed ({COLOURS})"
        sections.append(section("curves", title, *curves, columns=2))
        sections.append(section("needs", f"Samples needed ({COLOURS})", length, promise, columns=2))
    if any("samples_median" in entry.metrics for entry in entries):
        used = [bars(NEEDED, "samples used, mean"), bars("samples_q90", "samples used, 90 % quantile")]
        sections.append(section("used", f"Samples used until stopping ({COLOURS})", *used, columns=2))
    sections.append(section("last", f"At the largest budget ({COLOURS})", *last))
    where = [own, *(equals(key, value) for key, value in words.items())]
    return View(view_id, name, view_state(CELL, where, "tags.`order`", columns, sections))
