"""Linear models by formula, from a bandit game, and from files."""

from functools import partial

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.errors import InputError
from stackel_bench.families.linear.features import (
    HALF_LENGTH,
    ball_features,
    embedded_features,
    monomials,
    one_hot_features,
    polynomial_features,
    source_of,
)
from stackel_bench.games import dyadic
from stackel_bench.games.array_files import arrays_of_npz, existing_file
from stackel_bench.models import PayoffTable
from stackel_bench.models.feature_source import FeatureSource, mapped_features
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning.design.feature_products import products
from stackel_bench.planning.design.triangular import orthogonal_factor

RADIUS = 0.999  # of the parameters' varying part: below 1, so that rounding cannot make a mean negative
PARAMETERS = ("leader_parameters", "follower_parameters")


def random_model(
    num_leader_actions: int, num_follower_actions: int, dimension: int, instance_seed: int
) -> LinearModel:
    """Features (1, x) / sqrt(2) with x uniform in the unit ball of R^(d-1): all are in the unit ball of R^d.

    Parameters are (1, u) / sqrt(2), u uniform on a sphere of radius 0.999, one for each player: mean rewards
    (1 + x^T u) / 2 lie in [0,1], as in the other families. (sqrt(1/2) is 181/256, x and u are rounded.)
    """
    leaders, followers, seed = _sizes(num_leader_actions, num_follower_actions, instance_seed)
    size = _dimension(dimension, leaders * followers)
    read = partial(ball_features, seed, followers, size)
    return LinearModel(source_of((leaders, followers, size), read), *_ball_parameters(seed, size))


def low_rank_model(
    num_leader_actions: int, num_follower_actions: int, dimension: int, rank: int, instance_seed: int
) -> LinearModel:
    """The random model of dimension `rank`, carried into R^dimension by an isometry (rounded).

    Features span a subspace of that rank. Parameters have a part outside of it, as long as the part inside,
    which no reward shows.
    """
    leaders, followers, seed = _sizes(num_leader_actions, num_follower_actions, instance_seed)
    size = _dimension(dimension, leaders * followers)
    inner = checks.integer("rank", rank, least=2, most=size)
    rng = streams.generator("instance", "linear/low_rank", seed, size, inner)
    orthogonal = dyadic.rounded(orthogonal_factor(rng.standard_normal((size, size))))
    embedding, outside = orthogonal[:, :inner], orthogonal[:, inner:]
    read = partial(embedded_features, partial(ball_features, seed, followers, inner), embedding)
    parameters = list(products(np.stack(_ball_parameters(seed, inner)), embedding.T))
    if size > inner:
        hidden = rng.standard_normal((2, size - inner))
        hidden = dyadic.rounded(hidden / np.linalg.norm(hidden, axis=1, keepdims=True))
        parameters = [
            theta + part for theta, part in zip(parameters, products(hidden, outside.T), strict=True)
        ]
    leader, follower = parameters
    return LinearModel(source_of((leaders, followers, size), read), leader, follower)


def one_hot_model(table: PayoffTable) -> LinearModel:
    """The table as a linear model with d = A * B: features are unit vectors, parameters the means."""
    leaders, followers = table.shape
    shape = (leaders, followers, leaders * followers)
    read = partial(one_hot_features, leaders, followers)
    return LinearModel(source_of(shape, read), table.leader_means.ravel(), table.follower_means.ravel())


def taxation_model(
    num_leader_actions: int, num_follower_actions: int, degree: int, labour_cost: float, welfare_weight: float
) -> LinearModel:
    """Taxation with a quadratic utility: features are all monomials in tax t and labour l up to a degree.

    Utility is u = (1 - t) l - c l^2 with c = labour_cost. The follower gets (u + c) / (1 + c), the leader
    (1 - w) t l + w * (follower's payoff) with w = welfare_weight. Without grid the best response is
    l = min(1, (1 - t) / (2c)). The dimension is (degree + 1) (degree + 2) / 2; degree 2 is enough.
    """
    leaders = checks.integer("num_leader_actions", num_leader_actions, least=2)
    followers = checks.integer("num_follower_actions", num_follower_actions, least=2)
    power = checks.integer("degree", degree, least=2, most=30)
    cost = checks.real("labour_cost", labour_cost, least=0, open_least=True)
    weight = checks.real("welfare_weight", welfare_weight, least=0, most=1)
    read, exponents = partial(polynomial_features, leaders, followers, power), monomials(power)
    scale = 1 / (1 + cost)
    payoff = {(0, 0): cost * scale, (0, 1): scale, (1, 1): -scale, (0, 2): -cost * scale}
    follower = np.array([payoff.get(exponent, 0.0) for exponent in exponents])
    leader = weight * follower
    leader[exponents.index((1, 1))] += 1 - weight
    return LinearModel(source_of((leaders, followers, len(follower)), read), leader, follower)


def model_from_file(path: str, parameters_path: str | None) -> LinearModel:
    """The model of an .npz file, or of features in an .npy file (mapped, not read) and parameters in an .npz.

    Arrays: features [A,B,d], leader_parameters [d], follower_parameters [d].
    """
    file = existing_file("path", path, (".npz", ".npy"))
    features: np.ndarray | FeatureSource
    if file.suffix.lower() == ".npy":
        features = mapped_features(file)
        rest = existing_file("parameters_path", parameters_path, (".npz",))
        parameters = arrays_of_npz(rest, PARAMETERS)
    else:
        rest = file
        if parameters_path is not None:
            allowed = f"null, because {file} holds the parameters"
            raise InputError("parameters_path", parameters_path, allowed)
        parameters = arrays_of_npz(file, ("features", *PARAMETERS))
        features = parameters.pop("features")
    try:
        return LinearModel(features, **parameters)  # type: ignore[arg-type]
    except InputError as error:
        where = file if error.field.startswith("features") else rest
        raise InputError(f"{where}[{error.field}]", error.found, error.allowed) from error


def _sizes(num_leader_actions: int, num_follower_actions: int, instance_seed: int) -> tuple[int, int, int]:
    return (
        checks.integer("num_leader_actions", num_leader_actions, least=1),
        checks.integer("num_follower_actions", num_follower_actions, least=1),
        checks.integer("instance_seed", instance_seed, least=0),
    )


def _dimension(dimension: int, pairs: int) -> int:
    """A dimension that the pairs can span; the random features need two."""
    if pairs < 2:
        raise InputError("num_leader_actions x num_follower_actions", pairs, "at least 2 pairs of actions")
    return checks.integer("dimension", dimension, least=2, most=pairs)


def _ball_parameters(seed: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    rng = streams.generator("instance", "linear/parameters", seed, dimension)
    directions = rng.standard_normal((2, dimension - 1))
    directions *= RADIUS / np.linalg.norm(directions, axis=1, keepdims=True)
    leader, follower = np.hstack([np.ones((2, 1)), dyadic.rounded(directions)]) * HALF_LENGTH
    return leader, follower
