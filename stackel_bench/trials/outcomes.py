"""What a trial has found: records, tables of leader actions and metrics from the results of its blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from stackel_bench.evaluation.summary import summarise
from stackel_bench.models import TieBreaking
from stackel_bench.trials.actions import ActionTable, action_frame
from stackel_bench.trials.trial import Assignment, Outcome, Outcomes


@dataclass(frozen=True, eq=False)
class BlockResult:
    """One block, decided and judged for one tie-breaking: record columns [R,K], action columns [R,K,A]."""

    records: dict[str, np.ndarray]
    actions: ActionTable


BlockResults = list[dict[TieBreaking, BlockResult]]  # of neighbouring blocks, in order


def outcomes(assignment: Assignment, results: BlockResults) -> Outcomes:
    """Records, action tables and metrics of a trial from the results of all its blocks, in order."""
    sizes = [len(assignment.replicates_in(range(b, b + 1))) for b in range(assignment.num_blocks)]

    def outcome(tie: TieBreaking) -> Outcome:
        parts = [block[tie] for block in results]
        replicates, rungs = sum(sizes), len(assignment.schedule.samples)
        replicate, rung = np.indices((replicates, rungs))
        columns = {"replicate": replicate, "rung": rung}
        for name in dict.fromkeys(name for part in parts for name in part.records):
            absent = [np.full((size, rungs), np.nan) for size in sizes]  # a diagnostic that a block lacks
            found = [part.records.get(name, none) for part, none in zip(parts, absent, strict=True)]
            columns[name] = np.concatenate(found)
        records = pd.DataFrame({name: values.reshape(-1) for name, values in columns.items()})
        for position, name in enumerate(("leader_action", "follower_response"), 3):
            if name not in records:  # a mixed strategy, a policy: every cell has the column all the same
                records.insert(position, name, pd.Series(pd.NA, records.index, dtype="Int64"))
        actions = action_frame([part.actions for part in parts], sizes, assignment.block_size == 1)
        metrics, by_rung = summarise(records, assignment.schedule.budget.delta)
        metrics["theory_samples"] = float(assignment.schedule.theory_samples)
        drawn = by_rung[-1:] if assignment.schedule.nested else by_rung
        metrics["samples_drawn"] = float(round(sum(rung["samples"] for rung in drawn) * replicates))
        return Outcome(records, actions, metrics, tuple(by_rung))

    return {tie: outcome(tie) for tie in assignment.tie_breakings}
