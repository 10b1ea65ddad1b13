"""The source of a module with the neighbours that it imports, and how a process imports from such sources.

Workers import what the driver read, so that there is no second version of it: classes are pickled by name,
and what is digested into a cell's identity is what runs.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import decode_source, find_spec
from pathlib import Path
from types import ModuleType

PACKAGE = "stackel_bench"


@dataclass(frozen=True)
class Source:
    """One module as it was read."""

    path: str
    text: str
    is_package: bool = False


Sources = Mapping[str, Source]  # by the module's name


class _Finder(MetaPathFinder, Loader):
    """Imports modules from sources in memory, before anything else of their names is looked for."""

    def __init__(self) -> None:
        self.sources: dict[str, Source] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        source = self.sources.get(name)
        if source is None:
            return None
        spec = ModuleSpec(name, self, origin=source.path, is_package=source.is_package)
        spec.has_location = True  # sets __file__
        if source.is_package:
            spec.submodule_search_locations = [str(Path(source.path).parent)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """The usual kind of module."""

    def exec_module(self, module: ModuleType) -> None:
        source = self.sources[module.__name__]
        exec(compile(source.text, source.path, "exec"), module.__dict__)

    def get_source(self, name: str) -> str:
        """The text, for tracebacks."""
        return self.sources[name].text


_FINDER = _Finder()


def install(sources: Sources) -> None:
    """Let this process import these modules; what it had imported from other texts is forgotten."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    if any(_FINDER.sources.get(name, source) != source for name, source in sources.items()):
        for name in _FINDER.sources:
            if getattr(sys.modules.get(name), "__loader__", None) is _FINDER:
                del sys.modules[name]  # what Python itself imported stays as it is
        _FINDER.sources.clear()
    _FINDER.sources.update(sources)


def installed_sources() -> Sources:
    """What this process imports from sources; workers need it too."""
    return _FINDER.sources


def sources_of(folder: Path, name: str) -> dict[str, Source]:
    """The module of this name and every module of the folder that it imports, also inside functions."""
    found: dict[str, Source] = {}
    todo = [name]
    while todo:
        module = todo.pop(0)
        parents = [module.rsplit(".", depth)[0] for depth in range(1, module.count(".") + 1)]
        source = None if module in found or is_elsewhere(folder, module) else _read(folder, module)
        if source is not None:
            found[module] = source
            todo += [*parents, *_imported(module, source)]
    return found


def is_elsewhere(folder: Path, module: str) -> bool:
    """Whether this process knows the module's first word from another place."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top == PACKAGE:
        return True
    loaded = sys.modules.get(top)
    if loaded is None or top in _FINDER.sources:
        return False
    places = [getattr(loaded, "__file__", None) or "", *getattr(loaded, "__path__", ())]
    return not any(Path(place).is_relative_to(folder) for place in places if place)


def _read(folder: Path, module: str) -> Source | None:
    path = folder.joinpath(*module.split("."))
    for file, is_package in ((path.with_name(f"{path.name}.py"), False), (path / "__init__.py", True)):
        if file.is_file():
            return Source(str(file), decode_source(file.read_bytes()), is_package)
    if path.is_dir() and any(path.glob("*.py")) and ("." in module or find_spec(module) is None):
        return Source(str(path / "__init__.py"), "", is_package=True)  # a package without that file
    return None


def _imported(module: str, source: Source) -> Iterator[str]:
    """Names of modules that the source may import; some of them may be names of other things."""
    for node in ast.walk(ast.parse(source.text, source.path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            words = module.split(".") if source.is_package else module.split(".")[:-1]
            base = words[: len(words) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (start, *(f"{start}.{alias.name}" for alias in node.names))
