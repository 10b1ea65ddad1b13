"""Which cells are known to be complete in an MLflow store, remembered locally so that nobody has to ask."""

from __future__ import annotations

import hashlib
from pathlib import Path

from stackel_bench.results import files


class Ledger:
    """One file per store, one cell id per line; a torn line is an id that is asked for again."""

    def __init__(self, folder: Path, store_identity: str) -> None:
        digest = hashlib.sha256(store_identity.encode()).hexdigest()[:12]
        self._path = folder / files.ledger(digest)
        text = self._path.read_text("utf-8", "replace") if self._path.exists() else ""
        self._torn = bool(text) and not text.endswith("\n")
        self.cell_ids = {line for line in text.split("\n")[:-1] if line}

    def add(self, *cell_ids: str) -> None:
        """Remember that the runs of these cells are complete."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(("\n" if self._torn else "") + "".join(f"{cell_id}\n" for cell_id in cell_ids))
        self._torn = False
        self.cell_ids.update(cell_ids)
