"""Notebooks as pages of the documentation: mkdocs calls these hooks, tests read the same Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def as_markdown(notebook: Path) -> str:
    """The text of a notebook; code cells are blocks, what they print stands below them."""
    parts = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            printed = "\n".join(map(printed_text, cell["outputs"]))
            parts.append(f"```python\n{source}\n```")
            parts += [f"```text\n{printed}\n```"] if printed else []
    return "\n\n".join(parts) + "\n"


def printed_text(output: dict[str, Any]) -> str:
    """What an output shows as plain text; what is shown otherwise, progress and figures, is left out."""
    return "".join(output["data"]["text/plain"]) if output["output_type"] == "execute_result" else ""


def on_files(files: Any, config: Any) -> Any:
    """Add one page for each notebook."""
    from mkdocs.structure.files import File

    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        text = as_markdown(Path(notebook.abs_src_path))
        files.append(File.generated(config, notebook.src_uri.replace(".ipynb", ".md"), content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to a notebook lead to its page."""
    return markdown.replace(".ipynb)", ".md)")
