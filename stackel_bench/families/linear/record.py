"""The record of linear bandit games."""

from stackel_bench.families.contract import Contract
from stackel_bench.families.family import Family
from stackel_bench.families.linear import learners
from stackel_bench.families.linear.contract import measured_queries, query_cost
from stackel_bench.families.linear.instances import INSTANCES
from stackel_bench.families.linear.oracle import linear_oracle
from stackel_bench.families.linear.stopping.certified import CertifiedLearner
from stackel_bench.families.linear.warm_up import warm_up
from stackel_bench.families.sizes import PAIRS, SIZES

FAMILY = Family(
    name="linear",
    prefix="lin/",
    sizes=PAIRS | {"dimension": SIZES["dimension"]},
    games=INSTANCES,
    learners={
        "paper": learners.Paper,
        "g_optimal": learners.GOptimal,
        "certified": CertifiedLearner,
        "plug_in": learners.PlugIn,
    },
    oracle=linear_oracle,
    exponents={"epsilon": -2.0, "dimension": 2.0},  # d^2 / eps^2
    contract=Contract(
        "linear/random",
        {"num_leader_actions": 4, "num_follower_actions": 3, "dimension": 3},
        query_cost,
        measured_queries,
    ),
    warm_up=warm_up,
    confidence=CertifiedLearner,
)
