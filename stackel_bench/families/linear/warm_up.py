"""Compiles what linear games run on, so that no worker waits for a compiler."""

import numpy as np

from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.families.linear.learners import Paper
from stackel_bench.families.linear.oracle import linear_oracle
from stackel_bench.families.linear.stopping.certified import CertifiedLearner
from stackel_bench.learners.blocks import run_block
from stackel_bench.learners.budget import FixedBudget
from stackel_bench.learners.learner import Learner
from stackel_bench.models import TieBreaking
from stackel_bench.models.feature_source import feature_source
from stackel_bench.models.linear_model import LinearModel


def warm_up() -> None:
    """Compile, or load from numba's cache, by learning a game of two dimensions and judging the answer."""
    features = feature_source(np.arange(12.0).reshape(2, 3, 2) / 12)
    game = LinearBanditGame(LinearModel(features, np.array([0.5, 0.25]), np.array([0.25, 0.5])))
    learners: tuple[Learner, ...] = (Paper(), CertifiedLearner())
    for learner in learners:
        schedule = learner.schedule(game.sampler, FixedBudget(epsilon=0.5, samples=200))
        for tie_breaking in TieBreaking:
            decisions = run_block(learner, game.sampler, schedule, 0, "warm up", 0, tie_breaking, 1)
            judge_all(linear_oracle(game), decisions, 0.5)
