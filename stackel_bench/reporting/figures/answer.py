"""The figure that a report opens with: one panel that answers the study's question."""

import math
from collections.abc import Sequence
from typing import Any

from stackel_bench.reporting.along.trends import Point, Trend
from stackel_bench.reporting.answer import Answer, Dot, Row
from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing
from stackel_bench.results.numbers import count
from stackel_bench.statistics.verdicts import VACUOUS

_TICK: dict[str, Any] = {"marker": "|", "linestyle": "", "markersize": 7, "markeredgewidth": 2}
_DOTS: dict[str, Any] = {"linestyle": (0, (1, 2)), "linewidth": 1}
FAR = 30.0  # a theorem's budget that is so many times beyond everything else is an arrow
_MARKS = (
    "Bars are 95 % intervals, without an end that the replicates leave open; an arrowhead to the right: even "
    "the largest budget fails more often than delta, to the left: the smallest one never does."
)
_OWN_BOUND = (
    "A tick of a learner's colour: the game's own lower bound, T* kl(delta, 1 - delta), what sound learners "
    "take in the mean as delta goes to 0. Where several answers are correct it is no theorem at this delta, "
    "and a fixed budget may do with less on one game."
)
_WORST_CASE = "Dotted: below it some game of this size defeats every learner; this one may be easier."


def draw_answer(answer: Answer | None, trends: Sequence[Trend]) -> list[Drawing]:
    """Samples needed along the key that was swept, if that is all there is; else game by game."""
    if trends and len({(trend.game, trend.epsilon) for trend in trends}) == 1:
        return [_draw_trends(trends)]
    return [] if answer is None else [_draw_rows(answer)]


def _draw_rows(answer: Answer) -> Drawing:
    series = answer.series
    markers = _markers(series)
    has_bounds, has_worst_cases = (
        answer.counts_samples and any(map(math.isfinite, found))
        for found in (
            (dot.bound for row in answer.rows for dot in row.dots),
            (row.worst_case for row in answer.rows),
        )
    )
    handles = [canvas.entry(dot.series, color=dot.colour, marker=markers[dot.learner]) for dot in series]
    if answer.counts_samples:
        handles.append(
            canvas.entry("theorem's budget", color=canvas.INK, marker="|", linestyle="", markersize=9)
        )
        if has_bounds:
            handles.append(canvas.entry("the game's own lower bound", color=canvas.MUTED, **_TICK))
        if has_worst_cases:
            handles.append(canvas.entry("worst case of its size", color=canvas.INK, **_DOTS))
    else:
        handles.append(canvas.entry("delta", color=canvas.INK, linewidth=1, linestyle=canvas.DASHES))
    step = 0.17
    heights = [step * (len(row.dots) + 1.2) for row in answer.rows]
    top = canvas.legend_height(len(handles), 3)
    left = min(4.2, 0.3 + 0.07 * max(len(row.label) for row in answer.rows))
    figure, ((axes,),) = canvas.new_figure(
        1, 1, width=9.2, height=sum(heights) + top + 0.75, top=top + 0.1, left=left, bottom=0.55
    )
    low, high = _reach(answer)
    if answer.counts_samples:
        canvas.log_axis(axes, "x", low, high)
        axes.set_xlabel("samples needed: from here on it fails at most delta often")
    else:
        axes.set_xlim(-0.02 * high, 1.04 * high)
        axes.set_xlabel("share of replicates that fail")
        for delta in answer.deltas:
            axes.axvline(delta, color=canvas.INK, linewidth=1, linestyle=canvas.DASHES)
    base, ticks = 0.0, []
    for row, height in zip(answer.rows, heights, strict=True):
        ticks.append(base + height / 2)
        for place, dot in enumerate(row.dots):
            _draw_dot(axes, base + step * (place + 1.1), dot, markers[dot.learner])
        if answer.counts_samples:
            _draw_theory(axes, row, base, base + height, high)
            axes.plot([row.worst_case] * 2, [base, base + height], color=canvas.INK, **_DOTS)
        axes.axhline(base + height, color=canvas.GRID, linewidth=0.8)
        base += height
    axes.set_yticks(ticks, [row.label for row in answer.rows])
    axes.set_ylim(base, 0)
    axes.grid(axis="y", visible=False)
    canvas.top_legend(figure, handles, 3)
    is_far = any(row.theory > high for row in answer.rows)
    far = " An arrow at the right edge: the theorem's budget is far beyond." if is_far else ""
    if any(dot.mark == VACUOUS for row in answer.rows for dot in row.dots):
        far += " Vacuous: no answer loses more than is allowed there."
    what = _MARKS + far if answer.counts_samples else "At the largest budget; bars are exact 95 % intervals."
    caveats = [_OWN_BOUND if has_bounds else "", _WORST_CASE if has_worst_cases else ""]
    caption = " ".join(filter(None, [canvas.COLOURS_SAY, what, *caveats, answer.note]))
    return Drawing("answer", answer.title, caption, figure)


def _markers(series: Sequence[Dot]) -> dict[str, Any]:
    learners = dict.fromkeys(dot.learner for dot in series)
    return {learner: canvas.MARKERS[k % len(canvas.MARKERS)] for k, learner in enumerate(learners)}


def _reach(answer: Answer) -> tuple[float, float]:
    """The ends of the axis: all numbers, and theorems' budgets that are not far beyond them."""
    dots = [dot for row in answer.rows for dot in row.dots]
    known = [x for dot in dots for x in (dot.value, dot.low, dot.high) if math.isfinite(x) and x > 0]
    if not answer.counts_samples:
        return 0.0, max([*known, *answer.deltas])
    known += [x for x in [*(dot.bound for dot in dots), *(row.worst_case for row in answer.rows)] if x > 0]
    near = [row.theory for row in answer.rows if 0 < row.theory <= FAR * max(known)]
    return min(known), max([*known, *near])


def _draw_dot(axes: Axes, y: float, dot: Dot, marker: Any) -> None:
    if dot.mark == VACUOUS:
        place = axes.get_yaxis_transform()
        axes.text(0.01, y, VACUOUS, transform=place, color=dot.colour, va="center", fontsize=7.5)
        return
    ends = [x if math.isfinite(x) and x > 0 else dot.value for x in (dot.low, dot.high)]
    axes.plot(ends, [y, y], color=dot.colour, linewidth=2.2, alpha=0.55)
    if dot.mark:
        marker = ">" if dot.mark == ">" else "<"
    size = 7 if dot.mark else 5.5
    axes.plot(dot.value, y, marker=marker, color=dot.colour, markersize=size, markeredgewidth=0)
    axes.plot(dot.bound, y, color=dot.colour, **_TICK)


def _draw_theory(axes: Axes, row: Row, start: float, end: float, high: float) -> None:
    """A line at the theorem's budget, or an arrow where the axis ends long before."""
    if not math.isfinite(row.theory) or row.theory <= 0:
        return
    if row.theory <= high:
        axes.plot([row.theory] * 2, [start, end], color=canvas.INK, linewidth=1)
    else:
        text = f"theorem {count(row.theory)} →"
        place = axes.get_yaxis_transform()
        axes.text(0.995, start + 0.02, text, transform=place, ha="right", va="top", fontsize=7.5)


def _draw_trends(trends: Sequence[Trend]) -> Drawing:
    learners = list(dict.fromkeys(trend.learner for trend in trends))
    handles = []
    top = canvas.legend_height(len(trends), 3)
    figure, ((axes,),) = canvas.new_figure(1, 1, width=9.2, height=4.2 + top, top=top + 0.1, bottom=0.55)
    points = [point for trend in trends for point in trend.points]
    known = [y for p in points for y in (p.samples, p.low, p.high) if math.isfinite(y) and y > 0]
    span = max(p.x for p in points) - min(p.x for p in points)
    for place, trend in enumerate(trends):
        marker = canvas.MARKERS[learners.index(trend.learner) % len(canvas.MARKERS)]
        shift = 0.006 * span * (place - (len(trends) - 1) / 2)
        line = canvas.LINE_STYLES[learners.index(trend.learner) % len(canvas.LINE_STYLES)]
        heights = [point.samples for point in trend.points]
        axes.plot([p.x + shift for p in trend.points], heights, color=trend.colour, linestyle=line)
        for point in trend.points:
            _draw_point(axes, point, shift, trend.colour, marker)
        label = f"{trend.learner}, {trend.tie_breaking}"
        handles.append(canvas.entry(label, color=trend.colour, marker=marker, linestyle=line))
    canvas.log_axis(axes, "y", min(known), max(known))
    axes.set_xticks(sorted({point.x for point in points}))
    axes.set_xlabel(trends[0].key)
    axes.set_ylabel("samples needed")
    canvas.top_legend(figure, handles, 3)
    instances = max(point.instances for point in points)
    mean = f" Geometric means over {instances} random instances." if instances > 1 else ""
    marks = _MARKS.replace("to the right", "upwards").replace("to the left", "downwards")
    title = f"Samples needed along {trends[0].key}: {trends[0].game}"
    return Drawing("answer", title, f"{canvas.COLOURS_SAY} {marks}{mean}", figure)


def _draw_point(axes: Axes, point: Point, shift: float, colour: str, marker: Any) -> None:
    ends = [y if math.isfinite(y) and y > 0 else point.samples for y in (point.low, point.high)]
    axes.plot([point.x + shift] * 2, ends, color=colour, linewidth=2.2, alpha=0.55)
    if point.mark:
        marker = "^" if point.mark == ">" else "v"
    axes.plot(point.x + shift, point.samples, marker=marker, color=colour, markeredgewidth=0)
