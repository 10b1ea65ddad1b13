"""One run per pair of cells that differ in tie-breaking alone: what that changes."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.contests import tie_contests
from stackel_bench.reporting.versus.paired import OPTIMISTIC, PESSIMISTIC, paired_table, pairs
from stackel_bench.results.colours import TIE_COLOURS
from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED
from stackel_bench.results.entry import Entry
from stackel_bench.results.numbers import UNDECIDED, interval, needed, needed_with_interval, ratio, small
from stackel_bench.statistics.ratios import LogInterval, pool
from stackel_bench.statistics.verdicts import VACUOUS
from stackel_bench.tracking.cell_run import identity_tags, pair_name
from stackel_bench.tracking.run_record import PAIR, Point, RunRecord, extra_run

OPEN_COLOUR = "#8a8f98"
_OF_CELLS = ("tie_breaking", "order", "mlflow.runColor")


def pair_runs(results: SweepResults, shared: Mapping[str, str]) -> list[RunRecord]:
    """The first hundred pairs (`paired.MOST_PAIRS`), paired difference and ratio; shared: tags of all."""
    table, _ = paired_table(results)
    if table.empty:
        return []
    entries = {entry.cell_id: entry for entry in results.finished}
    full = table[table["budget"] == "full"].to_dict("records")
    ratios = {contest.entries[1].cell_id: contest.ratio for contest in tie_contests(results)}
    found = []
    pessimistic, optimistic = (cells["cell_id"] for cells in pairs(results))
    for pess, opt, row in zip(pessimistic, optimistic, full, strict=False):
        found.append(_run(shared, (entries[pess], entries[opt]), row, ratios.get(pess)))
    return found


def _run(
    shared: Mapping[str, str], cells: tuple[Entry, Entry], row: Mapping[Any, Any], factor: LogInterval | None
) -> RunRecord:
    pessimistic, optimistic = cells
    both = {PESSIMISTIC: pessimistic, OPTIMISTIC: optimistic}
    loss = f"{small(row['loss_difference'])} " + interval(
        row["loss_difference_low_all"], row["loss_difference_high_all"]
    )
    tags = {key: value for key, value in identity_tags(pessimistic).items() if key not in _OF_CELLS}
    tags |= {
        "smaller_loss": row["smaller_loss"],
        "loss_difference": loss,
        "fewer_failures": row["fewer_failures"],
    }
    for tie, entry in both.items():
        if needed(entry.metrics) != "–":
            vacuous = f" ({VACUOUS})" if entry.metrics["vacuous"] == 1 else ""
            tags[f"needs_{tie}"] = f"{needed_with_interval(entry.metrics)}{vacuous}"
    if factor is not None:
        times = pool([factor])
        tags["samples_ratio"] = ratio(times)
        tags["fewer_samples"] = (PESSIMISTIC, "open", OPTIMISTIC)[1 + times.side]
    winner = tags.get("fewer_samples", row["smaller_loss"])
    tags["mlflow.runColor"] = TIE_COLOURS.get(winner, OPEN_COLOUR)
    tags["mlflow.note.content"] = _description(both, row, tags)
    points = [*_points(both, row), *_samples(both, factor)]
    stamp = max(entry.finished_at for entry in cells)
    return extra_run(PAIR, shared, f"PAIR {pair_name(pessimistic)}", tags, points, stamp)


def _points(both: Mapping[str, Entry], row: Mapping[Any, Any]) -> Iterator[Point]:
    """Losses and failures along the budgets, and their paired difference at the largest one."""
    for tie, entry in both.items():
        for rung in entry.rungs:
            step = round(rung["samples"])
            yield Point(f"loss/{tie}", rung["value_suboptimality"], step)
            yield Point(f"failure/{tie}", rung["failure_probability"], step)
    rungs = zip(both[PESSIMISTIC].rungs, both[OPTIMISTIC].rungs, strict=False)
    for mine, other in rungs:
        loss = other["value_suboptimality"] - mine["value_suboptimality"]
        yield Point("difference/loss", loss, round(mine["samples"]))
    last = round(both[PESSIMISTIC].rungs[-1]["samples"])
    for end in ("low", "high"):
        yield Point(f"difference/loss_{end}", row[f"loss_difference_{end}_all"], last)
    yield Point("difference/failure", row["failure_difference"], last)


def _samples(both: Mapping[str, Entry], factor: LogInterval | None) -> Iterator[Point]:
    """Samples needed, where a budget was enough, and how many times more of them pessimistic takes."""
    for tie, entry in both.items():
        if AT_MOST in entry.metrics and entry.metrics[CENSORED] != 1 and entry.metrics["vacuous"] != 1:
            yield Point(f"samples/{tie}", entry.metrics[NEEDED])
            yield Point(f"log10_samples/{tie}", math.log10(entry.metrics[NEEDED]))
    if factor is not None and factor.is_closed:
        yield Point("ratio/samples", math.exp(factor.estimate))
        yield Point("ratio/log10_samples", factor.estimate / math.log(10))


def _description(both: Mapping[str, Entry], row: Mapping[Any, Any], tags: Mapping[str, str]) -> str:
    """Markdown: who is better, by how much, and both cells side by side."""
    fewer = tags["smaller_loss"]
    verdict = "no difference in loss is shown" if fewer == "open" else f"**{fewer}** loses less"
    game, learner = tags["game"], f"{row['learner']}, ε = {row['epsilon']:g}"
    lines = [
        f"{verdict} on {game} with {learner}, on the same samples ({row['replicates']} replicates).  ",
        f"Loss, optimistic minus pessimistic: {tags['loss_difference']} (95 % for all pairs of the sweep).  ",
    ]
    if "samples_ratio" in tags:
        times = tags["samples_ratio"]
        known = f"{times} times those of optimistic (95 %)"
        lines.append(f"Samples needed by pessimistic: {times if times == UNDECIDED else known}.")
    lines += ["", "| | loss | allowed | failed | needs |", "|---|---|---|---|---|"]
    for tie, entry in both.items():
        m = entry.metrics
        shown = (small(m[k]) for k in ("value_suboptimality", "guarantee", "failure_probability"))
        lines.append(f"| {tie} | {' | '.join(shown)} | {tags.get(f'needs_{tie}', '–')} |")
    return "\n".join(lines)
