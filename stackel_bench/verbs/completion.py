"""`stackel-bench completion`: a script that completes verbs, groups and keys, from the configuration."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from stackel_bench import checks
from stackel_bench.config.groups import group_names, options
from stackel_bench.config.settings import CELL_SCALARS, SCALARS, ExecutionSettings, TrackingSettings
from stackel_bench.errors import InputError
from stackel_bench.families.games import default_parameters, game_names
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.options import options_of
from stackel_bench.verbs import VERBS

SHELLS = ("bash", "zsh")

# Bash cuts words at `=`, so what stands before the last one is cut from the answers as well.
_SCRIPT = """\
_stackel_bench() {
    local line=${COMP_LINE:0:COMP_POINT} words
    local current=${line##* }
    if [[ $COMP_CWORD -eq 1 ]]; then
        words="@VERBS@"
    else
        words="@WORDS@"
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*=}"}"}")
    fi
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null
    return 0
}
complete -F _stackel_bench stackel-bench
"""


def main(arguments: list[str]) -> int:
    """Print the script; `source <(stackel-bench completion bash)` in the shell's start file uses it."""
    if len(arguments) != 1:
        raise InputError("completion", " ".join(arguments), "one of " + ", ".join(SHELLS))
    print(script(checks.choice("completion", arguments[0], SHELLS)), end="")
    return 0


def script(shell: str) -> str:
    """The completion script for a shell."""
    filled = _SCRIPT.replace("@VERBS@", " ".join(VERBS)).replace("@WORDS@", " ".join(words()))
    return filled if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{filled}"


def words() -> Iterator[str]:
    """GROUP=OPTION for every option, KEY= for every key, those of all games included."""
    for group in group_names():
        yield from (f"{group}={option}" for option in options(group))
    yield from (f"{key}=" for key in (*CELL_SCALARS, *SCALARS))
    sections: dict[str, Iterable[type]] = {
        "execution.": [ExecutionSettings],
        "tracking.": [TrackingSettings],
        "budget.": BUDGETS.values(),
    }
    for where, classes in sections.items():
        yield from sorted({f"{where}{name}=" for each in classes for name in options_of(each)})
    yield from (f"game.{key}=" for key in sorted({key for name in game_names() for key in _parameters(name)}))
    yield "--config-dir"


def _parameters(name: str) -> Iterable[str]:
    with contextlib.suppress(InputError):  # a plug-in that does not load
        return default_parameters(name)
    return ()
