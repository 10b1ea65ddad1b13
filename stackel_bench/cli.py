"""The command line: a verb, then Hydra overrides; exit code 2 and one message on a user's mistake."""

import os
import sys

# One thread per process: tasks run side by side, and sums do not depend on the number of cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import atexit
import gc
import io
import signal
import threading
from importlib import import_module

from stackel_bench.errors import STORAGE_ERRORS, InputError, UnknownNameError
from stackel_bench.text import printable
from stackel_bench.verbs import VERBS

# What the verbs take that do not compute; the others take every key of the configuration.
_KEYS = {
    "report": "nothing: the latest sweep; or the folder, study or id of one (several are merged), as a "
    "word or as sweep=, study=; or the overrides of its command; "
    "output=FOLDER, tracking=off, or tracking=server tracking.uri=URI",
    "compare": "A B, each the folder, study or id of a sweep; output=FOLDER where to look for them, "
    "to=FOLDER for compare.html and compare.json (default: OUTPUT/compare)\n\n"
    "Exit code: 0 if B is not shown to fail more often in any cell, 1 if it is, 2 if no cells match",
    "verify": "the folder, study or id of a sweep, or sweep=, study=; recompute=FRACTION, output=FOLDER",
    "check": "FILE:NAME or MODULE:NAME; family=NAME for a learner that does not say its family; options as "
    "game.KEY=VALUE, algorithm.KEY=VALUE or algorithm.explorer_options.KEY=VALUE",
    "ui": "output=FOLDER, port=NUMBER, study=NAME, open=true|false",
    "list": "game, algorithm, budget, study, claim, execution or tracking; GROUP=OPTION shows the file",
}
_HELP = ("-h", "--help", "help")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    _open_streams()
    if arguments is None:
        arguments = sys.argv[1:]
        _say_at_once(arguments)
    if not arguments or arguments[0] in _HELP:
        print(_usage())
        return 0 if arguments else 2
    if arguments[0] == "--version":
        from stackel_bench import __version__

        print(f"stackel-bench {__version__}")
        return 0
    gc.set_threshold(50_000, 20, 50)  # entries of thousands of cells are no garbage ...
    atexit.register(gc.freeze)  # ... and at the end nobody need look for any among them
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, _interrupt)
    from stackel_bench.config.groups import added_folders, use_folders
    from stackel_bench.config.hydra_words import read_line

    try:
        line = read_line(arguments)
        use_folders(line.folders)
        verb, words = line.words[0] if line.words else "", line.words[1:]
        if verb == "run" and line.multirun:
            verb = "sweep"
        if "=" in verb:
            sentence = f"a verb comes first: stackel-bench run {' '.join(line.words)}"
            raise InputError("verb", verb, "a verb", sentence)
        if verb not in VERBS:
            raise UnknownNameError("verb", verb, VERBS)
        if any(word in _HELP for word in words):
            print(_verb_usage(verb))
            return 0
        if line.info:
            print("\n".join(["pkg://stackel_bench.conf", *(f"file://{f}" for f in added_folders())]))
            return 0
        if line.config:
            return _print_config(words)
        return int(import_module(f"stackel_bench.verbs.{verb}").main(words))
    except InputError as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except MemoryError as error:
        print(f"error: the game does not fit into memory ({error})", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        if error.errno not in STORAGE_ERRORS:
            raise
        place = printable(str(error.filename or "a file"))
        print(f"error: cannot use {place}: {error.strerror}", file=sys.stderr)
        return 2


def _say_at_once(arguments: list[str]) -> None:
    """The first words, before numpy and all the rest are imported."""
    quiet = (*_HELP, "--cfg", "--info", "dry_run=true")
    if arguments and arguments[0] in ("run", "sweep", "reproduce") and not set(quiet) & set(arguments):
        print(f"{arguments[0]}: planning ...", flush=True)


def _open_streams() -> None:
    """Streams that exist and take any text, however this was started (closed ones, ASCII terminals)."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.dup(number), "w" if number else "r"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _interrupt(*_: object) -> None:
    """End on SIGTERM and SIGHUP (a container stops, a terminal is closed) the way Ctrl-C does."""
    raise KeyboardInterrupt


def run_script(verb: str) -> None:
    """Entry of `python runners/VERB.py`: the same as `stackel-bench VERB`."""
    sys.exit(main([verb, *sys.argv[1:]]))


def _print_config(words: list[str]) -> int:
    """`--cfg job`: the composed configuration of the first cell."""
    from dataclasses import asdict

    from omegaconf import OmegaConf

    from stackel_bench.config.overrides import product
    from stackel_bench.sweeps.plan import make_plan

    plan = make_plan(next(product(words)))
    print(OmegaConf.to_yaml(OmegaConf.create({**plan.cells[0].config, **asdict(plan.settings)})), end="")
    return 0


def _usage() -> str:
    verbs = "\n".join(f"  {verb:<10} {text}" for verb, text in VERBS.items())
    return (
        "Learning Stackelberg equilibria from noisy samples: games, learners, exact evaluation.\n\n"
        f"usage: stackel-bench VERB [KEY=VALUE ...] [--config-dir FOLDER]\n\n{verbs}\n\n"
        "examples:\n"
        "  stackel-bench run game=bandit/trap algorithm=plug_in budget.epsilon=0.1\n"
        "  stackel-bench sweep game=bandit/trap,bandit/random tie_breaking=pessimistic,optimistic\n"
        "  stackel-bench sweep study=quickstart where.game='bandit/*' dry_run=true\n"
        "  stackel-bench run game=my_file:make_game algorithm=my_file:MyLearner   # of ./my_file.py\n\n"
        "`stackel-bench VERB --help` lists keys, `--cfg job` prints the composed configuration, `--version` "
        "the version."
    )


def _verb_usage(verb: str) -> str:
    if verb in _KEYS:
        return f"stackel-bench {verb}: {VERBS[verb]}\n\nTakes: {_KEYS[verb]}"
    from importlib import resources

    from stackel_bench.config.groups import group_names, options

    hidden = ("game", "study") if verb == "reproduce" else ("claim",)
    shown = [group for group in group_names() if group not in hidden]
    groups = "\n".join(f"  {group:<10} {', '.join(options(group))}" for group in shown)
    root = resources.files("stackel_bench.conf").joinpath("config.yaml").read_text("utf-8")
    keys = root.split("_self_\n", 1)[1].strip()
    if verb == "reproduce":
        keys = f"# two minutes (quick) or half an hour (full) on two cores\nprofile: quick\n{keys}"
    return (
        f"stackel-bench {verb}: {VERBS[verb]}\n\nGroups (GROUP=OPTION; `stackel-bench list` says more):\n"
        f"{groups}\n\nKeys (KEY=VALUE; values of a group are GROUP.KEY=VALUE):\n\n{keys}"
    )
