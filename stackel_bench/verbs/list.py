"""`stackel-bench list`: games, algorithms, explorers, budgets, studies, and the options of each."""

import inspect
from collections.abc import Iterator

from rich.console import Console

from stackel_bench.config import groups
from stackel_bench.config.settings import ExecutionSettings, TrackingSettings
from stackel_bench.errors import UnknownNameError
from stackel_bench.families.from_outside import is_outside, load_outside
from stackel_bench.families.games import builder_of, default_parameters, game_names
from stackel_bench.families.hardness import card_lines
from stackel_bench.families.registry import all_explorers, all_families
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.options import help_lines
from stackel_bench.outside.plugins import EXPLORERS, GAMES, LEARNERS, loaded_plugins, plugins
from stackel_bench.outside.reference import is_reference, load_reference

GROUPS = ("game", "algorithm", "explorer", "budget", "study", "claim", "execution", "tracking")
_KINDS = {"game": GAMES, "algorithm": LEARNERS, "explorer": EXPLORERS}  # which may be somebody's own
_READ_BY = {"execution": ExecutionSettings, "tracking": TrackingSettings}


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
        return {name: (cls.__doc__ or "").partition("\n")[0] for name, cls in all_explorers().items()}
    broken = {
        name for kind in (GAMES, LEARNERS) for name in plugins(kind) if name not in loaded_plugins(kind)
    }
    known = (option for option in groups.options(group) if option not in broken)
    return {option: groups.describe(group, option) for option in known}


def _print_option(console: Console, group: str, option: str) -> None:
    if group == "explorer" and option not in all_explorers() and not is_reference(option):
        raise UnknownNameError("explorer", option, all_explorers(), ", or FILE:NAME of your own")
    if group in _KINDS and is_reference(option):
        text = inspect.getdoc(load_reference(option, group).object) or ""
    elif group == "explorer":
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
    yield from ("", inspect.cleandoc(builder_of(name).__doc__ or ""), "", *card_lines(name))


def _option_lines(group: str, option: str) -> Iterator[str]:
    """The keys that an option of a group takes, from the fields of what is built."""
    if group == "algorithm":
        for family in all_families():
            if option in family.learners:
                lines = help_lines(family.learners[option], "algorithm.")
                yield from [f"on {family.name} games: {'' if lines else 'no options'}", *lines]
    if group == "game" and not is_outside(GAMES, option) and option in game_names():
        yield from _about_game(option)
    elif group == "game" and is_outside(GAMES, option):
        yield from (f"game.{key}={value}" for key, value in default_parameters(option).items())
    elif group in _KINDS and is_outside(_KINDS[group], option):
        where = "algorithm." if group == "algorithm" else "algorithm.explorer_options."
        yield from help_lines(load_outside(_KINDS[group], option, group).object, where)
    elif group == "explorer":
        yield from help_lines(all_explorers()[option], "algorithm.explorer_options.")
    elif group in _READ_BY:
        yield from help_lines(_READ_BY[group], f"{group}.")
    elif group == "budget":
        yield from help_lines(BUDGETS[option], "budget.")
