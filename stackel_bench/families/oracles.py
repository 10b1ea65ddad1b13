"""The oracle of a game: its own, or the one that its family makes of the truth."""

from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game, UnknownTruthError


def oracle_of(game: Game) -> Oracle:
    """Exact answers about this game; expensive ones are computed on demand and kept."""
    own: Oracle | None = getattr(game, "oracle", None)
    return family_of(game.family).oracle(game) if own is None else own


def oracle_if_known(game: Game) -> Oracle | None:
    """The oracle of a game whose truth is known, otherwise None."""
    try:
        return oracle_of(game)
    except UnknownTruthError:
        return None
