"""What a learner decides: one decision, or those of a whole block of replicates as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.learners.guarantee import NOTHING, Guarantee
from stackel_bench.models import TieBreaking
from stackel_bench.text import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class Decision(ShortRepr):
    """What a learner returns: a commitment, the response it expects, and what it paid for knowing it."""

    tie_breaking: TieBreaking
    leader_action: int | None  # finite-leader families
    leader_strategy: np.ndarray | None  # simultaneous games
    follower_response: int | np.ndarray  # an action, or a Markov policy [H,S,B]
    estimated_value: float
    samples: int
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    actions: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)  # per leader action: [A] each
    guarantee: Guarantee = field(default=NOTHING, repr=False)  # what it is judged by


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions of some replicates at every rung of their budget: arrays [replicate, rung, ...].

    The fields are those of Decision; exactly one of leader_action and leader_strategy is there.
    """

    tie_breaking: TieBreaking
    leader_action: np.ndarray | None  # int [R,K]
    leader_strategy: np.ndarray | None  # [R,K,A]
    follower_response: np.ndarray  # int [R,K], or policies [R,K,H,S,B]
    estimated_value: np.ndarray  # [R,K]
    samples: np.ndarray  # int [R,K]
    diagnostics: Mapping[str, np.ndarray] = field(default_factory=dict)  # [R,K] each, nan where there is none
    actions: Mapping[str, np.ndarray] = field(default_factory=dict)  # [R,K,A] each
    guarantee: Guarantee = NOTHING

    @classmethod
    def of(cls, decisions: Sequence[Sequence[Decision]]) -> Decisions:
        """The arrays of single decisions [replicate][rung]; an InputError where they make none."""

        def table(name: str, what: str, kinds: str = "iuf", axes: int | None = None) -> np.ndarray:
            values = [[getattr(decision, name) for decision in rungs] for rungs in decisions]
            return _array(f"decision.{name}", values, what, kinds, axes)

        def tables(name: str, missing: object, axes: int) -> dict[str, np.ndarray]:
            found = [[getattr(decision, name) for decision in rungs] for rungs in decisions]
            for known in (known for rungs in found for known in rungs if not isinstance(known, Mapping)):
                raise InputError(f"decision.{name}", known, "numbers by name")
            what = "a number for each leader action" if axes == 3 else "a number"
            return {
                key: _array(
                    f"decision.{name}[{key!r}]",
                    [[known.get(key, missing) for known in rungs] for rungs in found],
                    *(what, "iufb", axes),
                )
                for key in dict.fromkeys(key for rungs in found for known in rungs for key in known)
            }

        first = decisions[0][0]
        whole = ("a whole number", "iu", 2)
        return cls(
            tie_breaking=first.tie_breaking,
            leader_action=None if first.leader_action is None else table("leader_action", *whole),
            leader_strategy=None
            if first.leader_strategy is None
            else table("leader_strategy", "an array of probabilities", "iuf", 3),
            follower_response=table("follower_response", "an action, or probabilities of actions"),
            estimated_value=table("estimated_value", "a number", "iuf", 2),
            samples=table("samples", *whole),
            diagnostics=tables("diagnostics", np.nan, 2),
            actions=tables("actions", None, 3),
            guarantee=first.guarantee,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(replicates, rungs)."""
        replicates, rungs = self.samples.shape
        return replicates, rungs

    def at(self, replicate: int, rung: int) -> Decision:
        """One of the decisions."""
        here = (replicate, rung)
        response = self.follower_response[here]
        return Decision(
            tie_breaking=self.tie_breaking,
            leader_action=None if self.leader_action is None else int(self.leader_action[here]),
            leader_strategy=None if self.leader_strategy is None else self.leader_strategy[here],
            follower_response=int(response) if np.ndim(response) == 0 else response,
            estimated_value=float(self.estimated_value[here]),
            samples=int(self.samples[here]),
            diagnostics={
                name: float(values[here])
                for name, values in self.diagnostics.items()
                if not np.isnan(values[here])
            },
            actions={name: values[here] for name, values in self.actions.items()},
            guarantee=self.guarantee,
        )


def _array(
    field: str, values: Sequence[Sequence[Any]], what: str, kinds: str, axes: int | None
) -> np.ndarray:
    """The array of values [replicate][rung]; an InputError with the first that is not of these kinds."""
    try:
        found = np.array(values)
    except ValueError:  # some are arrays of another shape
        raise InputError(field, "values of unlike shape", what) from None
    for value in (value for rungs in values for value in rungs if found.dtype.kind not in kinds):
        if np.asarray(value).dtype.kind not in kinds:
            raise InputError(field, value, what)
    if axes not in (None, found.ndim):
        raise InputError(field, values[0][0], what)
    return found


def require_playable(found: Decision | Decisions, sizes: Mapping[str, int], field: str) -> None:
    """Raise an InputError that starts with field unless players of a game of these sizes can do this."""
    given = [name for name in ("leader_action", "leader_strategy") if getattr(found, name) is not None]
    if len(given) != 1:
        what = "both" if given else "neither"
        raise InputError(field, what, "either leader_action or leader_strategy, the other one None")
    for player, name in (("leader", given[0]), ("follower", "follower_response")):
        values, most = np.asarray(getattr(found, name)), sizes[f"num_{player}_actions"]
        if values.dtype.kind in "iu":
            allowed = f"integers >= 0 and <= {most - 1}"
            checks.reject_first(f"{field}.{name}", values, (values < 0) | (values >= most), allowed)
        elif values.dtype.kind != "f" or values.shape[-1:] != (most,):
            kind = f"{values.dtype} {values.shape}"
            raise InputError(f"{field}.{name}", kind, f"an action, or probabilities of {most} actions")
        else:
            checks.distributions(f"{field}.{name}", values)
    for name, known in found.actions.items():
        if np.shape(known)[-1:] != (sizes["num_leader_actions"],):
            found_shape = f"an array {np.shape(known)}"
            raise InputError(f"{field}.actions[{name!r}]", found_shape, "a number for each leader action")
    samples = np.asarray(found.samples)
    if samples.dtype.kind not in "iu":
        raise InputError(f"{field}.samples", str(samples.dtype), "integers")
    checks.reject_first(f"{field}.samples", samples, samples < 1, "integers >= 1")
