"""A drawing inside a page, its colours taken from the page's light or dark set."""

import re
from html import escape

from stackel_bench.reporting.figures import canvas
from stackel_bench.results import colours

_OF_PAGE = {canvas: "INK MUTED GRID PAPER", colours: "BLUE VERMILION GREEN PURPLE ORANGE SKY"}
_VARIABLES = {
    getattr(module, name): f"var(--{name.lower()})"
    for module, names in _OF_PAGE.items()
    for name in names.split()
}
_VARIABLES |= {  # shades of learners become lighter in the dark
    shade: f"light-dark({shade}, color-mix(in srgb, {shade} 55%, white))"
    for shades in colours.SHADES.values()
    for shade in shades
    if shade not in _VARIABLES
}


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
