"""What each kind of view shows: columns of its table, and charts in sections that say what they show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stackel_bench.reporting.mlflow.cards import (
    Json,
    bars,
    grouped_bars,
    line,
    scatter,
    section,
    view_state,
)
from stackel_bench.reporting.mlflow.series_runs import Step
from stackel_bench.results.columns import NEEDED
from stackel_bench.results.entry import Entry
from stackel_bench.tracking.extra_run import PAIR, SERIES
from stackel_bench.tracking.links import PAIRS_VIEW, equals

COLOURS = "cold: pessimistic"  # the names of sections are cut after some 45 letters
_CELL = (("game", 150), ("algorithm", 110), ("tie_breaking", 110), ("epsilon", 70))


@dataclass(frozen=True)
class View:
    """A name in the menu, and what the page shows."""

    view_id: str
    name: str
    state: Json


def _laddered(entries: Sequence[Entry]) -> bool:
    return any(len(entry.rungs) > 1 for entry in entries)


def _tag(name: str) -> str:
    return f"tags.`{name}`"


def _metric(name: str) -> str:
    return f"metrics.`{name}`"


def _varying_columns(varying: Sequence[str]) -> list[tuple[str, int]]:
    return [(_tag(key), 130) for key in varying]


def pairs_page(own: str, entries: Sequence[Entry], varying: Sequence[str]) -> View:
    """Pessimistic against optimistic, a run per pair."""
    laddered = _laddered(entries)
    needs = [(_tag("needs_pessimistic"), 190), (_tag("needs_optimistic"), 190)]
    columns = [
        *([(_tag("samples_ratio"), 140), (_tag("fewer_samples"), 120)] if laddered else []),
        (_tag("better"), 100),
        (_tag("loss_difference"), 190),
        (_tag("fewer_failures"), 120),
        *(needs if laddered else []),
        *((_tag(name), width) for name, width in (("game", 150), ("algorithm", 110), ("epsilon", 70))),
        *_varying_columns(varying),
    ]
    both = [grouped_bars("loss/pessimistic", "loss/optimistic")]
    both.append(grouped_bars("failure/pessimistic", "failure/optimistic"))
    sections = []
    if laddered:
        sections.append(
            section(
                "samples",
                "Samples needed; right: > 0 pessimistic more",
                grouped_bars("log10_samples/pessimistic", "log10_samples/optimistic"),
                bars("ratio/log10_samples", "log10 of samples, pessimistic / optimistic"),
                columns=2,
                height=460,
            )
        )
    sections.append(
        section(
            "both",
            "Loss, failure: blue pessimistic, orange opt.",
            *both,
            columns=2,
            height=460,
        )
    )
    sections.append(
        section(
            "difference",
            "Loss difference, > 0: pessimistic is better",
            bars("difference/loss"),
            *([line("difference/loss")] if laddered else []),
            columns=2,
            height=460,
        )
    )
    if laddered:
        sections.append(
            section(
                "curves",
                "By samples: pessimistic solid, opt. dashed",
                line("loss/pessimistic", "loss/optimistic"),
                line("failure/pessimistic", "failure/optimistic"),
                columns=2,
            )
        )
    where = f"{own} and {equals('stackel.kind', PAIR)}"
    state = view_state(where, _tag("pair"), columns, sections)
    return View(PAIRS_VIEW, "Pessimistic against optimistic", state)


def series_page(own: str, step: Step, varying: Sequence[str]) -> View:
    """What changes along a swept number, a run per learner and tie-breaking."""
    columns = [
        (_tag("trend"), 420),
        *(
            (_tag(n), w)
            for n, w in (("game", 150), ("algorithm", 110), ("tie_breaking", 110), ("epsilon", 70))
        ),
        *_varying_columns([key for key in varying if key != step.key]),
    ]
    x = "log" if step.inverted or step.key.startswith(("game.num_", "budget.")) else "linear"
    cards = [line("scaling/failure_probability", x=x), line("scaling/value_suboptimality", x=x)]
    along = f"step {step.words.rpartition('.')[2] if step.factor == 1 else step.words} ({COLOURS})"
    sections = [
        section("needed", f"Samples needed; {along}", line(f"scaling/{NEEDED}", y="log", x=x), columns=1),
        section("rest", f"Failure, loss; {along}", *cards, columns=2),
    ]
    where = " and ".join([own, equals("stackel.kind", SERIES), equals("swept", step.key)])
    slug = re.sub(r"[^A-Za-z0-9]+", "-", step.key)
    state = view_state(where, _tag("game"), columns, sections)
    return View(f"stackel-along-{slug}", f"Along {step.key.partition('.')[2] or step.key}", state)


def cells_page(
    own: str,
    view_id: str,
    name: str,
    words: dict[str, str],
    entries: Sequence[Entry],
    varying: Sequence[str],
) -> View:
    """A run per cell: curves where there is a ladder of budgets, bars where there is not."""
    laddered = _laddered(entries)
    columns = [
        (_tag("verdict"), 80),
        (_tag("failure"), 160),
        (_tag("loss"), 160),
        (_tag("allowed"), 80),
        *([(_tag("needs"), 170)] if laddered else []),
        *((_tag(name), width) for name, width in _CELL),
        *_varying_columns(varying),
        *((_tag(name), width) for name, width in (("delta", 60), ("explorer", 110), ("replicates", 80))),
        *((_metric(n), 130) for n in ("failure_probability", "value_suboptimality", "guarantee")),
        *((_metric(n), 130) for n in (NEEDED, "theory_samples")),
    ]
    bounds = scatter("guarantee", "loss allowed", "value_suboptimality", "loss")
    last = [bars("failure_probability"), bars("value_suboptimality"), bounds]
    sections = []
    if laddered:
        curves = [line("failure_probability"), line("value_suboptimality", "guarantee")]
        needs = [
            bars(f"log10_{NEEDED}", "samples needed, log10"),
            scatter("log10_theory_samples", "theorem, log10", f"log10_{NEEDED}", "needed, log10"),
        ]
        title = f"By samples; dashed: allowed ({COLOURS})"
        sections.append(section("curves", title, *curves, columns=2))
        sections.append(section("needs", f"Samples needed ({COLOURS})", *needs, columns=2))
    if any("samples_median" in entry.metrics for entry in entries):
        used = [bars(NEEDED, "samples used, mean"), bars("samples_q90", "samples used, 90 % quantile")]
        sections.append(section("used", f"Samples used until stopping ({COLOURS})", *used, columns=2))
    sections.append(section("last", f"At the largest budget ({COLOURS})", *last))
    where = " and ".join(
        [own, equals("stackel.kind", "cell"), *(equals(key, value) for key, value in words.items())]
    )
    return View(view_id, name, view_state(where, _tag("pair"), columns, sections))
