"""What a trial has found: records, tables of leader actions and metrics from the results of its blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stackel_bench.evaluation.summary import summarise
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import TieBreaking
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


ActionTable = dict[str, np.ndarray]
SPREAD = ("estimated_phi", "estimated_psi")  # columns whose spread over replicates is kept as well


def action_columns(decisions: Decisions, num_leader_actions: int) -> ActionTable:
    """Columns [R,K,A]: whether (or with what probability) each action was chosen, and what is known of it."""
    if decisions.leader_strategy is not None:
        chosen = decisions.leader_strategy
    else:
        assert decisions.leader_action is not None
        chosen = (decisions.leader_action[..., None] == np.arange(num_leader_actions)).astype(np.float64)
    return {"chosen": chosen, **{name: np.asarray(values) for name, values in decisions.actions.items()}}


def averaged(columns: ActionTable) -> ActionTable:
    """Columns [1,K,A] of means over a block's replicates; NAME_m2 is the sum of squared deviations."""
    means: ActionTable = {}
    for name, values in columns.items():
        means[name] = values.mean(axis=0, keepdims=True)
        if name in SPREAD:
            means[f"{name}_m2"] = ((values - means[name]) ** 2).sum(axis=0, keepdims=True)
    return means


def action_frame(blocks: Sequence[ActionTable], sizes: Sequence[int], per_replicate: bool) -> pd.DataFrame:
    """One row per rung and leader action (and replicate) from the tables of all blocks, in order.

    Where episodes are played, every replicate keeps its own row: exploring a leader action is a job of its
    own, and jobs differ. Table games keep mean and spread over replicates, which are many and alike.
    """
    if per_replicate:
        table = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    else:
        table = _merged(blocks, sizes)
    replicates, rungs, actions = table["chosen"].shape
    replicate, rung, action = (axis.reshape(-1) for axis in np.indices((replicates, rungs, actions)))
    columns = {"replicate": replicate} if per_replicate else {}
    columns |= {"rung": rung, "action": action}
    return pd.DataFrame(columns | {name: values.reshape(-1) for name, values in table.items()})


def _merged(blocks: Sequence[ActionTable], sizes: Sequence[int]) -> ActionTable:
    """Means and standard deviations over all blocks, merged in their order (Chan et al. 1983)."""
    count, merged = sizes[0], dict(blocks[0])
    for block, size in zip(blocks[1:], sizes[1:], strict=True):
        total = count + size
        for name in (name for name in blocks[0] if not name.endswith("_m2")):
            difference = block[name] - merged[name]
            merged[name] = merged[name] + difference * (size / total)
            if name in SPREAD:
                grown = difference**2 * (count * size / total)
                merged[f"{name}_m2"] = merged[f"{name}_m2"] + block[f"{name}_m2"] + grown
        count = total
    for name in SPREAD:
        if f"{name}_m2" in merged:
            spread = np.sqrt(merged.pop(f"{name}_m2") / max(1, count - 1))
            merged[f"{name}_std"] = spread
    return merged
