"""Response sets, leader values, gaps and equilibria when leader and follower pick from finite lists."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.models import TieBreaking
from stackel_bench.models.feature_source import FeatureSource, feature_source, leader_blocks
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning.design.feature_products import row_means
from stackel_bench.tolerances import SUM_TIE, TIE, VALUE, Ties


def response_sets(follower_means: np.ndarray, slack: float, tolerance: float = TIE) -> np.ndarray:
    """Which follower actions [..., B] are within slack of the best one, BR_slack."""
    best = follower_means.max(axis=-1, keepdims=True)
    return np.asarray(best - follower_means <= slack + tolerance)


def respond(
    leader_means: np.ndarray, members: np.ndarray, tie_breaking: TieBreaking
) -> tuple[np.ndarray, np.ndarray]:
    """Leader values [...] and responses [...] when the follower picks from members [..., B] by the tie rule.

    phi = min, psi = max of the leader's means over the response set; the lowest index among equals.
    """
    responses = choose(leader_means, members, tie_breaking)
    values = np.take_along_axis(leader_means, responses[..., None], axis=-1)[..., 0]
    return values, responses


def choose(leader_means: np.ndarray, members: np.ndarray, tie_breaking: TieBreaking) -> np.ndarray:
    """The responses [...] alone."""
    if tie_breaking is TieBreaking.PESSIMISTIC:
        return np.asarray(np.where(members, leader_means, np.inf).argmin(axis=-1))
    return np.asarray(np.where(members, leader_means, -np.inf).argmax(axis=-1))


def finite_leader_values(
    leader_means: np.ndarray, follower_means: np.ndarray, slack: float, tie_breaking: TieBreaking
) -> np.ndarray:
    """phi_slack or psi_slack for each leader action [..., A]; ties as among all these follower means."""
    ties = Ties.among(follower_means)
    return respond(leader_means, response_sets(follower_means, slack, ties.tolerance), tie_breaking)[0]


def pessimistic_gap(exact_values: np.ndarray, slack_values: np.ndarray) -> float:
    """max phi_0 - max phi_eps, the paper's gap."""
    return float(exact_values.max() - slack_values.max())


def optimistic_gap(exact_values: np.ndarray, slack_values: np.ndarray, epsilon: float) -> float:
    """max of psi_eps - psi_0 over the leader actions with psi_eps >= max psi_0 - eps (tilde gap)."""
    competing = slack_values >= exact_values.max() - epsilon - VALUE
    return float((slack_values - exact_values)[competing].max())


def turn_based_gaps(leader_means: np.ndarray, follower_means: np.ndarray) -> np.ndarray:
    """How much either player could still gain at each pair [A,B]; 0 on the path of an equilibrium.

    Follower: max mu2(a, .) - mu2(a, b). Leader: max_a' min_b' mu1(a', b') - mu1(a, b). Off the path the
    follower may threaten with anything, so the leader need only be content with the best that it can secure.
    """
    follower_gain = follower_means.max(axis=1, keepdims=True) - follower_means
    leader_gain = leader_means.min(axis=1).max() - leader_means
    return np.asarray(np.maximum(np.maximum(follower_gain, leader_gain), 0.0))


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
