"""Episodes per leader action that the bandit-RL theorems ask for, with explicit logarithms."""

import math

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal, Shape
from stackel_bench.tolerances import FIXED_POINT


def theorem_budget(shape: Shape, goal: Goal, *, c_explore: float = 1.0, c_data: float = 1.0) -> EpisodePlan:
    """The theorem's orders with its unknown constants set to c and iota = ln(HSAB/(delta epsilon)).

    N0 = c_explore S^3 B H^6 iota^3 / epsilon for each of S*H targets, then N gathering episodes,
    N = c_data max(H^5 S^2 B iota / epsilon^2, R), where R is the reward part: its constants are known, and
    without them tiny horizons would get too little.
    """
    horizon, states, actions = shape
    epsilon, failure = goal.epsilon, goal.delta / (3 * goal.num_leader_actions)
    iota = math.log(horizon * states * goal.num_leader_actions * actions / (goal.delta * epsilon))
    iota = max(iota, 1.0)  # epsilon above H S A B / delta would make the orders vanish
    per_target = math.ceil(c_explore * states**3 * actions * horizon**6 * iota**3 / epsilon)
    transitions = horizon**5 * states**2 * actions * iota / epsilon**2
    rewards = reward_episodes(shape, epsilon / 16, failure)
    gather = math.ceil(c_data * max(transitions, rewards))
    return EpisodePlan({"explore": per_target * states * horizon, "gather": gather})


def paper_total(shape: Shape, goal: Goal) -> EpisodePlan:
    """The theorem's total per leader action in one phase, for explorers compared with it at equal budget."""
    return EpisodePlan({"explore": theorem_budget(shape, goal).total})


def proof_budget(shape: Shape, goal: Goal, *, c_explore: float = 1.0, c_data: float = 1.0) -> EpisodePlan:
    """The constants of the proofs: accuracy epsilon/16 for transitions and for rewards each.

    Failure probability delta/(3A) for exploration (again over S*H targets), transitions and rewards. N0 has
    an unknown factor c_explore even in the proof: N0 = c_explore S^2 B H^4 iota0^3 / significance.
    """
    horizon, states, actions = shape
    accuracy, failure = goal.epsilon / 16, goal.delta / (3 * goal.num_leader_actions)
    level = significance(shape, accuracy)
    iota = math.log(states * actions * horizon * states * horizon / (failure * level))
    per_target = math.ceil(c_explore * states**2 * actions * horizon**4 * iota**3 / level)
    gather = max(transition_episodes(shape, accuracy, failure), reward_episodes(shape, accuracy, failure))
    return EpisodePlan({"explore": per_target * states * horizon, "gather": math.ceil(c_data * gather)})


def significance(shape: Shape, accuracy: float) -> float:
    """accuracy/(2 S H^2): states reached with less probability under every policy may stay unexplored."""
    horizon, states, _ = shape
    return accuracy / (2 * states * horizon**2)


def transition_episodes(shape: Shape, accuracy: float, failure: float) -> int:
    """N after which estimated transitions move no value by more than accuracy (Jin et al. 2020, Lemma 3.6).

    The fixed point of N = (16/3) S B H^5 (13 L + S) / accuracy^2 with L = 2 S ln(36 B N / S) + ln(H/failure).
    """
    horizon, states, actions = shape
    scale = 16 / 3 * states * actions * horizon**5 / accuracy**2
    episodes = scale
    for _ in range(200):
        log_term = 2 * states * math.log(36 * actions * episodes / states) + math.log(horizon / failure)
        longer = scale * (13 * log_term + states)
        if longer <= episodes * (1 + FIXED_POINT):
            break
        episodes = longer
    return math.ceil(episodes)


def reward_episodes(shape: Shape, accuracy: float, failure: float) -> int:
    """N after which estimated rewards move no value by more than accuracy (Hoeffding and Chernoff)."""
    horizon, states, actions = shape
    volume = states**2 * actions * horizon**3
    triples = states * actions * horizon
    hoeffding = 8 * volume * math.log(4 * triples / failure) / accuracy**2
    chernoff = 32 * volume * math.log(triples / failure) / accuracy
    return math.ceil(max(hoeffding, chernoff))


def rf_ucrl_episodes(shape: Shape, goal: Goal) -> int:
    """Episodes after which RF-UCRL's certificate is below epsilon/8 (Kaufmann et al. 2021, Theorem 5).

    The theorem's accuracy is epsilon/4 (it stops at half of it), its delta is delta/(2A). Our bonus is at
    most the published H sqrt(2 beta/n), with max(S-1, 1) for S-1 to cover the reward's logarithm at S = 1.
    """
    horizon, states, actions = shape
    others = max(states - 1, 1)
    factor = 144 * (1 + math.sqrt(2)) ** 2 * horizon**4 * states * actions / (goal.epsilon / 4) ** 2
    log_term = math.log(4 * states * actions * horizon * goal.num_leader_actions / goal.delta)
    inner = factor * (log_term + others * (math.sqrt(math.e) + math.sqrt(math.e / others)))
    return math.ceil(factor * (log_term + 2 * others * math.log(inner) + others))


def runnable_phase(phase: str, episodes: int, epsilon: float) -> int:
    """episodes, or an InputError that says what to change when they exceed 2**53."""
    if episodes > checks.MAX_EXACT_COUNT:
        raise InputError(
            "epsilon",
            epsilon,
            f"a larger value (or a smaller game, or budget=scaled or fixed): phase {phase} would need "
            f"{episodes:.3g} episodes per leader action, at most 2**53 = {checks.MAX_EXACT_COUNT:.3g}",
        )
    return episodes
