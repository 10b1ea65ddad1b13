"""Learner against learner: ratios of samples needed, ranks over games, differences at the same budget."""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.comparison import PAIRED, measured
from stackel_bench.reporting.versus.contests import Contest, learner_contests, pooled
from stackel_bench.results.numbers import interval, ratio, small
from stackel_bench.statistics.ratios import Pooled, rank_intervals

MOST_DIFFERENCES = 100
LEVEL = 0.05


def ratios(contests: Sequence[Contest], shared: str) -> pd.DataFrame:
    """One row per game, pair and value of what they share (tie_breaking or learner); instances are pooled.

    ratio is samples needed by the second over those of the first; 0 and infinity are open ends.
    """
    groups: dict[tuple[str, ...], list[Contest]] = defaultdict(list)
    for contest in contests:
        groups[contest.game, contest.shared, contest.first, contest.second].append(contest)
    rows = []
    for (game, common, first, second), members in groups.items():
        found = pooled(members)
        rows.append(
            {
                "game": game,
                shared: common,
                "first": first,
                "second": second,
                "ratio": found.ratio,
                "ratio_low": found.low,
                "ratio_high": found.high,
                "instances": found.games,
            }
        )
    return pd.DataFrame(rows)


def shown_ratios(table: pd.DataFrame, title: str = "samples, second / first") -> pd.DataFrame:
    """The same as text, for a page; title is that of the ratio."""
    if table.empty:
        return table
    texts = [
        ratio(Pooled(row["ratio"], row["ratio_low"], row["ratio_high"], 1))
        for row in table.to_dict("records")
    ]
    short = table.drop(columns=["ratio", "ratio_low", "ratio_high"])
    short.insert(len(short.columns) - 1, title, texts)
    return short.drop(columns="instances") if (table["instances"] == 1).all() else short


def ranks(results: SweepResults) -> pd.DataFrame:
    """One row per learner: its ranks by samples needed over the games that all rivals ran; empty for one.

    All ranks hold together with 95 %: every pair is compared at a level of 5 % over the number of pairs.
    """
    contests = learner_contests(results)
    names = list(dict.fromkeys(name for contest in contests for name in (contest.first, contest.second)))
    pairs = list(combinations(names, 2))
    confidence = 1 - LEVEL / max(1, len(pairs))
    strict = learner_contests(results, confidence)
    by_pair: dict[tuple[str, str], list[Contest]] = defaultdict(list)
    for contest in strict:
        by_pair[contest.first, contest.second].append(contest)
    if len(by_pair) < len(pairs):  # some never met: families have learners of their own
        names = _largest_group(by_pair)
    against = {pair: pooled(by_pair[pair], confidence) for pair in combinations(names, 2)}
    found = rank_intervals(names, against)
    order = sorted(names, key=lambda name: found[name])
    return pd.DataFrame(
        [{"learner": name, "rank_low": found[name][0], "rank_high": found[name][1]} for name in order]
    )


def shown_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """The same as text, for a page: 1, or 1 to 3."""
    rows = [
        (name, f"{low}" if low == high else f"{low} to {high}")
        for name, low, high in table.itertuples(index=False)
    ]
    return pd.DataFrame(rows, columns=["learner", "rank"])


def _largest_group(by_pair: dict[tuple[str, str], list[Contest]]) -> list[str]:
    """The learners that met all others of the group around the pair with most games."""
    if not by_pair:
        return []
    first, second = max(by_pair, key=lambda pair: len(by_pair[pair]))
    names = [first, second]
    for name in dict.fromkeys(name for pair in by_pair for name in pair):
        if name not in names and all((a, name) in by_pair or (name, a) in by_pair for a in names):
            names.append(name)
    order = list(dict.fromkeys(name for pair in by_pair for name in pair))
    return sorted(names, key=order.index)


def differences(results: SweepResults, contests: Sequence[Contest]) -> pd.DataFrame:
    """Failures and losses of two learners at the largest budget that both have; second minus first.

    Paired, replicate by replicate, where both drew equally many samples from the same streams in each.
    """
    rows = []
    for contest in contests[:MOST_DIFFERENCES]:
        found = measured(*contest.entries, results, results)
        rows.append(
            {
                "game": contest.instance,
                "tie-breaking": contest.shared,
                "eps": f"{contest.epsilon:g}",
                "first": contest.first,
                "second": contest.second,
                "failures, second - first": _text(found, "failure_difference"),
                "loss, second - first": _text(found, "loss_difference"),
                "replicates": "paired" if found["test"] == PAIRED else "independent",
            }
        )
    return pd.DataFrame(rows)


def _text(found: dict[str, float], name: str) -> str:
    ends = found[f"{name}_low"], found[f"{name}_high"]
    return f"{small(found[name])} {interval(*ends)}" if all(map(math.isfinite, ends)) else "–"
