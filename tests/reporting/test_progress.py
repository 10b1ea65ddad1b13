"""Live progress where nobody can draw: lines come also while one piece of work takes long."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from stackel_bench.reporting.console import progress
from stackel_bench.reporting.console.progress import SweepProgress


class Output(io.StringIO):
    """Says when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def flush(self) -> None:
        super().flush()
        if self.getvalue():
            self.written.set()


def test_a_long_piece_of_work_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SILENT_SECONDS", 0.0)
    output = Output()
    with SweepProgress(Console(file=output, width=200), 3, 2, quiet=False, seconds=7200):
        assert output.written.wait(60)
    expected = "0/3 cells · 3 left · the first piece is being computed · about 60 min left · 2 workers"
    assert output.getvalue().splitlines()[0].replace("59 min", "60 min") == expected
