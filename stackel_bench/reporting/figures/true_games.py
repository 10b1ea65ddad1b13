"""The true games behind the cells of a sweep, for figures that show exact values beside what was learned."""

from __future__ import annotations

from stackel_bench.errors import InputError
from stackel_bench.families.games import load_game
from stackel_bench.games.game import Game
from stackel_bench.reporting.figures.canvas import Axes
from stackel_bench.results.entry import Entry


def game_of(entry: Entry) -> Game | None:
    """The game of a cell; None if it cannot be loaded any more, since its file has gone or changed."""
    try:
        return load_game(**entry.config["game"])
    except (InputError, ImportError, OSError):
        return None


def say_gone(axes: Axes) -> None:
    """A panel without numbers that says why."""
    text = "This game cannot be loaded any more."
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")
    axes.set_axis_off()
