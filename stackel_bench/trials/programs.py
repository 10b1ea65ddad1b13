"""Programs that are played: runs are cut into pieces, which say how far they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stackel_bench.simulation.recording import Checkpoint, PieceOverError, Recorder
from stackel_bench.trials.encoding import decode, encode

_UNFINISHED = b"unfinished:"  # what the length at the beginning of encoded findings never looks like


def plays(model: Any) -> bool:
    """Whether samples of a game, or of its part for a unit, are played by a program."""
    return hasattr(model.sampler, "recorded")


def played(
    model: Any,
    saved: Checkpoint,
    seconds: float | None,
    delta: float,
    explore: Callable[[Any, Recorder], Any],
) -> bytes:
    """What explore(sampler, recorder) returns, encoded, or the checkpoint where it was cut."""
    recorder = Recorder(saved, seconds)
    sampler = model.sampler.recorded(recorder)
    try:
        return encode(explore(sampler, recorder))
    except PieceOverError:
        saved = recorder.saved()
        certificates = sampler.certificates(saved, delta)
        return unfinished(replace(saved, certificates=certificates))
    finally:
        sampler.close()


def unfinished(saved: Checkpoint) -> bytes:
    """What a task returns that was cut there."""
    return _UNFINISHED + encode(saved)


def decode_piece(content: bytes, packages: Collection[str]) -> Any:
    """Findings or results, or the Checkpoint of a run that was cut."""
    return decode(content.removeprefix(_UNFINISHED), packages)


def is_checkpoint(content: bytes) -> bool:
    """Whether this is where a run was cut, rather than what it found."""
    return content.startswith(_UNFINISHED)


@dataclass(frozen=True)
class RunSoFar:
    """One unit and replicate of a long run that was cut, and goes on."""

    unit: int
    replicate: int
    by_action: Mapping[int, int]  # episodes or pulls of the leader actions that were played
    certificates: Mapping[int, float]  # what errors of their values are at most, where that is known
    seconds: float
    planned: int | None  # samples of the whole run; None where it stops by itself
    share: float | None = None  # of the work that is done, where samples do not tell

    @property
    def samples(self) -> int:
        """Of all leader actions."""
        return sum(self.by_action.values())

    @property
    def per_second(self) -> float:
        """Samples a second."""
        return self.samples / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Until it has what is planned, at this pace."""
        if self.share is not None:
            return self.seconds * (1 / self.share - 1)
        if self.planned is None or not self.per_second:
            return None
        return max(0.0, self.planned - self.samples) / self.per_second
