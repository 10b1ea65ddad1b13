"""Leader values and follower responses of a linear bandit game, by one blocked scan over all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.models import TieBreaking
from stackel_bench.models.feature_source import FeatureSource, feature_source, leader_blocks
from stackel_bench.planning.finite_responses import TIE_TOLERANCE, respond, response_sets

BLOCK_ELEMENTS = 2**18  # 2 MB of features at a time


@dataclass(frozen=True)
class ResponseRule:
    """Which responses are allowed (within slack of the follower's best mean) and who picks among them.

    On true means differences below tolerance are rounding; on estimates the tolerance is 0.
    """

    slack: float
    tie_breaking: TieBreaking
    tolerance: float = TIE_TOLERANCE

    def __post_init__(self) -> None:
        object.__setattr__(self, "slack", checks.real("slack", self.slack, least=0.0))
        object.__setattr__(self, "tie_breaking", TieBreaking.parse(self.tie_breaking))
        object.__setattr__(self, "tolerance", checks.real("tolerance", self.tolerance, least=0.0))


@dataclass(frozen=True, eq=False)
class LeaderValues:
    """For each leader action its value [A] and the response [A] that gives it, lowest index among equals."""

    values: np.ndarray
    responses: np.ndarray


def linear_leader_values(
    features: FeatureSource | np.ndarray,
    leader_parameters: ArrayLike,
    follower_parameters: ArrayLike,
    slack: float,
    tie_breaking: TieBreaking | str,
    tolerance: float = TIE_TOLERANCE,
) -> LeaderValues:
    """phi_slack (pessimistic) or psi_slack (optimistic) of each leader action, by enumerating all pairs."""
    rule = ResponseRule(slack, TieBreaking.parse(tie_breaking), tolerance)
    return linear_response_scan(features, leader_parameters, follower_parameters, [rule])[0]


def linear_response_scan(
    features: FeatureSource | np.ndarray,
    leader_parameters: ArrayLike,
    follower_parameters: ArrayLike,
    rules: Sequence[ResponseRule],
) -> list[LeaderValues]:
    """The answer to each rule, in order, from a single pass over the features [A,B,d].

    Beyond the features it holds one block and the answers. Every mean is the same sum whatever the block, so
    equal feature rows have equal means and blocks change no result.
    """
    source = feature_source(features)
    leaders, _, dimension = source.shape
    leader = checks.array("leader_parameters", leader_parameters, shape=(dimension,))
    follower = checks.array("follower_parameters", follower_parameters, shape=(dimension,))
    answers = [LeaderValues(np.empty(leaders), np.empty(leaders, dtype=np.int64)) for _ in rules]
    for start, block in leader_blocks(source, BLOCK_ELEMENTS):
        rows = np.ascontiguousarray(block).reshape(-1, dimension)
        # einsum adds up each row alone; a matrix product may round equal rows differently.
        leader_means = np.einsum("ij,j->i", rows, leader).reshape(block.shape[:2])
        follower_means = np.einsum("ij,j->i", rows, follower).reshape(block.shape[:2])
        members: dict[tuple[float, float], np.ndarray] = {}
        for rule, answer in zip(rules, answers, strict=True):
            bounds = (rule.slack, rule.tolerance)
            if bounds not in members:
                members[bounds] = response_sets(follower_means, *bounds)
            values, responses = respond(leader_means, members[bounds], rule.tie_breaking)
            answer.values[start : start + len(block)] = values
            answer.responses[start : start + len(block)] = responses
    for answer in answers:
        answer.values.setflags(write=False)
        answer.responses.setflags(write=False)
    return answers
