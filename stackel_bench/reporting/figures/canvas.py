"""Figures with one look, as PNG and SVG. Nothing else imports matplotlib."""

import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

__all__ = ["Axes", "Figure", "Line2D"]  # for those who draw

# The page replaces these by the colours of its light or dark set, so they are like nothing else.
INK, MUTED, GRID, PAPER = "#1f2328", "#656d76", "#d8dee4", "#fefefe"
COLOURS_SAY = "Colour: blue tones are pessimistic, orange ones optimistic; the shade says which learner."
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = (0, (6, 4))
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
SEQUENTIAL = LinearSegmentedColormap.from_list("light to blue", ["#eef3f8", "#56b4e9", "#0072b2", "#003a5c"])

Content = TypeVar("Content")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_STYLE: dict[Any, Any] = {
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.size": 9,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "axes.axisbelow": True,
}


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure with the words that belong to it; name is also the file name."""

    name: str
    title: str
    caption: str
    figure: Figure


NewFigure = Callable[..., tuple[Figure, list[list[Axes]]]]


@contextmanager
def styled() -> Iterator[None]:
    """The look; draw and render inside."""
    with mpl.rc_context(_STYLE):
        yield


def new_figure(
    rows: int,
    columns: int,
    *,
    width: float,
    height: float,
    left: float = 0.75,
    top: float = 0.3,
    bottom: float = 0.5,
    gap: tuple[float, float] = (0.3, 0.3),
    figure: Any = None,
    **options: Any,
) -> tuple[Figure, list[list[Axes]]]:
    """A figure with a grid of axes; all lengths in inches, gap is (between columns, between rows).

    Laid out by hand, because matplotlib's own layout would draw everything once more to measure it. A figure
    of this size may be given, which can be a part of a larger one.
    """
    figure = Figure(figsize=(width, height)) if figure is None else figure
    panel_width = (width - left - 0.15 - gap[0] * (columns - 1)) / columns
    panel_height = (height - top - bottom - gap[1] * (rows - 1)) / rows
    figure.subplots_adjust(
        left=left / width,
        right=1 - 0.15 / width,
        bottom=bottom / height,
        top=1 - top / height,
        wspace=gap[0] / panel_width,
        hspace=gap[1] / panel_height,
    )
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, [list(row) for row in axes]


def filled(grid: list[list[Axes]], panels: Sequence[Content]) -> Iterator[tuple[Axes, Content]]:
    """The axes of a grid, row by row, with what to draw in each; those that are left over are hidden."""
    flat = [axes for row in grid for axes in row]
    for axes in flat[len(panels) :]:
        axes.set_visible(False)
    return zip(flat[: len(panels)], panels, strict=True)


def entry(label: str, **style: Any) -> Line2D:
    """An entry of a legend."""
    return Line2D([], [], label=label, **style)


def dot(label: str, colour: str, marker: str = "o", **style: Any) -> Line2D:
    """An entry of a legend that is a marker without a line."""
    return entry(label, color=colour, marker=marker, linestyle="", **style)


def legend_height(handles: int, columns: int) -> float:
    """Inches that a legend of so many entries needs."""
    return 0.19 * math.ceil(handles / columns) + 0.1


def top_legend(figure: Figure, handles: Sequence[Any], columns: int) -> None:
    """A legend above all axes."""
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        columnspacing=1.4,
        handlelength=2.6,
        borderaxespad=0.2,
    )


def zero_friendly_log(axes: Axes, smallest: float, largest: float) -> None:
    """A logarithmic y axis that still shows zero, on a short linear piece below the smallest value."""
    axes.set_yscale("symlog", linthresh=smallest, linscale=0.5)
    axes.set_ylim(-0.12 * smallest, 1.35 * largest)
    decades = _decades(smallest, 1.35 * largest)
    axes.set_yticks([0.0, *decades], ["0", *(_plain_or_power(decade) for decade in decades)])
    axes.minorticks_off()


def log_axis(axes: Axes, which: str, smallest: float, largest: float) -> None:
    """A logarithmic axis with room on both sides; decades as ticks, or 1-2-5 steps if there are few."""
    low, high = smallest / 1.3, largest * 1.3
    ticks = _decades(low, high)
    if len(ticks) < 3:
        ticks = [m * d for d in _decades(low / 10, high) for m in (1, 2, 5) if low <= m * d <= high]
        labels = [f"{tick:g}" if 1e-4 <= tick < 1e5 else f"{tick:.0e}".replace("e+0", "e") for tick in ticks]
    else:
        ticks = ticks[:: math.ceil(len(ticks) / 8)]
        labels = [_plain_or_power(tick) for tick in ticks]
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    (axes.set_xticks if which == "x" else axes.set_yticks)(ticks, labels)
    (axes.xaxis if which == "x" else axes.yaxis).set_minor_locator(NullLocator())


def _decades(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**k for k in range(first, last + 1)]


def _plain_or_power(decade: float) -> str:
    if 1e-3 <= decade < 1e4:
        return f"{decade:g}"
    return "10" + str(round(math.log10(decade))).translate(_SUPERSCRIPT)


def render(drawing: Drawing) -> dict[str, bytes]:
    """The figure as {"png": ..., "svg": ...}; equal figures give equal bytes."""
    figure, svg, png = drawing.figure, io.BytesIO(), io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": drawing.name}):
        FigureCanvasSVG(figure).print_svg(svg, metadata={"Date": None, "Title": drawing.title})
    figure.patch.set_facecolor("white")
    figure.set_dpi(140)
    FigureCanvasAgg(figure).print_png(png, metadata={"Software": None})
    return {"png": png.getvalue(), "svg": svg.getvalue()}
