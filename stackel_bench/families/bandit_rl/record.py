"""The record of bandit-RL games."""

from stackel_bench.families.bandit_rl import learners
from stackel_bench.families.bandit_rl.contract import episode_cost, measured_episodes
from stackel_bench.families.bandit_rl.diagnosis import diagnose
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS
from stackel_bench.families.bandit_rl.instances import INSTANCES
from stackel_bench.families.bandit_rl.oracle import bandit_rl_oracle
from stackel_bench.families.bandit_rl.stopping.certified import CertifiedLearner
from stackel_bench.families.family import Contract, Family
from stackel_bench.families.sizes import PAIRS, SIZES
from stackel_bench.families.tables.theory import PAIR_EXPONENTS

FAMILY = Family(
    name="bandit_rl",
    prefix="rl/",
    sizes=PAIRS | {name: SIZES[name] for name in ("num_states", "horizon")},
    games=INSTANCES,
    learners={"paper": learners.Paper, "plug_in": learners.PlugIn, "certified": CertifiedLearner},
    oracle=bandit_rl_oracle,
    exponents=PAIR_EXPONENTS | {"num_states": 2.0, "horizon": 5.0},  # H^5 S^2 AB / eps^2
    contract=Contract(
        "bandit_rl/random",
        {"num_leader_actions": 2, "num_follower_actions": 2, "num_states": 2, "horizon": 2},
        episode_cost,
        measured_episodes,
        inner=("simulator",),
        exact=False,
        goal=Goal,
    ),
    confidence=CertifiedLearner,
    explorers=EXPLORERS,
    diagnose=diagnose,
)
