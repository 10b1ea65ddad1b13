"""`where.KEY=PATTERN`: which cells of a study or product are wanted."""

import fnmatch
from collections.abc import Mapping, Sequence
from typing import Any

from stackel_bench.config.overrides import parse
from stackel_bench.errors import UnknownKeyError
from stackel_bench.sweeps.cell import CELL_KEYS

_NAMES = {"game": "name", "algorithm": "name", "budget": "kind"}  # by which groups are restricted
_ABSENT = object()
_ELSEWHERE = ("where.budget.epsilon", "where.budget.delta", "where.algorithm.explorer")  # columns


class Where:
    """Patterns by key; a cell is wanted if each of its values matches one of the key's patterns."""

    def __init__(self, words: Sequence[str]) -> None:
        self.patterns: dict[str, list[Any]] = {}
        for word in words:
            override = parse(word)
            value: Any = override.value()
            values = list(value.list) if hasattr(value, "list") else value
            key = override.key_or_group.removeprefix("where.")
            if key.partition(".")[0] not in CELL_KEYS:
                known = [*CELL_KEYS, *(f"{group}.KEY" for group in _NAMES)]
                raise UnknownKeyError(f"where.{key}", [f"where.{each}" for each in known], _ELSEWHERE)
            self.patterns[key] = values if isinstance(values, list) else [values]

    def allows_words(self, combination: Sequence[str]) -> bool:
        """Whether no override of a combination is one that is not wanted."""
        if not self.patterns:
            return True
        values = {override.key_or_group: override.value() for override in map(parse, combination)}
        return all(key not in values or self._matches(key, values[key]) for key in self.patterns)

    def allows(self, config: Mapping[str, Any], combination: Sequence[str], complete: bool) -> bool:
        """Whether a configuration is wanted; keys that it lacks decide once it is complete."""
        if not self.patterns:
            return True
        typed = {parse(word).key_or_group for word in combination}
        for key in self.patterns:
            found = _value(config, key)
            if key in typed or (found is _ABSENT and not complete):
                continue
            if found is _ABSENT or not self._matches(key, found):
                return False
        return True

    def _matches(self, key: str, value: Any) -> bool:
        return any(value == p or fnmatch.fnmatchcase(str(value), str(p)) for p in self.patterns[key])

    def __str__(self) -> str:
        return ", ".join(f"where.{key}={','.join(map(str, p))}" for key, p in self.patterns.items())


def split_where(overrides: Sequence[str]) -> tuple[list[str], Where]:
    """The overrides, and what restricts their cells."""
    own = [word for word in overrides if word.startswith("where.")]
    return [word for word in overrides if word not in own], Where(own)


def _value(config: Mapping[str, Any], key: str) -> Any:
    node: Any = config
    for part in (f"{key}.{_NAMES[key]}" if key in _NAMES else key).split("."):
        if not isinstance(node, Mapping) or part not in node:
            return _ABSENT
        node = node[part]
    return node
