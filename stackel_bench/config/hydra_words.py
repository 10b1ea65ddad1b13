"""Words that people know from Hydra: taken where they mean something here, else answered."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stackel_bench.errors import InputError, UnknownNameError, expanded

_ANSWERS = {
    "--config-name": "--config-dir FOLDER, whose config.yaml has your defaults",
    "--config-path": "--config-dir FOLDER, which joins the groups instead of replacing them",
    "--package": "--cfg job, which prints everything",
    "--run": "nothing: `stackel-bench run` runs one cell",
    "--shell-completion": "nothing: `stackel-bench list` has all names",
    "--hydra-help": "`stackel-bench VERB --help`",
    "hydra/launcher": "execution=local, execution=cluster or execution=serial",
    "hydra/sweeper": "nothing: KEY=A,B spans a product, study=NAME runs a study's grids",
    "hydra.sweep.dir": "output=FOLDER",
    "hydra.run.dir": "output=FOLDER",
    "hydra.job.chdir": "nothing: commands stay in the current folder",
    "hydra": "output=FOLDER, execution=, --config-dir FOLDER; `stackel-bench VERB --help` has all keys",
}
_SHORT = {"-m": "--multirun", "-cd": "--config-dir", "-cn": "--config-name", "-cp": "--config-path"}
_SHORT |= {"-c": "--cfg", "-i": "--info", "-p": "--package", "-r": "--run", "-sc": "--shell-completion"}


@dataclass
class Line:
    """A command line: its own words, and what Hydra's words among them ask for."""

    words: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)  # --config-dir
    multirun: bool = False
    info: bool = False
    config: bool = False  # --cfg job


def read_line(typed: Sequence[str]) -> Line:
    """The command line without Hydra's words; an InputError answers those that mean nothing here."""
    line = Line()
    words = list(typed)
    while words:
        word = words.pop(0)
        flag, equals, value = word.partition("=")
        flag = _SHORT.get(flag, flag)
        if flag == "--config-dir":
            if not equals and not words:
                raise InputError(flag, None, "a folder: --config-dir FOLDER")
            line.folders.append(value if equals else words.pop(0))
        elif flag == "--multirun":
            line.multirun = True
        elif flag == "--info":
            line.info = True
            if words and words[0] in ("searchpath", "all", "config", "defaults", "defaults-tree", "plugins"):
                words.pop(0)
        elif flag == "--cfg" and not equals:
            line.config = True
            if (kind := words.pop(0) if words else "") != "job":
                raise UnknownNameError(flag, kind, ["job"])
        elif flag == "--resolve":
            continue  # what is printed is always resolved
        elif flag.lstrip("+~") == "hydra.searchpath":
            line.folders += _search_path(word)
        else:
            _refuse(word, flag.lstrip("+~"))
            group = flag.lstrip("+~").removesuffix("._target_")
            if flag.endswith("._target_"):
                raise InputError(flag, word, "", f"{flag} is Hydra's; type {group}=FILE:NAME")
            line.words.append(word)
    return line


def _refuse(word: str, flag: str) -> None:
    known = [key for key in _ANSWERS if flag == key or flag.startswith((f"{key}.", f"{key}/"))]
    if known:
        answer = _ANSWERS[max(known, key=len)]
        raise InputError(flag, word, answer, f"{flag} is Hydra's; type {answer}")


def _search_path(word: str) -> list[str]:
    from stackel_bench.config.overrides import parse  # and with it Hydra, which takes its time

    value = parse(word).value()
    places = value if isinstance(value, list) else [value]
    folders = [str(place).removeprefix("file://") for place in places]
    for place in folders:
        if "://" in place or not expanded("hydra.searchpath", place).is_dir():
            raise InputError("hydra.searchpath", place, "folders that exist, as for --config-dir")
    return folders
