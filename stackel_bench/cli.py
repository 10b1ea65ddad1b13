"""The command line: a verb, then Hydra overrides; exit code 2 and one message on a user's mistake."""

from __future__ import annotations

import os
import sys

# One thread per process: tasks run side by side, and sums do not depend on the number of cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

from importlib import import_module

from stackel_bench.errors import InputError

VERBS = {
    "run": "one cell: a game, a learner, a budget",
    "sweep": "every cell of a study, or of the product of the overrides",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0 if arguments else 2
    verb, overrides = arguments[0], arguments[1:]
    try:
        if verb not in VERBS:
            raise InputError("verb", verb, "one of " + ", ".join(VERBS))
        return import_module(f"stackel_bench.runners.{verb}").main(overrides)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def run_script(verb: str) -> None:
    """Entry of `python runners/VERB.py`: the same as `stackel-bench VERB`."""
    sys.exit(main([verb, *sys.argv[1:]]))


def _usage() -> str:
    lines = [f"  {verb:<10} {text}" for verb, text in VERBS.items()]
    return "usage: stackel-bench VERB [KEY=VALUE ...]\n\n" + "\n".join(lines)
