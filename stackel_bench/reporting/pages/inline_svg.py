"""A drawing inside a page, its colours taken from the page's light or dark set."""

from __future__ import annotations

import re
from html import escape

from stackel_bench.reporting.figures import canvas

_COLOURS = ("INK", "MUTED", "GRID", "PAPER", "BLUE", "VERMILION", "GREEN", "PURPLE", "ORANGE", "SKY")
_VARIABLES = {getattr(canvas, name): f"var(--{name.lower()})" for name in _COLOURS}


def inline_svg(svg: bytes, label: str) -> str:
    """The svg element of a file, without its prologue, as wide as the page allows."""
    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<title>.*?</title>", "", text, count=1, flags=re.DOTALL)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    opening = text[: text.index(">") + 1]
    attributes = dict(re.findall(r'([\w:]+)="([^"]*)"', opening))
    width = round(float(attributes["width"].removesuffix("pt")) * 4 / 3 * 1.2)
    replaced = (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="{attributes["viewBox"]}" '
        f'style="max-width: {width}px" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return replaced + text.removeprefix(opening)
