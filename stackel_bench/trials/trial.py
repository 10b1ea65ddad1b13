"""A trial: a learner on a game, repeated; and the light part of it that travels with every task."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from stackel_bench.games.game import Game
from stackel_bench.learners.learner import Learner, Schedule, StreamKey, block_key
from stackel_bench.models import TieBreaking
from stackel_bench.outside.code import Code
from stackel_bench.text import printable


@dataclass(frozen=True, eq=False)
class Assignment:
    """What a worker must know beside the game itself."""

    game_name: str
    game_identity: str
    learner: Learner
    schedule: Schedule
    tie_breakings: tuple[TieBreaking, ...]  # one exploration serves all of them
    replicates: int
    seed: int
    block_size: int  # replicates that share a random stream
    packages: frozenset[str] = frozenset()  # whose classes may stand in findings, beside this package's

    @property
    def num_blocks(self) -> int:
        """Blocks of replicates; the last one may be partial."""
        return -(-self.replicates // self.block_size)

    def replicates_in(self, blocks: range) -> range:
        """The replicates of some neighbouring blocks."""
        return range(blocks.start * self.block_size, min(blocks.stop * self.block_size, self.replicates))

    def key(self, block: int) -> StreamKey:
        """The key of a block's random streams."""
        return block_key(self.seed, self.game_identity, block)


@dataclass(frozen=True, eq=False)
class Trial:
    """A learner on a game, repeated."""

    game: Game
    learner: Learner
    schedule: Schedule
    tie_breakings: tuple[TieBreaking, ...]
    replicates: int
    seed: int
    code: Code = field(default_factory=Code)  # from outside, that game and learner rest on

    @property
    def kind(self) -> tuple[str, ...]:
        """Trials of one kind cost alike, up to the sizes that their schedules know of."""
        explorer = getattr(self.learner, "explorer", "")
        name = explorer if isinstance(explorer, str) else getattr(explorer, "name", "")
        return self.game.family, self.learner.name, name

    @property
    def assignment(self) -> Assignment:
        """The trial without its game."""
        return Assignment(
            self.game.name,
            self.game.identity,
            self.learner,
            self.schedule,
            self.tie_breakings,
            self.replicates,
            self.seed,
            self.game.sampler.block_size,
            frozenset({type(self.learner).__module__.partition(".")[0], *self.code.modules}),
        )

    @property
    def samples_at_most(self) -> int:
        """Samples that all replicates draw if none of them stops early."""
        runs = 1 if self.schedule.shared else len(self.tie_breakings)
        return self.replicates * self.schedule.drawn_at_most * runs


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is kept of a trial for one tie-breaking: its records and the numbers made of them."""

    records: pd.DataFrame  # one row per replicate and rung
    actions: pd.DataFrame  # one row per rung and leader action, where episodes are played also per replicate
    metrics: Mapping[str, float]
    rungs: tuple[Mapping[str, float], ...]


Outcomes = dict[TieBreaking, Outcome]


@dataclass(frozen=True)
class Failure:
    """A trial that raised, with its traceback."""

    message: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """The failure that this exception is."""
        return cls(printable(f"{type(error).__name__}: {error}"), "".join(traceback.format_exception(error)))
