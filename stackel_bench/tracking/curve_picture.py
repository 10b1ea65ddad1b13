"""A cell's learning curve as a small PNG, drawn with Pillow, much faster than by matplotlib."""

import functools
import io
import math
from collections.abc import Mapping, Sequence

from PIL import Image, ImageColor, ImageDraw, ImageFont

from stackel_bench.results.colours import TIE_COLOURS, cell_colour
from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED
from stackel_bench.results.entry import Entry

_SIZE = (760, 560)
_LEFT, _RIGHT = 70, 740
_PANELS = ((60, 270), (310, 510))  # top and bottom of each
_INK, _MUTED, _GRID = "#1f2328", "#656d76", "#e3e7eb"


def curve_picture(entry: Entry) -> bytes | None:
    """Failure probability and loss against samples, with 95 % intervals; None without several budgets."""
    if len(entry.rungs) < 2:
        return None
    rungs = entry.rungs
    samples = [rung["samples"] for rung in rungs]
    image = Image.new("RGB", _SIZE, "#ffffff")
    pen = ImageDraw.Draw(image)
    colour = cell_colour(entry.description) or TIE_COLOURS["pessimistic"]
    x_axis = _LogAxis(samples)
    _write(pen, (_LEFT, 12), entry.label.replace("ε", "eps "), 17, _INK)  # no Greek in this font
    metrics = entry.metrics
    delta = float(entry.description["delta"])
    guarantee = metrics["guarantee"]
    lines = (
        ("failure_probability", "failure probability", delta, f"delta {delta:g}"),
        ("value_suboptimality", "loss", guarantee, f"allowed {guarantee:.3g}"),
    )
    for (top, bottom), (key, title, limit, words) in zip(_PANELS, lines, strict=True):
        highest = max([limit, *(rung[f"{key}_high"] for rung in rungs)]) * 1.08 or 1.0
        y_axis = functools.partial(_height, highest, top, bottom)
        _frame(pen, x_axis, top, bottom, highest, title)
        pen.line([(_LEFT, y_axis(limit)), (_RIGHT, y_axis(limit))], fill=_MUTED)
        _write(pen, (_RIGHT, y_axis(limit) - 2), words, 12, _MUTED, "rs")
        _curve(pen, rungs, key, x_axis, y_axis, colour)
        if AT_MOST in metrics and metrics[CENSORED] != 1:
            x = x_axis.place(metrics[NEEDED])
            pen.line([(x, top), (x, bottom)], fill=_INK)
            _write(pen, (x + 4, top + 2), "needed", 12, _INK)
    _write(pen, ((_LEFT + _RIGHT) / 2, _SIZE[1] - 8), "samples", 13, _INK, "ms")
    buffer = io.BytesIO()
    image.quantize(palette=_palette(colour), dither=Image.Dither.NONE).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


class _LogAxis:
    """Sample counts on a logarithmic axis from the smallest to the largest."""

    def __init__(self, values: Sequence[float]) -> None:
        self._low, self._high = math.log10(max(min(values), 1)), math.log10(max(*values, 2))

    def place(self, value: float) -> float:
        """The x of a count."""
        share = (math.log10(max(value, 1)) - self._low) / (self._high - self._low or 1.0)
        return _LEFT + 12 + share * (_RIGHT - _LEFT - 24)

    def decades(self) -> list[int]:
        """Powers of ten inside."""
        return [power for power in range(20) if self._low <= power <= self._high]


def _height(highest: float, top: int, bottom: int, value: float) -> float:
    return bottom - (bottom - top) * min(max(value / highest, 0.0), 1.0)


def _frame(
    pen: ImageDraw.ImageDraw, x_axis: _LogAxis, top: int, bottom: int, highest: float, title: str
) -> None:
    for power in x_axis.decades():
        x = x_axis.place(10.0**power)
        pen.line([(x, top), (x, bottom)], fill=_GRID)
        words = f"1e{power}" if power > 3 else f"{10**power}"
        _write(pen, (x, bottom + 16), words, 12, _INK, "ms")
    step = 10 ** math.floor(math.log10(highest))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if highest / s <= 5.5)
    for number in range(int(highest / step) + 1):
        y = _height(highest, top, bottom, number * step)
        pen.line([(_LEFT, y), (_RIGHT, y)], fill=_GRID)
        _write(pen, (_LEFT - 6, y), f"{number * step:.4g}", 12, _INK, "rm")
    pen.line([(_LEFT, top), (_LEFT, bottom), (_RIGHT, bottom)], fill=_MUTED)
    _write(pen, (_LEFT, top - 5), title, 13, _INK, "ls")


def _curve(
    pen: ImageDraw.ImageDraw,
    rungs: Sequence[Mapping[str, float]],
    key: str,
    x_axis: _LogAxis,
    y_axis: functools.partial[float],
    colour: str,
) -> None:
    places = [(x_axis.place(rung["samples"]), y_axis(rung[key])) for rung in rungs]
    for (x, y), rung in zip(places, rungs, strict=True):
        pen.line([(x, y_axis(rung[f"{key}_low"])), (x, y_axis(rung[f"{key}_high"]))], fill=colour)
        pen.ellipse([(x - 4, y - 4), (x + 4, y + 4)], fill=colour)
    pen.line(places, fill=colour, width=3, joint="curve")


@functools.cache
def _palette(colour: str) -> Image.Image:
    """The few colours of a picture with their way to white: a file of such colours is written in no time."""
    values = [255, 255, 255]
    for name in (_INK, _MUTED, _GRID, colour):
        for share in (1.0,) if name == _GRID else (0.2, 0.4, 0.6, 0.8, 1.0):
            values += [round(255 + (part - 255) * share) for part in ImageColor.getrgb(name)]
    palette = Image.new("P", (1, 1))
    palette.putpalette(values)
    return palette


def _write(
    pen: ImageDraw.ImageDraw, at: tuple[float, float], words: str, size: int, ink: str, anchor: str = "la"
) -> None:
    """Words at a place; anchor: left, middle or right of them, then top (a), middle or bottom (s)."""
    mask = _letters(words, size)
    x = at[0] - mask.width * {"l": 0, "m": 0.5, "r": 1}[anchor[0]]
    y = at[1] - mask.height * {"a": 0, "m": 0.5, "s": 1}[anchor[1]]
    pen.bitmap((round(x), round(y)), mask, fill=ink)


@functools.lru_cache(maxsize=4096)
def _letters(words: str, size: int) -> Image.Image:
    """A mask of words; most of them stand in many pictures, and drawing letters takes longest."""
    font = ImageFont.load_default(size)
    left, top, right, bottom = (round(end) for end in font.getbbox(words))
    mask = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(mask).text((-left, -top), words, fill=255, font=font)
    return mask
