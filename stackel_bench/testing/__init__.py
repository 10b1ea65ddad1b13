"""Contracts for games, learners and explorers of your own: checked here, with a report that can be read."""

from stackel_bench.testing.explorers import check_explorer
from stackel_bench.testing.games import check_game
from stackel_bench.testing.learners import check_learner
from stackel_bench.testing.report import Check, ContractError, Report

__all__ = ["Check", "ContractError", "Report", "check_explorer", "check_game", "check_learner"]
