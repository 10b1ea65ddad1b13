"""The words of the report: what was run, how to read it, what to be careful about."""

from __future__ import annotations

import json
import platform
import time
from collections import defaultdict
from importlib.metadata import version

import pandas as pd

from stackel_bench.reporting.numbers import count, enough
from stackel_bench.reporting.pages import page
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import files
from stackel_bench.results.columns import CENSORED, NEEDED, NEEDED_HIGH, NEEDED_LOW, heading, lookup
from stackel_bench.results.varying import flat_items
from stackel_bench.statistics.verdicts import FAILS, HOLDS, OPEN, VACUOUS, clean_replicates_needed

_LIBRARIES = ("numpy", "scipy", "numba", "ray", "mlflow", "matplotlib")
_MOST_FAILURES = 50
_MOST_VALUES = 12


def cost_tiles(results: SweepResults) -> str:
    """The sweep in a few numbers; samples are the cost that does not depend on the machine."""
    cells = results.cells
    facts = {"cells finished of those planned": f"{len(results.finished)} / {results.planned}"}
    if not cells.empty:
        low, high = cells["replicates"].min(), cells["replicates"].max()
        facts["replicates per cell"] = f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
        facts["samples drawn"] = count(results.samples_drawn)
        facts["seconds of one worker"] = f"{sum(entry.busy_seconds for entry in results.entries):.1f}"
    return page.tiles(facts)


def cautions(results: SweepResults) -> list[str]:
    """What is missing or cut off, said before any number is shown."""
    notes = []
    if results.failed:
        notes.append(
            f"{len(results.failed)} of {results.planned} cells failed with an error and have no numbers "
            "(listed under What was run)."
        )
    if results.unfinished:
        notes.append(
            f"{results.unfinished} of {results.planned} cells are not finished; the rest is reported."
        )
    cells = results.cells
    if cells.empty:
        return [page.paragraph(note, "warning") for note in [*notes, "No cell has finished yet."]]
    ladders = cells[cells["budget"] == "ladder"]
    censored = int((ladders[CENSORED] == 1).sum())
    if censored:
        notes.append(
            f"Samples needed are censored in {censored} of {len(ladders)} cells with a ladder: even the "
            "largest budget failed in more than delta of the replicates, so the number is a lower "
            "limit (marked >)."
        )
    vacuous = int((cells["verdict"] == VACUOUS).sum())
    if vacuous:
        notes.append(
            f"{vacuous} of {len(cells)} cells are vacuous: on their games no output at all could break the "
            "leader's lines, so they say nothing about the learner and are counted apart."
        )
    weak = cells[cells["replicates"] < cells["delta"].map(clean_replicates_needed)]
    if len(weak):
        notes.append(
            f"{len(weak)} cells have too few replicates to support their delta even without a single "
            "failure; their verdict cannot be better than open."
        )
    return [page.paragraph(note, "warning") for note in notes]


def reading_guide() -> list[str]:
    """How to read the table, in four sentences."""
    text = (
        "Each row is one cell: a game, a learner, a tie-breaking and an accuracy eps, repeated with "
        "independent samples. A replicate fails if its decision misses a line of the learner's guarantee on "
        "the true game, which is known exactly; a learner that promises nothing is held to the paper's "
        "lines. The loss is the value suboptimality of the commitment, and gap + eps is what the guarantee "
        "allows. With pessimistic tie-breaking the paper's guarantee is about a follower who may err by "
        "eps/2, so a cell can fail although it loses nothing against an exact follower."
    )
    return [page.paragraph(text)]


def family_summary(cells: pd.DataFrame) -> list[str]:
    """The headline of a family: verdicts and budgets per learner."""
    lines = []
    for learner, rows in cells.groupby("learner", sort=False):
        tally = rows["verdict"].value_counts()
        parts = [f"{tally.get(name, 0)} {name}" for name in (HOLDS, FAILS, OPEN, VACUOUS)]
        text = f"{learner}: {len(rows)} cells, {', '.join(parts)}"
        reached, share = enough(rows[rows["verdict"] != VACUOUS])
        if reached:
            text += f"; in the {reached} where a budget sufficed, it was {share} of the theorem's (median)"
        worst = rows.iloc[int((rows["value_suboptimality"] - rows["guarantee"]).to_numpy().argmax())]
        text += (
            f"; mean loss nearest to (or furthest above) its limit: {worst['value_suboptimality']:.3f} "
            f"where {worst['guarantee']:.3f} is allowed ({worst['instance']}, {worst['tie_breaking']}, "
            f"eps {worst['epsilon']:g})"
        )
        lines.append(text + ".")
    return [page.bullet_list(lines)]


def statistics_notes(cells: pd.DataFrame) -> list[str]:
    """What the intervals and verdicts mean, and what they do not."""
    delta = float(cells["delta"].min())
    claims = cells[cells["verdict"].isin((HOLDS, FAILS))]
    stand = int((claims["verdict"] == claims["verdict_adjusted"]).sum())
    return [
        "Failure probabilities have exact (Clopper-Pearson) two-sided 95 % intervals, also at 0 and at "
        "all failures. Mean losses have intervals for means of bounded variables (Gaffke), which also hold "
        "where losses are rare; losses lie between 0 and the largest loss that the game has.",
        "Verdict holds: an exact one-sided test rejects, at 5 %, that the failure probability exceeds "
        "delta. Verdict fails: one rejects that it is at most delta. Otherwise open; or vacuous, where no "
        "output could have broken the leader's lines on this game. For delta = "
        f"{delta:g}, {clean_replicates_needed(delta)} replicates without a failure are the least that "
        "supports holds.",
        f"Many cells are judged at once: of {len(claims)} claims (holds or fails), {stand} stand if the "
        f"chance of even one false claim among all {len(cells)} cells is to stay at 5 % (Holm's "
        "correction).",
        *(f"{heading(name)}: {lookup(name).definition}." for name in (NEEDED, NEEDED_LOW, NEEDED_HIGH)),
        "Pessimistic and optimistic cells that agree in everything else saw the same samples; their "
        "differences are taken replicate by replicate.",
    ]


def what_was_run(results: SweepResults) -> list[str]:
    """Command, versions, seeds, configuration, failures."""
    seeds = sorted({str(entry.description["seed"]) for entry in results.entries})
    done = [entry.finished_at for entry in results.entries if entry.finished_at]
    facts = {
        "command": results.command,
        "sweep": results.sweep_id,
        "stackel_bench": results.version,
        "commit": results.commit or "not run from a checkout",
        "made with": ", ".join(
            [f"Python {platform.python_version()}", *(f"{n} {version(n)}" for n in _LIBRARIES)]
        ),
        "seeds": ", ".join(seeds[:_MOST_VALUES]) + (" …" if len(seeds) > _MOST_VALUES else ""),
        "last cell finished": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(max(done))) if done else "–",
        "samples drawn": f"{results.samples_drawn:,.0f}",
    }
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for entry in results.entries:
        for key, value in flat_items(entry.config):
            values[key][value if isinstance(value, str) else json.dumps(value)] = None
    config = {
        key: ", ".join(list(found)[:_MOST_VALUES])
        + (f" … ({len(found)} values)" if len(found) > _MOST_VALUES else "")
        for key, found in values.items()
    }
    parts = [page.definitions(facts), "<h3>Configuration</h3>", page.definitions(config)]
    if results.failed:
        frame = pd.DataFrame(
            [{"cell": entry.label, "id": entry.cell_id, "error": entry.error} for entry in results.failed]
        )
        parts += ["<h3>Failed cells</h3>", page.table(frame.head(_MOST_FAILURES))]
        if len(frame) > _MOST_FAILURES:
            parts.append(
                page.paragraph(f"{len(frame) - _MOST_FAILURES} more are in {files.FAILURES}/.", "note")
            )
    return parts
