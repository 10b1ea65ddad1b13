"""Small sweeps for the tests: a real one, and made-up ones with failed, censored and missing cells."""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stackel_bench.evaluation.summary import summarise
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal

RUNGS = (100, 400, 1600)


def make_entry(cell_id: str, *, state: str = "finished", theory: float = 1600.0, **changes: Any) -> Entry:
    """An entry of a bandit cell; changes go to description and config."""
    values: dict[str, Any] = {
        "game": "bandit/trap",
        "algorithm": "paper",
        "tie_breaking": "pessimistic",
        "epsilon": 0.1,
        "delta": 0.05,
        "replicates": 60,
        "num_leader_actions": 5,
        "budget": "ladder",
        "instance_seed": 0,
        **changes,
    }
    description = {
        "cell_id": cell_id,
        "family": values["game"].split("/")[0],
        "game": values["game"],
        "algorithm": values["algorithm"],
        "explorer": "",
        "tie_breaking": values["tie_breaking"],
        "budget": values["budget"],
        "epsilon": values["epsilon"],
        "delta": values["delta"],
        "replicates": values["replicates"],
        "seed": 0,
        "num_leader_actions": values["num_leader_actions"],
        "num_follower_actions": 2,
    }
    config = {
        "game": {
            "name": values["game"],
            "num_risky": values["num_leader_actions"] - 1,
            "instance_seed": values["instance_seed"],
        },
        "algorithm": {"name": values["algorithm"], "explorer": None},
        "budget": {"kind": values["budget"], "epsilon": values["epsilon"], "delta": values["delta"]},
        "replicates": values["replicates"],
        "seed": 0,
        "tie_breaking": values["tie_breaking"],
    }
    label = f"{values['game']} · {values['algorithm']} · {values['tie_breaking']} · eps {values['epsilon']:g}"
    error = "ArithmeticError: made to fail" if state == "failed" else ""
    return Entry(cell_id, state, label, description, config, error=error, metrics={"theory_samples": theory})


def make_records(
    failures: Sequence[int], replicates: int, seed: int = 0, samples: ArrayLike = RUNGS
) -> pd.DataFrame:
    """Records in which the first failures[k] replicates fail at rung k; losses are random.

    samples are [rung] or [replicate, rung].
    """
    rng = np.random.default_rng(seed)
    rows = []
    for replicate, used in enumerate(np.broadcast_to(samples, (replicates, len(failures)))):
        for rung, number in enumerate(used):
            held = replicate >= failures[rung]
            loss = 0.0 if held else float(rng.uniform(0.2, 0.6))
            rows.append(
                {
                    "replicate": replicate,
                    "rung": rung,
                    "samples": number,
                    "leader_action": 0,
                    "value_suboptimality": loss,
                    "follower_suboptimality": 0.0,
                    "gap": 0.0,
                    "guarantee": 0.1,
                    "largest_loss": 0.75,
                    "loss_guarantee_held": held,
                    "follower_guarantee_held": True,
                    "guarantee_held": held,
                    "vacuous": False,
                }
            )
    return pd.DataFrame(rows)


def write_cell(journal: Journal, entry: Entry, records: pd.DataFrame) -> None:
    """Finish a cell as the driver would."""
    metrics, rungs = summarise(records, entry.description["delta"])
    drawn = {"samples_drawn": float(records.groupby("replicate")["samples"].max().sum())}
    fields = {**entry.__dict__, "metrics": {**metrics, **drawn, **entry.metrics}, "rungs": tuple(rungs)}
    journal.commit([(Entry(**fields), records, None)])


def troubled_sweep(folder: Path) -> SweepResults:
    """Four finished cells (one of them censored), one failed cell, two that are not there yet."""
    folder = folder / "sweeps" / "troubled-0123456789ab"
    folder.mkdir(parents=True)
    journal = Journal(folder)
    cells = (
        ("aaaa", {"tie_breaking": "pessimistic"}, (40, 6, 0)),
        ("bbbb", {"tie_breaking": "optimistic"}, (20, 0, 0)),
        ("cccc", {"tie_breaking": "pessimistic", "algorithm": "plug_in"}, (55, 50, 45)),
        ("dddd", {"tie_breaking": "optimistic", "algorithm": "plug_in"}, (10, 4, 3)),
    )
    for seed, (cell_id, changes, failures) in enumerate(cells):
        write_cell(journal, make_entry(cell_id, **changes), make_records(failures, 60, seed))
    journal.commit([(make_entry("eeee", state="failed", epsilon=0.2), None, None)])
    known = {
        "study": "troubled",
        "question": "What if <things> go wrong?",
        "planned": 7,
        "command": "made up",
    }
    return read_sweep(folder, ["aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg"], **known)


@functools.cache
def real_sweep() -> Path:
    """The output folder of a real, small sweep without tracking; made once per process."""
    output = Path(tempfile.mkdtemp(prefix="stackel-report-"))
    words = (
        "game=bandit/trap,bandit/random game.noise=bernoulli algorithm=paper,plug_in budget=ladder "
        "budget.rungs=5 budget.epsilon=0.2 tie_breaking=pessimistic,optimistic replicates=60 "
        "study.name=real execution=serial tracking=off"
    )
    program = Path(sys.executable).parent / "stackel-bench"
    subprocess.run([program, "sweep", *words.split(), f"output={output}"], check=True, capture_output=True)
    return output
