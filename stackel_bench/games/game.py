"""What every game has, whatever its family."""

from __future__ import annotations

from typing import Any, Protocol

from stackel_bench.errors import InputError


class Game(Protocol):
    """What can be sampled, and perhaps a truth. Learners get the sampler, evaluation gets the truth.

    The truth is an attribute of the family's own (`table`, `mdps`, `model`), or `oracle`, an
    evaluation.oracle.Oracle; a game that has none can be learned, and nobody can say how well.
    """

    @property
    def family(self) -> str:
        """The name of the family whose learners understand the sampler."""

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


class UnknownTruthError(InputError):
    """Something was asked of a game that only its truth can answer."""

    def __init__(self, game_name: str) -> None:
        allowed = "a game whose truth is known; of this one `certificate` says what can be said"
        super().__init__("game", game_name, allowed)


def truth_of(game: Any, attribute: str) -> Any:
    """The true model of the game, which has this name in its family; an InputError if it is not known."""
    truth = getattr(game, attribute, None)
    if truth is None:
        raise UnknownTruthError(game.name)
    return truth
