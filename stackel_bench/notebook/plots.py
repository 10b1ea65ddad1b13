"""The report's figures by themselves, as matplotlib figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stackel_bench.errors import InputError
from stackel_bench.reporting.sweep_results import SweepResults

if TYPE_CHECKING:  # matplotlib is loaded when the first figure is asked for
    from stackel_bench.reporting.figures.canvas import Figure


class Plots:
    """`results.plot`: one figure each; an InputError says what the cells lack for it."""

    def __init__(self, sweep: SweepResults) -> None:
        self._sweep = sweep

    def curves(self) -> Figure:
        """Loss and failure probability against samples: two axes per accuracy, game below game."""
        from stackel_bench.reporting.figures.curves import draw_curves
        from stackel_bench.reporting.figures.stack import stacked

        if self._sweep.cells.empty or not self._sweep.laddered.any():
            raise InputError("cells", "none", "a ladder", "curves need cells with budget=ladder")
        return stacked(lambda new_figure: draw_curves(self._sweep, new_figure))

    def paired(self) -> Figure:
        """Optimistic minus pessimistic tie-breaking on the same samples, in loss and in failures."""
        from stackel_bench.reporting.figures.paired import draw_paired
        from stackel_bench.reporting.figures.stack import stacked
        from stackel_bench.reporting.versus.paired import paired_table

        table, pairs = paired_table(self._sweep)
        if not pairs:
            sentence = "pairs need tie_breaking=pessimistic,optimistic on cells that are otherwise equal"
            raise InputError("cells", "none", "pairs", sentence)
        return stacked(lambda new_figure: draw_paired(table, pairs, new_figure))

    def scaling(self, key: str) -> Figure:
        """Samples needed against a key that varies and is a number, `game.num_leader_actions` for example."""
        from stackel_bench.reporting.along.scaling import scalings_along
        from stackel_bench.reporting.figures.scaling import draw_scaling
        from stackel_bench.reporting.figures.stack import stacked

        if self._sweep.cells.empty:
            raise InputError("cells", "none", "finished cells", "there are no finished cells")
        found = scalings_along(self._sweep, key)
        return stacked(lambda new_figure: draw_scaling(found, new_figure))
