"""What is planned on: frozen arrays, validated once, the same for truth and estimates."""

from stackel_bench.models.follower_mdp import FollowerMDP
from stackel_bench.models.payoff_table import PayoffTable
from stackel_bench.models.tie_breaking import TieBreaking

__all__ = ["FollowerMDP", "PayoffTable", "TieBreaking"]
