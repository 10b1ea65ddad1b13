"""The true games behind the cells of a sweep, for figures that show exact values beside what was learned."""

from __future__ import annotations

from stackel_bench.errors import InputError
from stackel_bench.families.games import load_game
from stackel_bench.games.game import Game
from stackel_bench.outside.reference import is_reference
from stackel_bench.reporting.figures.canvas import Axes
from stackel_bench.results.entry import Entry


def game_of(entry: Entry) -> Game | None:
    """The game of a cell; None if its file has gone or changed, or if it is a program in a file.

    Such a program is never run here: a report is also made of folders that come from somebody else.
    """
    if any(map(is_reference, entry.config["game"].values())):
        return None
    try:
        return load_game(**entry.config["game"])
    except (InputError, ImportError, OSError):
        return None


def say_gone(axes: Axes) -> None:
    """A panel without numbers that says why."""
    text = "Not drawn: the game's file is gone,\nor the game is a program in a file."
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")
    axes.set_axis_off()
