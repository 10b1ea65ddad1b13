"""`stackel-bench list`: games, algorithms, explorers, budgets, studies, from the configuration itself."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from stackel_bench.config.groups import describe, options, require_option
from stackel_bench.config.settings import ExecutionSettings, TrackingSettings
from stackel_bench.errors import InputError
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.options import help_lines

GROUPS = ("game", "algorithm", "budget", "study", "claim", "execution", "tracking")


def main(arguments: list[str]) -> int:
    """Print all groups, or those named; with one option named, its whole file."""
    console = Console(highlight=False, soft_wrap=True)
    for argument in arguments:
        if "=" in argument or argument not in GROUPS:
            group, _, option = argument.partition("=")
            if group not in GROUPS or not option:
                raise InputError("list", argument, "one of " + ", ".join(GROUPS) + ", or GROUP=OPTION")
            _print_option(console, group, require_option(group, option))
    for group in [a for a in arguments if a in GROUPS] or ([] if arguments else GROUPS):
        width = max(len(option) for option in options(group))
        console.print(f"[bold]{group}[/]")
        for option in options(group):
            console.print(f"  {option:<{width}}  {describe(group, option)}")
    return 0


def _print_option(console: Console, group: str, option: str) -> None:
    from importlib import resources

    text = resources.files("stackel_bench.conf").joinpath(f"{group}/{option}.yaml").read_text("utf-8")
    console.print(f"[bold]{group}={option}[/]")
    console.print(text, markup=False)
    for line in _option_lines(group, option):
        console.print(line, markup=False)


def _option_lines(group: str, option: str) -> Iterator[str]:
    """The keys that an option of a group takes, from the fields of what is built."""
    if group == "budget":
        yield from help_lines(BUDGETS[option], "budget.")
    elif group in ("execution", "tracking"):
        yield from help_lines(ExecutionSettings if group == "execution" else TrackingSettings, f"{group}.")


if __name__ == "__main__":
    from stackel_bench.cli import run_script

    run_script("list")
