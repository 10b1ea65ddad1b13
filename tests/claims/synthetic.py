"""Cells with invented records, so that statistics can be held against numbers that are known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from stackel_bench.claims.evidence import CellEvidence
from stackel_bench.results.entry import Entry


def cell(
    failed: np.ndarray,
    *,
    samples: np.ndarray | None = None,
    settings: dict[str, float] | None = None,
    metrics: dict[str, float] | None = None,
    columns: dict[str, np.ndarray] | None = None,
    algorithm: str = "paper",
) -> CellEvidence:
    """A cell with failures [replicate, rung] (or [replicate]) and sample counts [rung] or [replicate]."""
    table = np.asarray(failed, dtype=bool)
    table = table[:, None] if table.ndim == 1 else table
    replicates, rungs = table.shape
    counts = np.full(rungs, 100.0) if samples is None else np.asarray(samples, dtype=float)
    frames = []
    for rung in range(rungs):
        held = ~table[:, rung]
        frames.append(
            pd.DataFrame(
                {
                    "replicate": range(replicates),
                    "rung": rung,
                    "samples": counts[rung] if len(counts) == rungs else counts,
                    "value_suboptimality": np.where(held, 0.0, 0.5),
                    "gap": 0.1,
                    "guarantee_held": held,
                    "loss_guarantee_held": held,
                    "follower_guarantee_held": True,
                    **(columns or {}),
                }
            )
        )
    records = pd.concat(frames, ignore_index=True)
    config = {
        "game": {"name": "bandit/trap", **(settings or {})},
        "algorithm": {"name": algorithm},
        "budget": {"epsilon": 0.1, "kind": "ladder"},
        "tie_breaking": "pessimistic",
    }
    identity = f"{algorithm}-{sorted((settings or {}).items())}"
    sizes = {"num_leader_actions": 2, "num_follower_actions": 3}
    entry = Entry(identity, "finished", identity, sizes, config, metrics or {"theory_samples": 1000.0})
    return CellEvidence(entry, lambda _: records)
