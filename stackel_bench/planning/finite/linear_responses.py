"""Leader values and follower responses of a linear bandit game, by one blocked scan over all pairs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.models import TieBreaking
from stackel_bench.models.feature_source import FeatureSource, feature_source, leader_blocks
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning.design.feature_products import row_means
from stackel_bench.planning.finite.responses import respond, response_sets
from stackel_bench.tolerances import SUM_TIE

BLOCK_ELEMENTS = 2**18  # 2 MB of features at a time


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
    tolerance: float = SUM_TIE,
) -> LeaderValues:
    """phi_slack (pessimistic) or psi_slack (optimistic) of each leader action, by enumerating all pairs.

    Responses within slack of the follower's best mean are allowed. On true means differences below tolerance
    are rounding; on estimates the tolerance is 0. Beyond the features it holds one block and the answers.
    Every mean is the same sum in the same order, so equal feature rows have equal means, and neither blocks
    nor the processor change a bit.
    """
    slack = checks.real("slack", slack, least=0.0)
    tie_breaking = TieBreaking.parse(tie_breaking)
    tolerance = checks.real("tolerance", tolerance, least=0.0)
    source = feature_source(features)
    leaders, _, dimension = source.shape
    leader = checks.array("leader_parameters", leader_parameters, shape=(dimension,))
    follower = checks.array("follower_parameters", follower_parameters, shape=(dimension,))
    values, responses = np.empty(leaders), np.empty(leaders, dtype=np.int64)
    for start, block in leader_blocks(source, BLOCK_ELEMENTS):
        means = row_means(block.reshape(-1, dimension), leader, follower)
        leader_means, follower_means = (mean.reshape(block.shape[:2]) for mean in means)
        members = response_sets(follower_means, slack, tolerance)
        here = slice(start, start + len(block))
        values[here], responses[here] = respond(leader_means, members, tie_breaking)
    for answer in (values, responses):
        answer.setflags(write=False)
    return LeaderValues(values, responses)


def linear_follower_losses(model: LinearModel, leader_action: int, responses: np.ndarray) -> np.ndarray:
    """How far responses [...] are from the follower's best mean reward to this leader action."""
    row = model.features.block(int(leader_action), int(leader_action) + 1)[0]
    _, means = row_means(row, model.leader_parameters, model.follower_parameters)
    return np.asarray(means.max() - means[responses])
