"""Samples needed against eps, A, B, S, H or d, with fitted exponents beside the theorem's."""

from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.reporting.along.scaling import Scaling
from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D, NewFigure
from stackel_bench.results.names import SYMBOLS

MOST_GROUPS = 16
_READING = (
    "Points are samples needed, bars their 95 % intervals ({} replicates or more per cell; an end that "
    "the failures leave open is left out); an arrow up means that no budget sufficed (censored), an arrow"
    " down that the smallest one did. Learners that stop by themselves: mean, and a bar from median to 90"
    " % quantile of the samples used. Exponents come from all failures of all cells at once, with 95 % "
    "intervals that count games, not replicates, and are not corrected for the number of lines. Lines "
    "whose exponent has an interval wider than 1 are not drawn. The dotted line has the theorem's "
    "exponent and goes through the first line's middle."
)


def draw_scaling(found: list[Scaling], new_figure: NewFigure = canvas.new_figure) -> list[Drawing]:
    """One drawing per family and parameter."""
    keys = list(dict.fromkeys((scaling.family, scaling.axis) for scaling in found))
    return [
        _draw(family, axis, [s for s in found if (s.family, s.axis) == (family, axis)], new_figure)
        for family, axis in keys
    ]


def _draw(family: str, axis: str, members: list[Scaling], new_figure: NewFigure) -> Drawing:
    shown = members[:MOST_GROUPS]
    handles = [_handle(position, scaling) for position, scaling in enumerate(shown)]
    first = next((scaling for scaling in shown if scaling.drawn_law is not None), None)
    if first is not None and first.theorem is not None:
        label = f"theorem: {first.theorem:g}"
        handles.append(canvas.entry(label, color=canvas.INK, linewidth=1, linestyle=":"))
    top = canvas.legend_height(len(handles), 1)
    figure, ((axes,),) = new_figure(1, 1, width=7.4, height=4.0 + top, top=0.1 + top)
    for position, scaling in enumerate(shown):
        _draw_points(axes, position, scaling)
        _draw_line(axes, scaling, 0.0, color=scaling.colour, linewidth=1.2)
    if first is not None and first.drawn_law is not None and first.theorem is not None:
        turn = first.theorem - first.drawn_law.exponent
        _draw_line(axes, first, turn, color=canvas.INK, linewidth=1, linestyle=":")
    points = pd.concat([scaling.frame for scaling in shown])
    if points["x"].min() > 0:
        canvas.log_axis(axes, "x", points["x"].min(), points["x"].max())
    heights = points[["samples", "low", "high"]]
    canvas.log_axis(axes, "y", float(np.nanmin(heights)) / 2, float(np.nanmax(heights)) * 2)
    axes.set_xlabel(f"{SYMBOLS[axis]} ({axis})" if axis in SYMBOLS else axis)
    axes.set_ylabel("samples needed")
    canvas.top_legend(figure, handles, 1)
    cut = f" {len(shown)} of {len(members)} groups are drawn." if len(shown) < len(members) else ""
    caption = f"{canvas.COLOURS_SAY} {_READING.format(min(s.replicates for s in shown))}{cut}"
    title = f"Samples needed against {SYMBOLS.get(axis, axis)}: {family} games"
    return Drawing(f"scaling_{family}_{axis}", title, caption, figure)


def _handle(position: int, scaling: Scaling) -> Line2D:
    law = scaling.law
    found = f"exponent {scaling.exponent_text()}"
    if law is not None:
        found += f" [{law.low:.2f}, {law.high:.2f}]"
    what = " (samples used)" if scaling.stops else ""
    label = f"{scaling.name}, {scaling.tie_breaking}{what}: {found}"
    return canvas.entry(label, color=scaling.colour, marker=_marker(position))


def _draw_points(axes: Axes, position: int, scaling: Scaling) -> None:
    colour = scaling.colour
    instance = scaling.frame.groupby("x").cumcount()
    x = scaling.frame["x"]  # moved a little, so that bars of several groups and instances stay apart
    if (x > 0).all():
        x = x * 1.012 ** (position - 2 + 2 * instance)
    else:
        x = x + 0.006 * (x.max() - x.min()) * (position + 2 * instance)
    frame = scaling.frame.assign(x=x)
    for x, samples, low, high, censored, at_most in frame.itertuples(index=False):
        ends = [low if np.isfinite(low) else samples, high if np.isfinite(high) else samples]
        axes.plot([x] * 2, ends, color=colour, linewidth=2.4, alpha=0.55)
        if censored or at_most:
            arrow = "^" if censored else "v"
            axes.plot(x, samples, marker=arrow, color=colour, markersize=8, markerfacecolor=canvas.PAPER)
        else:
            axes.plot(x, samples, marker=_marker(position), color=colour)


def _marker(position: int) -> Any:
    return canvas.MARKERS[position % len(canvas.MARKERS)]


def _draw_line(axes: Axes, scaling: Scaling, turn: float, **style: Any) -> None:
    """The fitted law, if it is certain enough, its exponent changed by turn around the middle."""
    if scaling.drawn_law is None:
        return
    ends = np.array([scaling.frame["x"].min(), scaling.frame["x"].max()])
    middle = float(np.sqrt(ends.prod()))
    heights = np.exp(scaling.drawn_law.intercept) * ends**scaling.drawn_law.exponent
    axes.plot(ends, heights * (ends / middle) ** turn, **style)
