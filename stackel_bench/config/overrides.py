"""Overrides in Hydra's grammar: parsed, swept, multiplied, merged."""

import contextlib
import fnmatch
import functools
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, OverrideType, ValueType
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stackel_bench.config.groups import added_folders, group_names, is_free, options, require_option
from stackel_bench.errors import InputError, NoEffectError
from stackel_bench.text import is_printable

MOST_CELLS = 1_000_000
_WHOLE_NUMBER = re.compile(r"([a-z_][a-z_.]*)=(-?[1-9][0-9]{0,17}|0)")
_ODD_NUMBER = re.compile(
    r"(?<![^=,:()\[\]{}\s])[+-]?[0-9][0-9_.]*_[0-9_.]*([eE][+-]?[0-9_]+)?(?![^,:()\[\]{}\s])"
)
_PARSER = OverridesParser.create()
SYNTAX = "KEY=VALUE, or KEY=A,B for a sweep (Hydra's override grammar)"


def parse(override: str) -> Override:
    """One override, parsed; group choices are checked against the group's options."""
    return _parse(override, added_folders())


@functools.lru_cache(maxsize=10_000)
def _parse(text: str, folders: tuple[Path, ...]) -> Override:
    whole = _WHOLE_NUMBER.fullmatch(text)
    if whole and whole[1] not in group_names():  # a sweep over seeds has thousands of these
        return Override(OverrideType.CHANGE, whole[1], ValueType.ELEMENT, int(whole[2]), input_line=text)
    if not is_printable(text) or _ODD_NUMBER.search(text):
        raise InputError("override", text, f"{SYNTAX}, without control characters, numbers without _")
    try:
        override = _PARSER.parse_override(text)
    except HydraException as error:
        raise InputError("override", text, SYNTAX) from error
    group = override.key_or_group
    if group == "claim":
        raise NoEffectError("claim", "only `stackel-bench reproduce` takes claims")
    if group in group_names() and not override.is_sweep_override():
        if override.type == OverrideType.DEL:
            raise InputError(group, text, "a group that is always there", f"{group} cannot be removed")
        if not is_free(group, override.value()):
            require_option(group, override.value())
    return override


def alternatives(override: str) -> list[str]:
    """The single overrides that a sweep override stands for; itself if it sweeps over nothing."""
    parsed = parse(override)
    if not parsed.is_sweep_override():
        return [override]
    key = parsed.get_key_element()
    swept = parsed.value()
    if isinstance(swept, Glob):
        if parsed.key_or_group not in group_names():
            sentence = f"{override}: glob(...) works for {', '.join(group_names())} only"
            raise InputError(key, override, ", ".join(group_names()), sentence)
        names = [
            name
            for name in options(parsed.key_or_group)
            if any(fnmatch.fnmatch(name, pattern) for pattern in swept.include)
            and not any(fnmatch.fnmatch(name, pattern) for pattern in swept.exclude)
        ]
        if not names:
            known = options(parsed.key_or_group)
            sentence = f"{override} matches nothing; {parsed.key_or_group} is one of {', '.join(known)}"
            raise InputError(key, override, ", ".join(known), sentence)
        return [f"{key}={name}" for name in names]
    try:
        values = list(itertools.islice(parsed.sweep_string_iterator(), MOST_CELLS + 1))
    except (HydraException, ValueError, ArithmeticError) as error:  # interval, range with step 0 or nan
        raise InputError(key, override, "values that can be listed: A,B or range(START,STOP,STEP)") from error
    if not values:
        raise InputError(key, override, "at least one value")
    if len(values) > MOST_CELLS:
        raise InputError(key, override, f"at most {MOST_CELLS} values")
    return [f"{key}={value}" for value in values]


def product(overrides: Sequence[str]) -> Iterator[list[str]]:
    """All combinations of a list of overrides, the last one varying fastest."""
    choices = [alternatives(override) for override in overrides]
    number = math.prod(map(len, choices))
    if number > MOST_CELLS:
        raise InputError("number of cells", number, f"at most {MOST_CELLS} in one sweep")
    return map(list, itertools.product(*choices))


def merge_overrides(base: Iterable[str], stronger: Iterable[str]) -> list[str]:
    """Overrides of base, except for keys that stronger sets; stronger ones last."""
    stronger = list(stronger)
    keys = {parse(override).get_key_element() for override in stronger}
    return [override for override in base if parse(override).get_key_element() not in keys] + stronger


@contextlib.contextmanager
def translated(field: str, found: object) -> Iterator[None]:
    """Hydra's and OmegaConf's errors as one sentence."""
    try:
        yield
    except (HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split("full_key")[0].split())
        raise InputError(field, found, reason) from error
