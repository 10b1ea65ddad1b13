"""Long runs in pieces: what was played is kept, so that a run can end anywhere and be taken up elsewhere.

A run is a deterministic function of its key and of what its samples were. So a checkpoint is the answers that
its source gave so far: the next piece asks the same questions again, gets the first ones answered from the
checkpoint without playing, and goes on where the last piece was cut. Nobody but the source knows of it.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_REPLAY_SHARE = 20.0  # a piece lasts so many times what taking up the run took, so that little is lost ...
_LONGEST = 4.0  # ... but at most so many times what was asked for


class PieceOverError(Exception):
    """The piece has had its time; the recorder has all that the next one needs."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Where a run was cut: answers of finished calls, and what the call in work has done so far.

    Where samples are simulated, the answers are the findings of finished rungs.
    """

    answers: tuple[Any, ...] = ()
    partial: Any = None
    samples: Mapping[int, int] = field(default_factory=dict)  # episodes or pulls so far, by leader action
    seconds: float = 0.0  # that they took
    memory: Mapping[Any, Any] = field(default_factory=dict)  # whatever else sources must not forget
    certificates: Mapping[int, float] = field(default_factory=dict)  # errors that are left, where known
    share: float | None = None  # of the work that is done, where samples do not tell


@dataclass(eq=False)
class Recorder:
    """Answers calls that earlier pieces have made, keeps those of this one, and says when it is over.

    seconds is the time of a piece, None for a run that nobody cuts.
    """

    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    seconds: float | None = None

    def __post_init__(self) -> None:
        self._answers = list(self.checkpoint.answers)
        self._next = 0
        self._began = time.perf_counter()
        self._deadline: float | None = None
        self.partial = self.checkpoint.partial
        self.samples = Counter(self.checkpoint.samples)  # by leader action
        self.memory = dict(self.checkpoint.memory)

    @property
    def answered(self) -> bool:
        """Whether the next call was made by an earlier piece already."""
        return self._next < len(self._answers)

    def answer(self) -> Any:
        """What the next call returned when it was made."""
        self._next += 1
        return self._answers[self._next - 1]

    def add(self, answer: Any) -> None:
        """Keep the answer of a call that was made now."""
        self.partial = None
        self._answers.append(answer)
        self._next += 1

    def over(self) -> bool:
        """Whether this piece has had its time; asked between two samples."""
        if self.seconds is None:
            return False
        now = time.perf_counter()
        if self._deadline is None:  # the first sample of this piece: whatever went before was taking up
            replay = now - self._began if self._next else 0.0
            self._deadline = now + min(max(self.seconds, _REPLAY_SHARE * replay), _LONGEST * self.seconds)
        return now > self._deadline

    def cut(self, partial: Any) -> None:
        """End the piece; partial is what the call in work has done."""
        self.partial = partial
        raise PieceOverError

    def saved(self) -> Checkpoint:
        """What the next piece starts from."""
        seconds = self.checkpoint.seconds + time.perf_counter() - self._began
        return Checkpoint(tuple(self._answers), self.partial, dict(self.samples), seconds, self.memory)
