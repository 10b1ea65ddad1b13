"""`x:NAME`: NAME of the file ./x.py, else of an importable module x; loaded, or refused with one sentence."""

import contextlib
import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from stackel_bench.errors import InputError, UnavailableError, did_you_mean, expanded
from stackel_bench.outside.code import Code, code_of_module, note_use
from stackel_bench.outside.sources import install, is_elsewhere, sources_of

_REFERENCE = re.compile(r"([^:]+):([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Loaded:
    """What a reference stands for, under a name that does not depend on the folder, with its code."""

    object: Any
    name: str
    code: Code


def is_reference(text: object) -> bool:
    """Whether this is FILE_OR_MODULE:NAME."""
    return isinstance(text, str) and _REFERENCE.fullmatch(text) is not None


def plain_name(text: str) -> str:
    """The text, without the folder if it is a reference: results do not depend on where a file lies."""
    match = _REFERENCE.fullmatch(text)
    return f"{Path(match[1]).name.removesuffix('.py')}:{match[2]}" if match else text


def load_reference(text: str, field: str) -> Loaded:
    """What the reference stands for; field is where it was typed, for messages."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise InputError(field, text, "FILE:NAME or MODULE:NAME")
    where, name = match.groups()
    file = _file(where)
    if file is not None:
        module, code = _module_of_file(file, field, text)
    else:
        module, code = _importable(where, field, text)
    if not hasattr(module, name):
        known = [word for word in vars(module) if not word.startswith("_")]
        place = file or where
        sentence = f"{field}={text}: {place} has no {name}{did_you_mean(name, known)}"
        raise InputError(field, text, f"a name that {place} has", sentence)
    note_use(code)
    return Loaded(getattr(module, name), f"{module.__name__}:{name}", code)


def load_function(text: object, field: str, allowed: str) -> Callable[..., Any]:
    """The function that an option names as FILE:NAME."""
    if not is_reference(text):
        raise InputError(field, text, allowed)
    found = load_reference(str(text), field).object
    if not callable(found):
        raise InputError(field, text, f"{allowed}; it is {type(found).__name__}, no function")
    function: Callable[..., Any] = found
    return function


def _file(where: str) -> Path | None:
    """The file that is meant; None where no file is."""
    path = expanded("file", where)
    if where.endswith(".py") or "/" in where:
        return path if where.endswith(".py") else path.with_name(f"{path.name}.py")
    inside = Path(*where.split("."))
    candidates = (inside.with_name(f"{inside.name}.py"), inside / "__init__.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _module_of_file(file: Path, field: str, text: str) -> tuple[ModuleType, Code]:
    path = file.resolve()
    if not path.is_file():
        raise UnavailableError(field, f"read {file}", "there is no such file")
    folder = path.parent
    words = [] if path.name == "__init__.py" else [path.stem]
    while (folder / "__init__.py").is_file():
        words, folder = [folder.name, *words], folder.parent
    name = ".".join(words)
    if path.is_relative_to(Path(__file__).parents[1]):
        return _importable(name, field, text)
    if is_elsewhere(folder, name):
        sentence = f"{field}={text}: Python has another module {words[0]}: rename {file}"
        raise InputError(field, text, "a file with a name of its own", sentence)
    with one_sentence(field, text, str(file)):
        sources = sources_of(folder, name)
        install(sources)
        return importlib.import_module(name), Code(sources)


def _importable(where: str, field: str, text: str) -> tuple[ModuleType, Code]:
    try:
        spec = find_spec(where.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        sentence = f"{field}={text}: {Path.cwd()} has no {where}.py, and no module {where} is installed"
        raise InputError(field, text, "a file beside you, or a module", sentence)
    with one_sentence(field, text, where):
        return importlib.import_module(where), code_of_module(where)


@contextlib.contextmanager
def one_sentence(field: str, text: str, what: str) -> Iterator[None]:
    """Whatever somebody's code raises within the block, SystemExit included, as an InputError."""
    try:
        yield
    except (KeyboardInterrupt, MemoryError, InputError):
        raise
    except BaseException as error:
        line = (
            f" (line {error.lineno} of {error.filename})"
            if isinstance(error, SyntaxError) and error.lineno
            else ""
        )
        reason = f"{type(error).__name__}: {getattr(error, 'msg', error)}{line}".strip()
        raise InputError(field, text, "code that works", f"{field}={text}: {what} raises {reason}") from error
