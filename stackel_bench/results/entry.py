"""An entry of the journal and its line: JSON that begins with a format and a checksum of what follows."""

from __future__ import annotations

import dataclasses
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FORMAT = 2
FINISHED = "finished"
FAILED = "failed"

_BEGINNING = b'{"format":%d,"check":"%08x",'
_LENGTH = len(_BEGINNING % (FORMAT, 0))
_HEAD = re.compile(
    rb'"cell_id":"([^"\\]*)","state":"([^"\\]*)","records_digest":"([^"\\]*)","actions_digest":"([^"\\]*)"'
)


class Head(NamedTuple):
    """What has to be known of every entry of a long journal at once; the rest of a line can wait."""

    cell_id: str
    state: str
    records_digest: str
    actions_digest: str


@dataclass(frozen=True)
class Entry:
    """One finished or failed cell; a function of its id but for times, label, varying and true_values."""

    cell_id: str
    state: str  # finished or failed
    label: str  # its name among the cells of its sweep
    description: Mapping[str, Any]  # the columns that say which cell this is
    config: Mapping[str, Any]
    metrics: Mapping[str, float] = field(default_factory=dict)
    rungs: tuple[Mapping[str, float], ...] = ()
    error: str = ""
    traceback: str = ""
    busy_seconds: float = 0.0  # of one worker
    wall_seconds: float = 0.0  # from the first task of its trial to the end
    finished_at: float = 0.0
    records_digest: str = ""  # of the tables that are kept with it; empty if there is none
    actions_digest: str = ""
    varying: tuple[str, ...] = ()  # configuration keys that told it from other cells of its sweep
    true_values: Mapping[str, list[float]] = field(default_factory=dict)  # exact, for figures; of a few cells

    @property
    def head(self) -> Head:
        """What a journal knows of this entry before it reads the rest."""
        return Head(self.cell_id, self.state, self.records_digest, self.actions_digest)

    def to_line(self) -> bytes:
        """The line of this entry, without its end."""
        fields = {**self.head._asdict(), **self.__dict__}
        body = json.dumps(fields, separators=(",", ":"), allow_nan=False).encode()[1:]
        return _BEGINNING % (FORMAT, zlib.crc32(body)) + body

    @classmethod
    def from_line(cls, line: bytes) -> Entry:
        """The entry that to_line wrote; a LineError says what is wrong with any other line.

        Fields that this version does not know are left out: within a format they may only be added.
        """
        known = json.loads(b"{" + _checked_body(line))
        fields: dict[str, Any] = {name: value for name, value in known.items() if name in _NAMES}
        try:
            tuples = {name: tuple(fields.get(name, ())) for name in ("rungs", "varying")}
            return cls(**{**fields, **tuples})
        except (TypeError, KeyError) as error:
            raise LineError(None) from error


_NAMES = {each.name for each in dataclasses.fields(Entry)}


class LineError(ValueError):
    """A line that is no entry of this format; `found` is the format that it says it has, None if damaged."""

    def __init__(self, found: int | None) -> None:
        self.found = found
        super().__init__("a damaged line" if found is None else f"a line of format {found}")


def read_head(line: bytes) -> Head:
    """The head of the entry in a line, every byte of which has been checked; or a LineError."""
    found = _HEAD.match(_checked_body(line))
    return Entry.from_line(line).head if found is None else Head(*(part.decode() for part in found.groups()))


def _checked_body(line: bytes) -> bytes:
    body = line[_LENGTH:]
    if line[:_LENGTH] != _BEGINNING % (FORMAT, zlib.crc32(body)):
        raise LineError(_format_of(line))
    return body


def _format_of(line: bytes) -> int | None:
    """1, or a number above ours; None where the line is damaged or was edited."""
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    found = fields.get("format")
    if found is None:  # format 1 had neither; a damaged line of format 2 still has one of them
        return 1 if "check" not in fields and {"cell_id", "state"} <= fields.keys() else None
    return found if type(found) is int and found > FORMAT else None
