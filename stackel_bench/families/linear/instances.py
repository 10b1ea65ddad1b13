"""Named linear bandit games."""

from collections.abc import Callable, Mapping
from typing import Any

from stackel_bench import checks
from stackel_bench.families.bandit.instances import named_bandit
from stackel_bench.families.linear import models as linear_models
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.games.noise import Builder, Noise, with_noise
from stackel_bench.models.linear_model import LinearModel

NOISES = ("gaussian", "bounded", "bernoulli", "deterministic")


def linear_noise(noise: str, noise_scale: float) -> Noise:
    """The noise of a pulled pair; bounded rewards are 0 or 1, that is Bernoulli."""
    kind = checks.choice("noise", noise, NOISES)
    return Noise("bernoulli" if kind == "bounded" else kind, noise_scale)


def one_hot(bandit: str, parameters: Mapping[str, Any]) -> LinearBanditGame:
    """A bandit game by name, with its noise, as a linear game with d = A * B and unit vectors as features."""
    game = named_bandit(bandit, parameters)
    return LinearBanditGame(linear_models.one_hot_model(game.table), game.noise)


MODELS: dict[str, Callable[..., LinearModel]] = {
    "from_file": linear_models.model_from_file,
    "low_rank": linear_models.low_rank_model,
    "random": linear_models.random_model,
    "taxation": linear_models.taxation_model,
}

INSTANCES: dict[str, Builder] = {
    "one_hot": one_hot,  # brings its own noise
    **{name: with_noise(LinearBanditGame, model, linear_noise) for name, model in MODELS.items()},
}
