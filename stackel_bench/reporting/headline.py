"""What a study answers, in sentences: who needs fewer samples, what tie-breaking changes, what fails."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pandas as pd

from stackel_bench.reporting import played
from stackel_bench.reporting.along.trends import Trend, trends
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.contests import (
    Contest,
    by_game,
    learner_contests,
    pooled,
    rival_names,
    tie_contests,
)
from stackel_bench.reporting.versus.paired import OPTIMISTIC, PESSIMISTIC, paired_table, pairs
from stackel_bench.results.numbers import UNDECIDED, count, enough, figures, ratio, small
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.verdicts import FAILS, HOLDS, VACUOUS
from stackel_bench.text import plural

MOST_GAMES = 4  # that a sentence names
MOST_LEARNERS = 3
MOST_RIVALS = 2


@functools.lru_cache(2)  # terminal, report and MLflow show the same
def headline(results: SweepResults) -> tuple[str, ...]:
    """Two to four plain sentences that answer a study's question, the most important one first.

    A pure function of the results, without markup: terminal, report and MLflow's pages show the same words.
    Samples are compared where cells have a ladder of budgets or learners stop by themselves; otherwise losses
    on the same samples. Ratios are `estimate [95 % interval]`, from `statistics.ratios`. An empty tuple where
    nothing has finished.
    """
    unknown, results = played.told(results), results.judged_part
    if results.cells.empty:
        return tuple(unknown)
    cells = results.judged.assign(rival=results.judged["cell_id"].map(rival_names(results)))
    ties = tie_contests(results)
    told = _decided([*_learners(learner_contests(results)), *_ties(ties)], cells)
    told += _trend(trends(results), cells)
    if not ties:
        told += [*_not_compared(results), *_losses(results)]
    if not told:
        told = list(_alone(cells))
    return (*told, *_verdicts(cells, bool(results.laddered.any())), *unknown)


def _learners(contests: Sequence[Contest]) -> Iterator[str]:
    """Learners against the first one of the plan, those with most games and then fewest samples first."""
    if not contests:
        return
    reference = contests[0].first
    against: dict[str, list[Contest]] = defaultdict(list)
    for contest in contests:
        if contest.first == reference:
            against[contest.second].append(contest)
    overall = {rival: pooled(members) for rival, members in against.items()}
    told = sorted(against, key=lambda rival: (-overall[rival].games, overall[rival].ratio))
    for rival in told[:MOST_RIVALS]:
        by_tie: dict[str, list[Contest]] = defaultdict(list)
        for contest in against[rival]:
            by_tie[contest.shared].append(contest)
        if len({_sides(members) for members in by_tie.values()}) == 1:
            yield _needs(rival, _times(against[rival], f"the samples of {reference}"), reference)
        else:
            for tie, members in by_tie.items():
                text = _times(members, f"the samples of {reference}")
                yield _needs(f"With {tie} tie-breaking, {rival}", text, reference)


def _needs(who: str, times: str, other: str) -> str:
    return f"{who} against {other}: {times}." if times.startswith(UNDECIDED) else f"{who} needs {times}."


def _decided(told: Sequence[str], cells: pd.DataFrame) -> list[str]:
    """The comparisons that say something; if none does, all of them, and whether replicates were too few."""
    found = [sentence for sentence in told if f": {UNDECIDED}" not in sentence]
    if found or not told:
        return found
    delta = float(cells["delta"].min())
    least = math.ceil(math.log((1 - CONFIDENCE) / 2) / math.log1p(-delta))
    if cells["replicates"].min() >= least:
        return list(told)
    what = f"an upper end of samples needed takes {least} replicates for delta {delta:g}"
    return [*told, f"Too few replicates to tell: {what}."]


def _ties(contests: Sequence[Contest]) -> Iterator[str]:
    """Pessimistic against optimistic for the first learner where it is decided, and who contradicts it."""
    by_learner: dict[str, list[Contest]] = defaultdict(list)
    for contest in contests:
        by_learner[contest.shared].append(contest)
    told = sorted(by_learner, key=lambda learner: not any(_sides(by_learner[learner])))
    contrary = [each for each in told[1:] if _contradict(by_learner[told[0]], by_learner[each])]
    for learner in [*told[:1], *contrary[: MOST_LEARNERS - 1]]:
        members = by_learner[learner]
        whose = f"With {learner}, pessimistic" if len(by_learner) > 1 else "Pessimistic"
        yield _needs(f"{whose} tie-breaking", _times(members, "the samples of optimistic"), "optimistic")


def _times(contests: Sequence[Contest], what: str) -> str:
    """`1.4 [1.1, 1.8] times WHAT`, game by game if there are few, else over all of them."""
    games = by_game(contests)
    if len(games) <= MOST_GAMES:
        texts = [f"{ratio(found)} times on {game}" for game, found in games.items() if found.is_known]
        unknown = [game for game, found in games.items() if not found.is_known]
        if texts:
            texts[0] = texts[0].replace(" times on ", f" times {what} on ", 1)
        return ", ".join(
            [*filter(None, [_listed(texts)]), *([f"{UNDECIDED} on {_listed(unknown)}"] if unknown else [])]
        )
    sides = [found.side for found in games.values()]
    tally = f"more on {sides.count(1)}, fewer on {sides.count(-1)}, undecided on {sides.count(0)}"
    known = {game: found for game, found in games.items() if found.side}
    ends = sorted(known, key=lambda game: known[game].ratio)
    reach = "".join(f"; {ratio(known[game])} on {game}" for game in dict.fromkeys([*ends[:1], *ends[-1:]]))
    overall = pooled(contests)
    mean = f"{ratio(overall)} times {what}" if overall.is_known else UNDECIDED
    return f"{mean} over {plural(len(games), 'game')} ({tally}{reach})"


def _sides(contests: Sequence[Contest]) -> tuple[int, ...]:
    """Which way each game goes, or all of them together if they are many."""
    games = by_game(contests)
    few = len(games) <= MOST_GAMES
    return tuple(found.side for found in games.values()) if few else (pooled(contests).side,)


def _contradict(some: Sequence[Contest], others: Sequence[Contest]) -> bool:
    """Whether a game goes one way for some and the other way for others; all games together if many."""
    first, second = by_game(some), by_game(others)
    if len(first.keys() | second.keys()) > MOST_GAMES:
        return pooled(some).side * pooled(others).side < 0
    return any(first[game].side * second[game].side < 0 for game in first.keys() & second.keys())


def _not_compared(results: SweepResults) -> Iterator[str]:
    """Games whose samples say nothing about one tie-breaking, and what to do about it."""
    paired = {cell_id for cells in pairs(results) for cell_id in cells.get("cell_id", ())}
    compared = paired & {entry.cell_id for entry in results.measured}
    told = results.labelled(
        results.cells[results.cells["cell_id"].isin(compared) & results.cells["vacuous"].eq(1)]
    )
    if len(told):
        games = list(dict.fromkeys(told["instance"]))
        where = _listed(games) if len(games) <= MOST_GAMES else plural(len(games), "game")
        ties = _listed(list(dict.fromkeys(told["tie_breaking"])))
        yield (
            f"Samples of the two tie-breakings are not compared on {where} at eps "
            f"{_listed([f'{x:g}' for x in dict.fromkeys(told['epsilon'])])}: with {ties} "
            "tie-breaking no answer loses more than is allowed there; a smaller budget.epsilon may tell."
        )


def _trend(found: Sequence[Trend], cells: pd.DataFrame) -> Iterator[str]:
    """Samples needed at both ends of the key that was swept, and in the middle."""
    if not found:
        return
    first = found[0]
    alike = [t for t in found if (t.game, t.learner, t.epsilon) == (first.game, first.learner, first.epsilon)]
    texts = []
    for trend in alike[:2]:
        points = trend.points
        shown = dict.fromkeys([points[0], points[len(points) // 2], points[-1]])
        values = [f"{point.mark}{count(point.samples)} at {point.x:g}" for point in shown]
        texts.append(f"{trend.tie_breaking} {_listed(values)}")
    instances = max(point.instances for point in first.points)
    mean = f" (means over {instances} random instances)" if instances > 1 else ""
    accuracy = (
        f", eps {first.epsilon:g}" if cells["epsilon"].nunique() > 1 and "epsilon" not in first.key else ""
    )
    what = f"samples that {first.learner} needs on {first.game}{accuracy}{mean}"
    yield f"Along {first.key}, {what}: {'; '.join(texts)}."


def _losses(results: SweepResults) -> Iterator[str]:
    """Pessimistic against optimistic by loss, where samples needed are not known."""
    table, found = paired_table(results)
    if table.empty:
        return
    full = table[table["budget"] == "full"]
    tally = full["smaller_loss"].value_counts()
    few = f" (the first of {found})" if found > len(full) else ""
    yield (
        f"On the same samples pessimistic is shown to lose less in {tally.get(PESSIMISTIC, 0)}, optimistic "
        f"in {tally.get(OPTIMISTIC, 0)} of {plural(len(full), 'pair')} of cells{few}."
        + ("" if results.laddered.any() else " Who needs fewer samples is told by budget=ladder.")
    )


def _alone(cells: pd.DataFrame) -> Iterator[str]:
    """What each of the first learners did, where there is nothing to compare it with."""
    for rival, rows in list(cells.groupby("rival", sort=False))[:MOST_LEARNERS]:
        reached, share = enough(rows[rows["verdict"] != VACUOUS])
        if len(rows) == 1:
            row = rows.iloc[0]
            yield (
                f"{rival} ({row['tie_breaking']}) on {row['instance']} with {count(row['samples'])} samples: "
                f"{row['failures']} of {plural(int(row['replicates']), 'replicate')} failed, mean loss "
                f"{small(row['value_suboptimality'])} where {small(row['guarantee'])} is allowed."
            )
        elif reached:
            of_all = f"{reached} of {plural(len(rows), 'cell')}"
            yield f"{rival} gets by with {share} of the theorem's samples (median of {of_all})."
        else:
            worst = float((rows["value_suboptimality"] / rows["guarantee"]).max())
            yield (
                f"{rival}: the mean loss is at most {figures(worst)} times what is allowed, in all cells."
                if (worst > 0)
                else f"{rival} loses nothing in any of {plural(len(rows), 'cell')}."
            )


def _verdicts(cells: pd.DataFrame, laddered: bool) -> Iterator[str]:
    """What fails even with the largest budget, or that nothing does; and what says nothing."""
    fails, tested = cells[cells["verdict"] == FAILS], cells[cells["verdict"] != VACUOUS]
    parts = [_failing(str(rival), rows) for rival, rows in fails.groupby("rival", sort=False)]
    vacuous = len(cells) - len(tested)
    are = "is" if vacuous == 1 else "are"
    nothing = f"{vacuous} of {plural(len(cells), 'cell')} {are} vacuous: no answer could lose too much there"
    if parts:
        more = [f"{len(parts) - MOST_LEARNERS} more"] if len(parts) > MOST_LEARNERS else []
        budget = " even at the largest budget" if laddered else ""
        text = f"Failing too often{budget}: {'; '.join([*parts[:MOST_LEARNERS], *more])}"
    else:
        holds = int((tested["verdict"] == HOLDS).sum())
        budget = " at the largest budget" if laddered else ""
        text = f"Nothing is shown to fail{budget}; {holds} of {len(tested)} shown to hold"
    yield f"{text}. {nothing}." if vacuous else f"{text}."


def _failing(rival: str, rows: pd.DataFrame) -> str:
    """The learner, how many of its cells fail, and the worst of them."""
    worst = rows.iloc[int(rows["failure_probability"].argmax())]
    short = worst["samples"] < 0.999 * worst["theory_samples"]
    rate = f"{worst['failures']} of {worst['replicates']:.0f} replicates, delta {worst['delta']:g}"
    less = ", less than the theorem's samples" if short else ""
    where = f"on {worst['instance']} ({worst['tie_breaking']}: {rate}{less})"
    return f"{rival} {where}" if len(rows) == 1 else f"{rival} in {len(rows)} cells, most often {where}"


def _listed(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
