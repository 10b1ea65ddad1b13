"""The journal at scale: cells committed, loaded, checked and read, beside one file per cell.

Usage: python benchmarks/journal.py [CELLS ...], default 2000 20000. Prints the table of benchmarks/README.md.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.results.entry import Entry
from stackel_bench.results.files import write_atomically
from stackel_bench.results.journal import Journal

REPLICATES = 200
BUNDLE = 2  # cells of one trial: both tie-breakings
RNG = np.random.default_rng(0)


def records() -> pd.DataFrame:
    """As a bandit cell with one rung has them."""
    values = RNG.random(5)
    held = RNG.random(REPLICATES) < 0.9
    return pd.DataFrame(
        {
            "replicate": np.arange(REPLICATES),
            "rung": 0,
            "samples": 100_000,
            "leader_action": RNG.integers(0, 5, REPLICATES),
            "follower_response": RNG.integers(0, 5, REPLICATES),
            "estimated_value": RNG.random(REPLICATES),
            "value": RNG.choice(values, REPLICATES),
            "value_suboptimality": RNG.choice(values, REPLICATES),
            "follower_suboptimality": RNG.choice(values, REPLICATES),
            "gap": 0.1,
            "guarantee": 0.2,
            "loss_guarantee_held": held,
            "follower_guarantee_held": True,
            "guarantee_held": held,
        }
    )


def entry(number: int) -> Entry:
    """Of the usual length, 1.9 kB."""
    return Entry(
        cell_id=f"{number:016x}",
        state="finished",
        label=f"bandit/random · paper · pessimistic · eps 0.1 ({number})",
        description={"cell_id": f"{number:016x}", **{f"description_{k}": f"value {k}" for k in range(12)}},
        config={"game": {f"g{k}": k / 10 for k in range(8)}, "algorithm": dict.fromkeys("abcdefgh")},
        metrics={f"metric_of_this_cell_{k}": RNG.random() for k in range(16)},
        rungs=({f"metric_of_this_cell_{k}": RNG.random() for k in range(14)},),
        busy_seconds=0.01,
        finished_at=time.time(),
    )


def cpu(work: Callable[[], Any], repeats: int = 1) -> float:
    """Least CPU seconds of some repeats."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def segments(folder: Path, cells: int, tables: list[pd.DataFrame]) -> list[str]:
    journal = Journal(folder)
    entries = [entry(number) for number in range(cells)]

    def write() -> None:
        for start in range(0, cells, BUNDLE):
            bundle = range(start, min(cells, start + BUNDLE))
            journal.commit([(entries[n], tables[n % len(tables)], None) for n in bundle])

    writing = cpu(write)
    load = cpu(lambda: Journal(folder), 5)
    entries_too = cpu(lambda: list(Journal(folder).entries.values()), 3)
    check = cpu(lambda: Journal(folder).repair(), 3) - load
    some = random.Random(0).sample([one.cell_id for one in entries], 200)
    fresh = Journal(folder)
    read = cpu(lambda: [fresh.read_records(cell_id) for cell_id in some]) / 200
    whole = cpu(lambda: pd.read_parquet(folder / "records"))
    return [
        f"{1e3 * writing / cells:.2f}",
        *size(folder),
        f"{load:.2f}",
        f"{entries_too:.2f}",
        f"{check:.2f}",
        f"{1e3 * read:.1f}",
        f"{whole:.1f}",
    ]


def one_file_each(folder: Path, cells: int, tables: list[pd.DataFrame]) -> list[str]:
    """The first format: a Parquet file per cell, lines without checksum; what is loaded is looked at."""
    lines = [json.dumps(entry(number).__dict__).encode() + b"\n" for number in range(cells)]

    def write() -> None:
        for number, line in enumerate(lines):
            buffer = io.BytesIO()
            tables[number % len(tables)].to_parquet(buffer, index=False, compression="zstd")
            write_atomically(folder / "records" / f"{number:016x}.parquet", buffer.getvalue())
            with (folder / "journal.jsonl").open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())

    def load() -> None:
        for line in (folder / "journal.jsonl").read_bytes().splitlines():
            with (folder / "records" / f"{json.loads(line)['cell_id']}.parquet").open("rb") as file:
                file.seek(-4, os.SEEK_END)
                assert file.read() == b"PAR1"

    writing, loading = cpu(write), cpu(load, 3)
    some = random.Random(0).sample(range(cells), 200)
    read = cpu(lambda: [pd.read_parquet(folder / "records" / f"{n:016x}.parquet") for n in some]) / 200
    whole = cpu(lambda: pd.read_parquet(folder / "records"))
    return [
        f"{1e3 * writing / cells:.2f}",
        *size(folder),
        f"{loading:.2f}",
        f"{loading:.2f}",
        "-",
        f"{1e3 * read:.1f}",
        f"{whole:.1f}",
    ]


def size(folder: Path) -> list[str]:
    """Files, MB of records, MB of the journal."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in paths if path.suffix == ".parquet") / 1e6
    return [f"{len(paths):,}", f"{megabytes:.0f}", f"{(folder / 'journal.jsonl').stat().st_size / 1e6:.0f}"]


def main() -> None:
    tables = [records() for _ in range(100)]
    titles = ["cells", "kept as", "commit, ms per cell", "files", "records, MB", "journal, MB", "load, s"]
    titles += ["and all entries, s", "check of every byte, s", "one cell, ms", "all by pandas, s"]
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    for cells in [int(word) for word in sys.argv[1:]] or [2_000, 20_000]:
        for name, measure in (("one file per cell", one_file_each), ("segments", segments)):
            with tempfile.TemporaryDirectory() as folder:
                row = measure(Path(folder), cells, tables)
            print("| " + " | ".join([f"{cells:,}", name, *row]) + " |", flush=True)


if __name__ == "__main__":
    main()
