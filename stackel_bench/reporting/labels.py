"""What tables and figures call the cells of a sweep."""

import re
from collections.abc import Hashable, Iterable

import pandas as pd

from stackel_bench.results.entry import Entry
from stackel_bench.results.names import cell_names
from stackel_bench.results.varying import FlatConfigs, flat_items

_INSTANCE = re.compile(r" (game\.instance_seed|instance)=\S+")


def label_cells(entries: Iterable[Entry], flat: FlatConfigs | None = None) -> pd.DataFrame:
    """cell_id, instance (game), game_label (whatever its random instance), learner (with settings), pair.

    pair is equal for cells that differ in their tie-breaking alone: they saw the same samples.
    """
    entries = list(entries)
    flat = flat or FlatConfigs(entries)
    names, pairs = cell_names(entries, flat), dict[Hashable, int]()
    rows = [
        {
            "cell_id": entry.cell_id,
            "instance": names[entry.cell_id].instance,
            "game_label": _INSTANCE.sub("", names[entry.cell_id].instance),
            "learner": names[entry.cell_id].learner,
            "pair": pairs.setdefault(flat.but(entry.cell_id, "tie_breaking"), len(pairs)),
        }
        for entry in entries
    ]
    return pd.DataFrame(rows, columns=["cell_id", "instance", "game_label", "learner", "pair"])


def in_words(entry: Entry) -> str:
    """The cell as one says it: learner, game, tie-breaking, accuracy, and what else tells it from others."""
    what, own = entry.description, dict(flat_items(entry.config))
    learner = f"{what['algorithm']} ({what['explorer']})" if what.get("explorer") else what["algorithm"]
    said = ("game.name", "algorithm.name", "algorithm.explorer", "budget.epsilon", "tie_breaking")
    more = [f", {key}={own[key]}" for key in entry.varying if key in own and key not in said]
    place = f"{what['game']}, {what['tie_breaking']} tie-breaking, eps {what['epsilon']:g}"
    return f"{learner} on {place}{''.join(more)}"
