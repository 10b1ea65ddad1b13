"""Drawings below each other in one matplotlib figure, which shows itself in a notebook."""

import io
from collections.abc import Callable
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Figure, NewFigure

TITLE_HEIGHT = 0.3  # inches


class NotebookFigure(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_png_(self) -> bytes:
        png = io.BytesIO()
        with canvas.styled():
            FigureCanvasAgg(self).print_png(png)
        return png.getvalue()


def stacked(draw: Callable[[NewFigure], list[Drawing]]) -> NotebookFigure:
    """One figure with all drawings, each under its title; drawn twice, the first time to know their sizes."""
    with canvas.styled():
        drawings = draw(canvas.new_figure)
        sizes = [drawing.figure.get_size_inches() for drawing in drawings]
        width = max(size[0] for size in sizes)
        heights = [part for size in sizes for part in (TITLE_HEIGHT, size[1])]
        figure = NotebookFigure(figsize=(width, sum(heights)), facecolor="white")
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        for title, drawing in zip(parts[::2], drawings, strict=True):
            title.text(0.1 / width, 0.5, drawing.title, va="center", fontsize=10.5)
        bodies = iter(parts[1::2])

        def new_figure(rows: int, columns: int, **layout: Any) -> tuple[Figure, list[list[Axes]]]:
            return canvas.new_figure(rows, columns, **{**layout, "width": width, "figure": next(bodies)})

        draw(new_figure)
    return figure
