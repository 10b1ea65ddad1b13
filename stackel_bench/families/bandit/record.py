"""The record of bandit games."""

from stackel_bench.families.bandit import learners
from stackel_bench.families.bandit.certified import CertifiedLearner
from stackel_bench.families.bandit.instances import INSTANCES
from stackel_bench.families.bandit.lower_bound.characteristic_time import characteristic_time, instance_bound
from stackel_bench.families.bandit.oracle import bandit_oracle
from stackel_bench.families.bandit.successive_elimination import SuccessiveEliminationLearner
from stackel_bench.families.family import Contract, Family
from stackel_bench.families.sizes import PAIRS
from stackel_bench.families.tables.game import measured_pairs, pull_cost
from stackel_bench.families.tables.nash import BanditNash
from stackel_bench.families.tables.theory import PAIR_EXPONENTS, lower_bound_pulls

FAMILY = Family(
    name="bandit",
    prefix="",
    sizes=PAIRS,
    games=INSTANCES,
    learners={
        "paper": learners.Paper,
        "plug_in": learners.PlugIn,
        "half_tolerance": learners.HalfTolerance,
        "anytime": learners.Anytime,
        "successive_elimination": SuccessiveEliminationLearner,
        "certified": CertifiedLearner,
        "nash": BanditNash,
    },
    oracle=bandit_oracle,
    exponents=PAIR_EXPONENTS,
    contract=Contract(
        "bandit/random", {"num_leader_actions": 3, "num_follower_actions": 4}, pull_cost, measured_pairs
    ),
    confidence=CertifiedLearner,
    lower_bound=lambda epsilon, sizes: lower_bound_pulls(epsilon, **sizes),
    characteristic_time=characteristic_time,
    instance_bound=instance_bound,
)
