"""`stackel-bench list`: games, algorithms, explorers, budgets, studies, and the options of each."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from rich.console import Console

from stackel_bench.config import groups
from stackel_bench.config.settings import ExecutionSettings, TrackingSettings
from stackel_bench.errors import InputError, did_you_mean
from stackel_bench.families.games import default_parameters
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
                allowed = "one of " + ", ".join(GROUPS) + ", or GROUP=OPTION" + did_you_mean(group, GROUPS)
                raise InputError("list", argument, allowed)
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
            allowed = "one of " + ", ".join(all_explorers()) + did_you_mean(option, all_explorers())
            raise InputError("explorer", option, allowed)
        text = inspect.cleandoc(all_explorers()[option].__doc__ or "")
    else:
        groups.require_option(group, option)
        text = groups.option_text(group, option)
    console.print(f"[bold]{group}={option}[/]")
    console.print(text, markup=False)
    for line in _option_lines(group, option):
        console.print(line, markup=False)


def _option_lines(group: str, option: str) -> Iterator[str]:
    """The keys that an option of a group takes, from the fields of what is built."""
    if group == "algorithm":
        for family in all_families():
            if option in family.learners:
                lines = help_lines(family.learners[option], "algorithm.")
                yield from [f"on {family.name} games: {'' if lines else 'no options'}", *lines]
        if option in loaded_plugins(LEARNERS):
            yield from help_lines(loaded_plugins(LEARNERS)[option].object, "algorithm.")
    if group == "game" and option in loaded_plugins(GAMES):
        yield from (f"game.{key}={value}" for key, value in default_parameters(option).items())
    classes = {"budget": BUDGETS, "explorer": all_explorers()}
    settings = {"execution": ExecutionSettings, "tracking": TrackingSettings}
    if group in classes:
        where = "budget." if group == "budget" else "algorithm.explorer_options."
        yield from help_lines(classes[group][option], where)
    elif group in settings:
        yield from help_lines(settings[group], f"{group}.")
