"""`stackel-bench list`: games, algorithms, explorers, budgets, studies, and the options of each."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from rich.console import Console

from stackel_bench.config import groups
from stackel_bench.config.settings import ExecutionSettings, TrackingSettings
from stackel_bench.errors import InputError, UnknownNameError
from stackel_bench.families.games import builder_of, default_parameters, game_names, load_game
from stackel_bench.families.hardness import card_lines, hardness_card
from stackel_bench.families.registry import all_explorers, all_families
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.options import help_lines
from stackel_bench.outside.plugins import GAMES, LEARNERS, loaded_plugins, plugins

GROUPS = ("game", "algorithm", "explorer", "budget", "study", "claim", "execution", "tracking")


def main(arguments: list[str]) -> int:
    """Print all groups, or those named; with one option named, all that is known of it."""
    console = Console(highlight=False, soft_wrap=True)
    for argument in arguments:
        if argument not in GROUPS:
            group, _, option = argument.partition("=")
            if group not in GROUPS or not option:
                raise UnknownNameError("group", group, GROUPS, ", or GROUP=OPTION")
            _print_option(console, group, option)
    for group in [a for a in arguments if a in GROUPS] or ([] if arguments else GROUPS):
        lines = _lines(group)
        width = max(map(len, lines))
        console.print(f"[bold]{group}[/]")
        for option, text in lines.items():
            console.print(f"  {option:<{width}}  {text}", markup=False)
    return 0


def _lines(group: str) -> dict[str, str]:
    """One line about each option of a group."""
    if group == "explorer":
        return {name: (cls.__doc__ or "").splitlines()[0] for name, cls in all_explorers().items()}
    broken = {
        name for kind in (GAMES, LEARNERS) for name in plugins(kind) if name not in loaded_plugins(kind)
    }
    known = (option for option in groups.options(group) if option not in broken)
    return {option: groups.describe(group, option) for option in known}


def _print_option(console: Console, group: str, option: str) -> None:
    if group == "explorer":
        if option not in all_explorers():
            raise UnknownNameError("explorer", option, all_explorers())
        text = inspect.cleandoc(all_explorers()[option].__doc__ or "")
    else:
        groups.require_option(group, option)
        text = groups.option_text(group, option)
    console.print(f"[bold]{group}={option}[/]")
    console.print(text, markup=False)
    for line in _option_lines(group, option):
        console.print(line, markup=False)


def _about_game(name: str) -> Iterator[str]:
    """The formula of a named game and, where its defaults make one, how hard that game is."""
    yield from ("", inspect.cleandoc(builder_of(name).__doc__ or ""), "")
    try:
        yield from card_lines(hardness_card(load_game(name)))
    except InputError as missing:  # a file or a table that only the user has
        yield f"hardness: set game.{missing.field} first; then `stackel_bench.families.hardness` has its card"


def _option_lines(group: str, option: str) -> Iterator[str]:
    """The keys that an option of a group takes, from the fields of what is built."""
    if group == "algorithm":
        for family in all_families():
            if option in family.learners:
                lines = help_lines(family.learners[option], "algorithm.")
                yield from [f"on {family.name} games: {'' if lines else 'no options'}", *lines]
        if option in loaded_plugins(LEARNERS):
            yield from help_lines(loaded_plugins(LEARNERS)[option].object, "algorithm.")
    if group == "game" and option in game_names() and option not in plugins(GAMES):
        yield from _about_game(option)
    if group == "game" and option in loaded_plugins(GAMES):
        yield from (f"game.{key}={value}" for key, value in default_parameters(option).items())
    classes = {"budget": BUDGETS, "explorer": all_explorers()}
    settings = {"execution": ExecutionSettings, "tracking": TrackingSettings}
    if group in classes:
        where = "budget." if group == "budget" else "algorithm.explorer_options."
        yield from help_lines(classes[group][option], where)
    elif group in settings:
        yield from help_lines(settings[group], f"{group}.")
