"""Keys that were typed and that no cell reads: a user who set them believes that they count."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from stackel_bench.config.compose import parse
from stackel_bench.errors import InputError
from stackel_bench.learners.budget import READ_BY
from stackel_bench.models import TieBreaking
from stackel_bench.sweep.cell import Cell


def require_used(overrides: Sequence[str], cells: Collection[Cell]) -> None:
    """Raise an InputError for a key of the command line that changes none of these cells.

    What a study's grid sets is not meant: a command line may replace the part that reads it.
    """
    typed = {override.key_or_group: override for override in map(parse, overrides)}
    kinds = {cell.config["budget"]["kind"] for cell in cells}
    for name, readers in READ_BY.items():
        key = f"budget.{name}"
        if key in typed and typed[key].value() is not None and kinds.isdisjoint(readers):
            allowed = f"nothing here: only budget={' and budget='.join(readers)} read it"
            raise InputError(key, typed[key].value(), allowed)
    printed = "algorithm.printed_lp"
    if printed in typed and all(cell.tie_breaking is TieBreaking.PESSIMISTIC for cell in cells):
        allowed = "nothing here: the printed LP is the optimistic one (tie_breaking=optimistic)"
        raise InputError(printed, typed[printed].value(), allowed)
