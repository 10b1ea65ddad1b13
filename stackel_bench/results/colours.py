"""One colour per tie-breaking and learner, the same wherever cells are drawn: hue and lightness."""

import zlib
from collections.abc import Mapping
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.families.registry import family_of

# Okabe and Ito's colours, told apart by people with any common colour blindness.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"
SERIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)

# Cold colours are pessimistic, warm ones optimistic; the first of each is the tie-breaking's own.
SHADES = {
    "pessimistic": (BLUE, SKY, "#003a5c", "#8ecae6", "#1f4e9c", "#00a0b0", "#6f8fd6", "#4b6a88"),
    "optimistic": (VERMILION, "#f0a35e", "#7a3000", "#f6c9a0", "#b33b1e", "#e0a100", "#e87a5d", "#8a5a3c"),
}
TIE_COLOURS = {tie: shades[0] for tie, shades in SHADES.items()}


def cell_colour(description: Mapping[str, Any]) -> str | None:
    """The colour of a cell, six hexadecimal digits; None where it has no tie-breaking that we know."""
    shades = SHADES.get(str(description.get("tie_breaking")))
    return shades[_rank(description) % len(shades)] if shades else None


def _rank(description: Mapping[str, Any]) -> int:
    """The learner's place in its family, again for each further explorer; by its name if it is no member."""
    learner, explorer = str(description.get("algorithm")), str(description.get("explorer") or "")
    try:
        family = family_of(str(description.get("family")))
    except InputError:  # of a plug-in that is not installed here
        return zlib.crc32(learner.encode())
    known, explorers = list(family.learners), list(family.explorers)
    place = known.index(learner) if learner in known else zlib.crc32(learner.encode())
    return place + len(known) * (explorers.index(explorer) if explorer in explorers else 0)
