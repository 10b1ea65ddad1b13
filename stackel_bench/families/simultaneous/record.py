"""The record of simultaneous games."""

from stackel_bench.families.family import Contract, Family
from stackel_bench.families.simultaneous import learners
from stackel_bench.families.simultaneous.certified import CertifiedLearner
from stackel_bench.families.simultaneous.instances import INSTANCES
from stackel_bench.families.simultaneous.oracle import simplex_oracle
from stackel_bench.families.sizes import PAIRS
from stackel_bench.families.tables.game import measured_pairs, pull_cost
from stackel_bench.families.tables.nash import SimultaneousNash
from stackel_bench.families.tables.theory import PAIR_EXPONENTS

FAMILY = Family(
    name="simultaneous",
    prefix="sim/",
    sizes=PAIRS,
    games=INSTANCES,
    learners={
        "paper": learners.Paper,
        "plug_in": learners.PlugIn,
        "half_tolerance": learners.HalfTolerance,
        "anytime": learners.Anytime,
        "margin": learners.Margin,
        "certified": CertifiedLearner,
        "nash": SimultaneousNash,
    },
    oracle=simplex_oracle,
    exponents=PAIR_EXPONENTS,
    contract=Contract(
        "simultaneous/random", {"num_leader_actions": 3, "num_follower_actions": 3}, pull_cost, measured_pairs
    ),
    confidence=CertifiedLearner,
)
