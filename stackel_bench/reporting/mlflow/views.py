"""The saved views of a study in MLflow: what its Views menu and our links open, each of at most 100 runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from stackel_bench.reporting.mlflow.series_runs import Step
from stackel_bench.reporting.mlflow.view_pages import View, cells_page, pairs_page, series_page
from stackel_bench.results.entry import Entry
from stackel_bench.results.varying import varying_keys
from stackel_bench.statistics.verdicts import FAILS
from stackel_bench.tracking.cell_run import outcome_tags
from stackel_bench.tracking.links import CELLS_VIEW, equals, game_view, in_sweep

MOST_RUNS = 100  # MLflow loads and draws no more at once
MOST_VIEWS = 36  # its own dialogue stops at 40
TAG = "mlflow.sharedViewState."
_FIRST_CREATED = 1_700_000_000_000  # ms; the menu has the newest first, a person's own before ours


def make_views(sweep_id: str, entries: Sequence[Entry], paired: bool, steps: Sequence[Step]) -> list[View]:
    """The views of a sweep, the most important first; series have these steps."""
    own = equals(in_sweep(sweep_id), "yes")
    varying = varying_keys(entries)
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
        failing = [entry for entry in entries if outcome_tags(entry).get("verdict") == FAILS]
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
