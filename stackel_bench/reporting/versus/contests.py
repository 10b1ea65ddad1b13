"""Cells that differ in the learner alone, or in the tie-breaking alone: ratios of their samples needed."""

import functools
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.paired import OPTIMISTIC, PESSIMISTIC
from stackel_bench.results.entry import Entry
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.ratios import (
    LogInterval,
    Pooled,
    averaged,
    log_mean,
    log_needed_all,
    log_ratio,
    pool,
)

_OWN_PLACE = ("algorithm.name", "algorithm.explorer")


@dataclass(frozen=True)
class Contest:
    """Two cells on one game, and ln of (samples needed by the second over those of the first)."""

    game: str  # without the number of its random instance
    instance: str
    shared: str  # the learner of two tie-breakings, the tie-breaking of two learners
    epsilon: float
    first: str
    second: str
    entries: tuple[Entry, Entry]
    ratio: LogInterval


@functools.lru_cache(maxsize=2)
def rival_names(results: SweepResults) -> dict[str, str]:
    """By cell id: the learner with its explorer and the options in which learners of the sweep differ."""
    keys = [key for key in results.varying if key.startswith("algorithm.")]
    names = {}
    for entry in results.finished:
        own = results.flat[entry.cell_id]
        options = [
            f"{key.partition('.')[2]}={own[key]}" for key in keys if key in own and key not in _OWN_PLACE
        ]
        explorer = entry.description.get("explorer")
        shown = [str(entry.description["algorithm"]), *([f"({explorer})"] if explorer else []), *options]
        names[entry.cell_id] = " ".join(shown)
    return names


@functools.lru_cache(maxsize=2)
def needed_logs(results: SweepResults, confidence: float = CONFIDENCE) -> dict[str, LogInterval]:
    """By cell id: ln of the samples needed, or used by learners that stop; not of cells that cannot fail."""
    if results.cells.empty:
        return {}
    stopped = set(results.cells.loc[results.stopped, "cell_id"])
    tested = [entry for entry in results.finished if entry.metrics["vacuous"] != 1]
    ladders: dict[int, list[Entry]] = defaultdict(list)
    logs = {}
    for entry in tested:
        if entry.cell_id in stopped:
            logs[entry.cell_id] = log_mean(results.tables.read_records(entry.cell_id)["samples"], confidence)
        elif len(entry.rungs) > 1:
            ladders[len(entry.rungs)].append(entry)
    for entries in ladders.values():
        trials = np.array([int(entry.description["replicates"]) for entry in entries])
        rates = np.array([[rung["failure_probability"] for rung in entry.rungs] for entry in entries])
        budgets = [[rung["samples"] for rung in entry.rungs] for entry in entries]
        deltas = [float(entry.description["delta"]) for entry in entries]
        found = log_needed_all(budgets, np.rint(rates * trials[:, None]), trials, deltas, confidence)
        logs |= {entry.cell_id: log for entry, log in zip(entries, found, strict=True)}
    return {entry.cell_id: logs[entry.cell_id] for entry in tested if entry.cell_id in logs}


def tie_contests(results: SweepResults, confidence: float = CONFIDENCE) -> list[Contest]:
    """Pessimistic over optimistic, on the same samples."""
    return _contests(results, confidence, "tie_breaking")


def learner_contests(results: SweepResults, confidence: float = CONFIDENCE) -> list[Contest]:
    """Each learner over each one that stands before it in the plan."""
    return _contests(results, confidence, "algorithm")


@functools.lru_cache(maxsize=4)
def _contests(results: SweepResults, confidence: float, factor: str) -> list[Contest]:
    logs, rivals = needed_logs(results, confidence), rival_names(results)
    ties = factor == "tie_breaking"
    groups: dict[Hashable, list[Entry]] = defaultdict(list)
    for entry in results.finished:
        if entry.cell_id in logs:
            groups[results.flat.but(entry.cell_id, factor)].append(entry)
    order = list(dict.fromkeys(rivals.values()))
    level = (lambda e: e.config[factor]) if ties else (lambda e: rivals[e.cell_id])
    place = [OPTIMISTIC, PESSIMISTIC].index if ties else order.index
    found = []
    for members in groups.values():
        members.sort(key=lambda entry: place(level(entry)))
        for first, second in combinations(members, 2):
            if level(first) == level(second):
                continue
            label = results.label_of[first.cell_id]
            found.append(
                Contest(
                    game=label["game_label"],
                    instance=label["instance"],
                    shared=rivals[first.cell_id] if ties else first.config["tie_breaking"],
                    epsilon=float(first.description["epsilon"]),
                    first=level(first),
                    second=level(second),
                    entries=(first, second),
                    ratio=log_ratio(logs[first.cell_id], logs[second.cell_id]),
                )
            )
    return found


def pooled(contests: Iterable[Contest], confidence: float = CONFIDENCE) -> Pooled:
    """One ratio: accuracies and tie-breakings of an instance are averaged, then instances are pooled."""
    by_instance: dict[Hashable, list[LogInterval]] = defaultdict(list)
    for contest in contests:
        by_instance[contest.instance].append(contest.ratio)
    return pool([averaged(ratios) for ratios in by_instance.values()], confidence)


def by_game(contests: Iterable[Contest]) -> dict[str, Pooled]:
    """One ratio per game, random instances of it pooled."""
    games: dict[str, list[Contest]] = defaultdict(list)
    for contest in contests:
        games[contest.game].append(contest)
    return {game: pooled(members) for game, members in games.items()}
