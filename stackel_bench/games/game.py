"""What every game has, whatever its family."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

FAMILIES = ("bandit", "bandit_rl", "linear", "simultaneous")


class Game(Protocol):
    """A true model and noise. Learners get the sampler, evaluation gets the truth."""

    family: ClassVar[str]

    @property
    def name(self) -> str:
        """`family/instance`, as in `game=family/instance`."""

    @property
    def identity(self) -> str:
        """Digest of the content: same identity, same game."""

    @property
    def sampler(self) -> Any:
        """Sampling access for learners, of the family's own type.

        It says how many replicates share a random stream (block_size) and whether exploring one unit is worth
        a task of its own (job_per_unit); then the game has `only(unit)`: what exploring that unit needs.
        """

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
