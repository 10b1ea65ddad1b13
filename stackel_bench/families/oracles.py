"""What the truth says of a game: its oracle, own or made by the family, and its lower bound."""

from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game, UnknownTruthError
from stackel_bench.models import TieBreaking


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


def lower_bound_samples(game: Game, epsilon: float, delta: float, tie_breaking: TieBreaking) -> float | None:
    """Samples below which sound learners fail on this very game, where its family knows them."""
    compute = family_of(game.family).instance_bound
    assert compute is not None
    found = compute(game, epsilon, tie_breaking)
    samples: float | None = None if found is None else found.samples(delta)
    return samples
