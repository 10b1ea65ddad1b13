"""Sample complexity against eps, A, B, S, H or d, with fitted exponents beside the theorem's."""

from __future__ import annotations

import numpy as np

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.scaling import Scaling
from stackel_bench.results.names import SYMBOLS

MOST_GROUPS = 6


def draw_scaling(found: list[Scaling]) -> list[Drawing]:
    """One drawing per family and parameter."""
    keys = list(dict.fromkeys((scaling.family, scaling.axis) for scaling in found))
    return [
        _draw(family, axis, [s for s in found if (s.family, s.axis) == (family, axis)])
        for family, axis in keys
    ]


def _draw(family: str, axis: str, members: list[Scaling]) -> Drawing:
    shown = members[:MOST_GROUPS]
    handles = [_handle(position, scaling) for position, scaling in enumerate(shown)]
    if shown[0].theorem is not None and any(scaling.law is not None for scaling in shown):
        handles.append(
            Line2D(
                [], [], color=canvas.INK, linewidth=1, linestyle=":", label=f"theorem: {shown[0].theorem:g}"
            )
        )
    top = canvas.legend_height(len(handles), 1)
    figure, ((axes,),) = canvas.new_figure(1, 1, width=7.4, height=4.0 + top, top=0.1 + top)
    lows, highs = [], []
    for position, scaling in enumerate(shown):
        _draw_group(axes, position, scaling)
        if scaling is next((other for other in shown if other.law is not None), None):
            _draw_theorem(axes, scaling)
        lows.append(
            scaling.frame["upper"].where(np.isfinite(scaling.frame["upper"]), scaling.frame["lower"]).min()
        )
        highs.append(
            scaling.frame["upper"].where(np.isfinite(scaling.frame["upper"]), scaling.frame["lower"]).max()
        )
    xs = [x for scaling in shown for x in scaling.frame["x"]]
    canvas.log_axis(axes, "x", min(xs), max(xs))
    canvas.log_axis(axes, "y", min(lows) / 4, max(highs) * 2.5)
    axes.set_xlabel(SYMBOLS.get(axis, axis) + f" ({axis})")
    axes.set_ylabel("samples needed")
    canvas.top_legend(figure, handles, 1)
    cut = f" {len(shown)} of {len(members)} groups are drawn." if len(shown) < len(members) else ""
    caption = (
        "Bars span the two budgets of the ladder between which the sample complexity lies "
        f"({min(s.replicates for s in shown)} replicates or more per cell); an arrow up means that no "
        "budget sufficed (censored), an arrow down that the smallest one did. Exponents by maximum "
        "likelihood with interval-censored cells, 95 % profile intervals per line, not corrected for "
        "the number of lines. The dotted line has the theorem's exponent and goes through the first "
        f"line's middle.{cut}"
    )
    name = f"scaling_{family}_{axis}"
    return Drawing(
        name, f"Sample complexity against {SYMBOLS.get(axis, axis)}: {family} games", caption, figure
    )


def _colour(position: int) -> str:
    return canvas.SERIES[position % len(canvas.SERIES)]


def _handle(position: int, scaling: Scaling) -> Line2D:
    law = scaling.law
    found = (
        "exponent not identified" if law is None else f"{law.exponent:.2f} [{law.low:.2f}, {law.high:.2f}]"
    )
    return Line2D(
        [],
        [],
        color=_colour(position),
        marker=canvas.MARKERS[position],
        label=f"{scaling.name}, {scaling.tie_breaking}: {found}",
    )


def _draw_group(axes: Axes, position: int, scaling: Scaling) -> None:
    frame, colour, marker = scaling.frame, _colour(position), canvas.MARKERS[position]
    shift = 1.012 ** (position - 2)  # so that bars of several groups stay apart
    for x, lower, upper in frame.itertuples(index=False):
        if np.isinf(upper):
            axes.plot(x * shift, lower, marker="^", color=colour, markersize=8, markerfacecolor=canvas.PAPER)
        elif lower == 0:
            axes.plot(x * shift, upper, marker="v", color=colour, markersize=8, markerfacecolor=canvas.PAPER)
        else:
            axes.plot([x * shift] * 2, [lower, upper], color=colour, linewidth=2.4, alpha=0.55)
            axes.plot(x * shift, np.sqrt(lower * upper), marker=marker, color=colour)
    if scaling.law is None:
        return
    ends = np.array([frame["x"].min(), frame["x"].max()])
    axes.plot(ends, np.exp(scaling.law.intercept) * ends**scaling.law.exponent, color=colour, linewidth=1.2)


def _draw_theorem(axes: Axes, scaling: Scaling) -> None:
    """The theorem's slope through the middle of the fitted line."""
    if scaling.theorem is None or scaling.law is None:
        return
    ends = np.array([scaling.frame["x"].min(), scaling.frame["x"].max()])
    middle = float(np.sqrt(ends.prod()))
    height = np.exp(scaling.law.intercept) * middle**scaling.law.exponent
    heights = height * (ends / middle) ** scaling.theorem
    axes.plot(ends, heights, color=canvas.INK, linewidth=1, linestyle=":")
