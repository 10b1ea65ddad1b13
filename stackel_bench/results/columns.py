"""Every column and number that is shown anywhere, read from columns.txt, and where it is shown."""

import fnmatch
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from stackel_bench.families.sizes import SIZES

# Where a number is shown: results.csv, results.parquet and cells of Results (results), its other frames, the
# table of the terminal and of the report, MLflow's metrics and tags.
PLACES = {
    "results": "results, `cells`",
    "rung": "`rungs`",
    "replicate": "`records`",
    "action": "`actions`",
    "terminal": "terminal",
    "report": "report",
    "mlflow": "MLflow metric",
    "tag": "MLflow tag",
}

# Names that change together with how samples needed are estimated; everybody reads them from here.
NEEDED = "sample_complexity"
NEEDED_LOW = "samples_needed_low"
NEEDED_HIGH = "samples_needed_high"
NEEDED_INTERVAL = "samples_needed_interval"
CENSORED = "censored"
AT_MOST = "at_most"


@dataclass(frozen=True)
class Column:
    """A number or word, in one sentence that a stranger understands; a name with * stands for several."""

    name: str
    unit: str
    shown: frozenset[str]
    better: str  # lower, higher, or neither
    heading: str  # the name, or what a table on the screen has room for
    definition: str


def _read(text: str) -> Iterator[Column]:
    """The columns of a text: fields with | between them, a line each; indented lines continue one."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in "\n".join(lines).replace("\n  ", " ").splitlines():
        name, unit, places, better, heading, definition = map(str.strip, line.split("|"))
        meanings = {name: definition}
        if name == "sizes":
            meanings = {size: SIZES[size].definition for size in SIZES}
        for each, meaning in meanings.items():
            yield Column(each, unit, frozenset(places.split()), better, heading or each, meaning)


COLUMNS = tuple(_read(resources.files(__package__).joinpath("columns.txt").read_text("utf-8")))
_BY_NAME = {column.name: column for column in COLUMNS}
_PATTERNS = tuple(column for column in COLUMNS if "*" in column.name)
_POSITIONS = {column.name: position for position, column in enumerate(COLUMNS)}

# Configuration keys whose value has a column with a shorter name.
SHORT_COLUMNS = {
    **{"game.name": "game", "algorithm.name": "algorithm", "algorithm.explorer": "explorer"},
    **{"budget.kind": "budget", "budget.epsilon": "epsilon", "budget.delta": "delta"},
    **{name: name for name in ("tie_breaking", "replicates", "seed")},
    **{f"game.{name}": name for name in SIZES},
}


def lookup(name: str) -> Column:
    """The definition of a column; a KeyError where there is none."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    for column in _PATTERNS:
        if fnmatch.fnmatchcase(name, column.name):
            return column
    raise KeyError(name)


def heading(name: str) -> str:
    """The column's name in tables on the screen."""
    return lookup(name).heading


def ordered(names: Iterable[str]) -> list[str]:
    """The names in the order of the table; those of one pattern as they come, unknown ones last."""

    def position(name: str) -> int:
        try:
            return _POSITIONS[lookup(name).name]
        except KeyError:
            return len(COLUMNS)

    return sorted(names, key=position)


def shown_in(place: str) -> tuple[Column, ...]:
    """The columns that are shown in a place."""
    assert place in PLACES
    return tuple(column for column in COLUMNS if place in column.shown)


PAGE = Path(__file__).parents[2] / "docs" / "results.md"
_BEGIN, _END = "<!-- columns -->\n", "<!-- end of columns -->"


def with_table(page: str) -> str:
    """The page with the table between its two marks made again."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    assert after, "the page has lost its marks"
    return f"{before}{_BEGIN}\n{markdown()}\n\n{_END}{after}"


def markdown() -> str:
    """The table of all columns for the docs."""
    lines = ["| column | unit | meaning | where |", "|---|---|---|---|"]
    for column in COLUMNS:
        where = ", ".join(text for place, text in PLACES.items() if place in column.shown)
        better = f" ({column.better} is better)" if column.better else ""
        lines.append(f"| `{column.name}` | {column.unit} | {column.definition}{better} | {where} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
