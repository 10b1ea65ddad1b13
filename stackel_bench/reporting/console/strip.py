"""The study's one picture on a terminal: a strip of characters per learner and tie-breaking."""

import math

from rich.text import Text

from stackel_bench.reporting.answer import Answer, Dot
from stackel_bench.results.numbers import count, small
from stackel_bench.statistics.verdicts import VACUOUS

_LEAST = 20  # columns of a strip


def strip_lines(answer: Answer, width: int) -> list[Text]:
    """An empty line, a heading with the ends of the axis, a line per game and dot; nothing without room.

    What was averaged or left out is said last.
    """
    dots = [dot for row in answer.rows for dot in row.dots]
    title = answer.title.lower() + (" (logarithmic)" if answer.counts_samples else "")
    names = max([len(title) + 2, *(len(dot.series) + 6 for dot in dots)])
    room = width - names - 10
    if room < _LEAST or len(dots) < 2:
        return []
    number = count if answer.counts_samples else small
    known = [x for dot in dots for x in (dot.value, dot.low, dot.high) if math.isfinite(x) and x > 0]
    if not known:
        return []
    low, high = (min(known), max(known)) if answer.counts_samples else (0.0, max(*known, *answer.deltas))
    ends = number(low), number(high)
    axis = f"{ends[0]}{'─' * max(1, room - len(ends[0]) - len(ends[1]))}{ends[1]}"
    lines = [Text(), Text.assemble((f"{title:<{names}}", "bold"), axis)]
    for row in answer.rows:
        lines.append(Text(row.label))
        for dot in row.dots:
            line = Text(f"    {dot.series:<{names - 4}}")
            if dot.mark == VACUOUS:
                line.append(f"{'':<{room}}  {VACUOUS}")
            else:
                line.append(_strip(dot, low, high, room, answer.counts_samples), style=dot.colour)
                line.append(f"  {dot.mark}{number(dot.value)}")
            lines.append(line)
    return [*lines, *([Text(answer.note, style="dim")] if answer.note else [])]


def _strip(dot: Dot, low: float, high: float, room: int, is_log: bool) -> str:
    """─ from end to end of the interval, ● at the number; › and ‹ where it is a limit only."""

    def place(x: float) -> int:
        share = (math.log(x / low) / math.log(high / low) if high > low else 0.5) if is_log else x / high
        return min(room - 1, max(0, round(share * (room - 1))))

    middle = place(dot.value) if dot.value > 0 or not is_log else 0
    ends = [place(x) if math.isfinite(x) and (x > 0 or not is_log) else middle for x in (dot.low, dot.high)]
    strip = [" "] * room
    strip[ends[0] : ends[1] + 1] = "─" * (ends[1] + 1 - ends[0])
    strip[middle] = {">": "›", "≤": "‹"}.get(dot.mark, "●")
    return "".join(strip)
