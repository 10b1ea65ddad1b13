"""Texts made from the templates in this folder: HTML is escaped, Markdown is not."""

import functools
import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["anchor", "fill", "markdown_row"]


def fill(template: str, **values: Any) -> str:
    """The template with these values in it; an unknown name is an error."""
    return _environment().get_template(f"{template}.jinja").render(values)


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__name__, ""),
        autoescape=lambda name: name is not None and name.endswith(".html.jinja"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["anchor"] = anchor
    environment.filters["markdown_row"] = markdown_row
    return environment


def anchor(title: str) -> str:
    """The id of a section."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def markdown_row(cells: list[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
