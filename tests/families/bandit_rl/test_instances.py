"""Named bandit-RL games: the properties that their descriptions claim, by plain recursion."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from stackel_bench import gap, leader_values
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.families.games import default_parameters, load_game
from tests.families.bandit_rl.episode_values import exact_responses, reach_probabilities
from tests.families.tables.pure_values import optimistic_values, pessimistic_values


def load(name: str, **parameters: object) -> BanditRLGame:
    game = load_game(f"bandit_rl/{name}", **parameters)
    assert isinstance(game, BanditRLGame)
    return game


@pytest.mark.parametrize("concentration", [0.001, 0.1, 1.0, 1e6])
@pytest.mark.parametrize("successors", [None, 1, 2, 5])
def test_random_rows_have_exactly_the_successors_asked_for(
    concentration: float, successors: int | None
) -> None:
    game = load("random", num_states=5, concentration=concentration, num_successors=successors)
    for mdp in game.mdps:
        assert (mdp.transitions.sum(axis=-1) == 1).all()
        support = (mdp.transitions > 0).sum(axis=-1)
        assert support.max() <= (successors or 5)
        if concentration >= 1:
            assert support.min() >= (successors or 5) - 1  # one of them may round to 0
        if successors == 1:
            assert set(np.unique(mdp.transitions)) == {0.0, 1.0}


def test_random_rows_are_dirichlet() -> None:
    """Mean 1/S and variance (1/S)(1-1/S)/(S alpha + 1) of 4,800 rows (false alarm below 1e-6)."""
    for alpha in (0.5, 2.0):
        game = load(
            "random",
            num_leader_actions=10,
            num_states=6,
            horizon=10,
            num_follower_actions=8,
            concentration=alpha,
        )
        entries = np.stack([mdp.transitions for mdp in game.mdps]).reshape(-1, 6)[:, 0]
        variance = (1 / 6) * (5 / 6) / (6 * alpha + 1)
        assert abs(entries.mean() - 1 / 6) < 6 * np.sqrt(variance / len(entries))
        assert entries.var() == pytest.approx(variance, rel=0.15)


def test_random_leader_actions_have_their_own_mdps() -> None:
    first, second = load("random", num_leader_actions=2).mdps
    assert not np.array_equal(first.transitions, second.transitions)
    assert not np.array_equal(first.leader_rewards, second.leader_rewards)
    # more leader actions leave the first ones as they are
    assert np.array_equal(load("random", num_leader_actions=5).mdps[1].transitions, second.transitions)


@pytest.mark.parametrize(("digits", "horizon", "states"), [(2, 8, 2), (3, 5, 4), (4, 9, 3), (2, 1, 2)])
def test_lock_opens_with_probability_one_over_all_codes(digits: int, horizon: int, states: int) -> None:
    game = load("lock", num_follower_actions=digits, horizon=horizon, num_states=states)
    uniform = np.full((horizon, states, digits), 1 / digits)
    for mdp in game.mdps:
        assert reach_probabilities(mdp, uniform)[-1, 0] == pytest.approx(
            digits ** -(horizon - 1.0), rel=1e-12
        )
        assert mdp.follower_rewards.sum() == 1  # nothing but the last right digit pays
        assert mdp.leader_rewards[mdp.follower_rewards == 0].sum() == 0


def test_lock_is_won_by_one_code() -> None:
    """All B^H action sequences: exactly one opens the lock, and codes differ between leader actions."""
    game = load("lock", num_leader_actions=4, num_follower_actions=3, horizon=5)
    codes = []
    for mdp in game.mdps:
        opened = []
        for sequence in itertools.product(range(3), repeat=5):
            policy = np.zeros((5, 2, 3))
            policy[np.arange(5), :, sequence] = 1
            reach = reach_probabilities(mdp, policy)
            value = float(np.einsum("hs,hsb,hsb->", reach, policy, mdp.follower_rewards))
            assert value in (0.0, 1.0)
            if value:
                opened.append(sequence)
        assert len(opened) == 1
        codes += opened
    assert len(set(codes)) > 1


def test_lock_values_and_place_of_the_optimum() -> None:
    values = [exact_responses(mdp, worst=True) for mdp in load("lock").mdps]
    assert values == [(1.0, 0.25), (1.0, 0.25), (1.0, 1.0)]
    first = load("lock", optimal_leader_action=0, decoy_value=0.5)
    assert [exact_responses(mdp, worst=False)[1] for mdp in first.mdps] == [1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("arms", "states", "horizon", "lead"), [(2, 2, 2, 0.3), (3, 5, 4, 0.25), (4, 9, 3, 1.0)]
)
def test_rooms_have_one_good_arm_each_behind_a_lock(
    arms: int, states: int, horizon: int, lead: float
) -> None:
    """Uniform play is in each room equally seldom; leader values follow from how often the lock opens."""
    game = load("rooms", num_follower_actions=arms, num_states=states, horizon=horizon, lead=lead)
    uniform = np.full((horizon, states, arms), 1 / arms)
    rooms = [s for s in range(states) if s != 1]
    values = []
    for mdp in game.mdps:
        reach = reach_probabilities(mdp, uniform)[-1]
        expected = arms ** -(horizon - 1.0) / len(rooms)
        np.testing.assert_allclose(reach[rooms], expected, rtol=1e-5)  # shares are dyadic
        best = mdp.follower_rewards[-1].max(axis=1)
        np.testing.assert_allclose(best[rooms], (1 + lead) / 2)
        second = np.sort(mdp.follower_rewards[-1][rooms], axis=1)[:, -2]
        np.testing.assert_allclose(best[rooms] - second, lead)
        assert np.ptp(mdp.leader_rewards[-1][rooms]) == 0
        assert not mdp.follower_rewards[:-1].any()
        assert not mdp.follower_rewards[-1, 1].any()
        optimum, value = exact_responses(mdp, worst=True)
        assert optimum == pytest.approx((1 + lead) / 2)
        values.append(value)
    assert values == [0.25, 0.25, 1.0]
    errs = 0.05
    assert leader_values(game, slack=errs)[-1] == pytest.approx(1 - errs / ((1 + lead) / 2))
    assert gap(game, epsilon=errs) == pytest.approx(errs / ((1 + lead) / 2))


@pytest.mark.parametrize(("states", "behind"), [(2, 0.0), (4, 0.0), (2, 0.28), (5, 0.3)])
def test_a_bait_is_worth_what_the_follower_gives_up_for_it(states: int, behind: float) -> None:
    """Values of decoys at any slack follow from its lag alone; the right one keeps 2/5 in the rooms."""
    shape = {"num_follower_actions": 3, "num_states": states, "horizon": 3, "lead": 0.3}
    game, plain = load("rooms", bait=behind, **shape), load("rooms", **shape)
    for decoy, mdp in zip(game.mdps[:-1], plain.mdps[:-1], strict=True):
        np.testing.assert_array_equal(decoy.transitions, mdp.transitions)
        assert exact_responses(decoy, worst=True)[0] == exact_responses(mdp, worst=True)[0] == 0.65
    slack = 0.1
    taken = 1.0 if behind == 0 else slack / behind  # of the rooms, by a follower who gives up the slack
    np.testing.assert_allclose(leader_values(game), [0, 0, 0.4], atol=1e-12)
    np.testing.assert_allclose(leader_values(game, slack=slack), [0, 0, 0.4 * (1 - slack / 0.65)], atol=1e-6)
    optimistic = leader_values(game, slack=slack, tie_breaking="optimistic")
    np.testing.assert_allclose(optimistic, [taken, taken, 0.4], rtol=1e-5)


def test_chain_is_hard_for_uniform_play_and_has_an_inner_optimum() -> None:
    game = load("chain", num_leader_actions=9, num_states=5, horizon=12, dam_cost=0.75)
    values = [exact_responses(mdp, worst=True)[1] for mdp in game.mdps]
    assert 0 < int(np.argmax(values)) < 8
    assert values[-1] == 0  # the follower does not swim against the full current
    optima = [exact_responses(mdp, worst=True)[0] for mdp in game.mdps]
    assert all(a >= b for a, b in itertools.pairwise(optima))  # a weaker current is better for the follower
    shape = game.mdps[0].shape
    swim = np.zeros(shape)
    swim[..., 1] = 1
    uniform = np.full(shape, 0.5)
    at_end = [reach_probabilities(game.mdps[4], policy)[-1, -1] for policy in (uniform, swim)]
    assert at_end[0] < at_end[1] / 20


def test_chain_without_current_is_a_walk() -> None:
    game = load(
        "chain", weakest_current=0.0, strongest_current=0.0, num_leader_actions=1, num_states=3, horizon=6
    )
    # two steps to the end, then four times 1; the leader holds everything back at dam_cost 1/2
    assert exact_responses(game.mdps[0], worst=True) == (4.0, 2.0)


def test_taxation_formulas() -> None:
    game = load("taxation", num_leader_actions=3, num_follower_actions=5, num_states=2, horizon=3)
    p = default_parameters("bandit_rl/taxation")
    for a, (mdp, h) in enumerate(itertools.product(game.mdps, range(3))):
        rate = (a // 3) / 2
        for skill, level in itertools.product(range(2), range(5)):
            labour = level / 4
            income = labour * (skill + 1) / 2
            tax = rate * income ** (1 + p["progressivity"])
            utility = (income - tax) ** p["curvature"] - p["labour_cost"] * labour**2
            follower = (utility + p["labour_cost"]) / (1 + p["labour_cost"])
            leader = (1 - p["welfare_weight"]) * tax + p["welfare_weight"] * follower
            assert mdp.follower_rewards[h, skill, level] == pytest.approx(follower, abs=1e-6)
            assert mdp.leader_rewards[h, skill, level] == pytest.approx(leader, abs=1e-6)
            change = p["learning"] * labour if skill == 0 else p["forgetting"] * (1 - labour)
            assert mdp.transitions[h, skill, level, 1 - skill] == pytest.approx(change, abs=1e-6)


def test_taxation_discourages_work() -> None:
    game = load("taxation", welfare_weight=0.0)
    values = [exact_responses(mdp, worst=True) for mdp in game.mdps]
    assert all(a[0] >= b[0] for a, b in itertools.pairwise(values))
    assert values[0][1] == 0  # no tax, no revenue
    flat = load("taxation", welfare_weight=0.0, progressivity=0.0)
    assert exact_responses(flat.mdps[-1], worst=True)[1] == 0  # all is taken, nobody works


@pytest.mark.parametrize(
    ("epsilon", "gap", "bump"), [(0.1, 0.1, 2.5), (0.05, 0.0, 2.5), (0.1, 0.0, 3.0), (0.02, 0.3, 2.5)]
)
def test_lower_bound_gap_with_a_mixing_follower(epsilon: float, gap: float, bump: float) -> None:
    """Enumerates all mixtures of two follower actions, which contain the optimum of a one-constraint LP."""
    game = load("lower_bound", epsilon=epsilon, gap=gap, bump=bump)
    exact, slack = [], []
    for mdp in game.mdps:
        leader, follower = mdp.leader_rewards[0, 0], mdp.follower_rewards[0, 0]
        floor = follower.max() - epsilon
        values = [leader[b] for b in range(len(leader)) if follower[b] >= floor - 1e-12]
        for b, c in itertools.permutations(range(len(leader)), 2):
            if follower[b] > floor + 1e-12 > follower[c]:
                share = (floor - follower[c]) / (follower[b] - follower[c])
                values.append(share * leader[b] + (1 - share) * leader[c])
        slack.append(min(values))
        exact.append(exact_responses(mdp, worst=True)[1])
    measured = max(exact) - max(slack)
    assert measured == pytest.approx(max(gap + 0.2 * bump * epsilon, (gap + bump * epsilon) / 2), abs=1e-9)
    loss = max(exact) - sorted(exact)[-2]
    assert loss == pytest.approx(gap + bump * epsilon, abs=1e-12)
    assert loss > measured + epsilon


@pytest.mark.parametrize("name", ["bandit/trap", "bandit/random", "bandit/taxation", "bandit/lower_bound"])
def test_embedding_keeps_values_at_slack_zero(name: str) -> None:
    bandit = load_game(name)
    assert isinstance(bandit, BanditGame)
    game = load("bandit_embedding", bandit=name)
    assert game.sizes["horizon"] == game.sizes["num_states"] == 1
    assert [exact_responses(m, True, 0.0)[1] for m in game.mdps] == pessimistic_values(bandit.table, 0.0)
    assert [exact_responses(m, False, 0.0)[1] for m in game.mdps] == optimistic_values(bandit.table, 0.0)


def test_embedding_passes_parameters_and_noise_on() -> None:
    game = load("bandit_embedding", parameters={"num_risky": 2, "noise": "deterministic"})
    assert len(game.mdps) == 3
    assert game.noise.kind == "deterministic"
    with pytest.raises(InputError, match=r"unknown bandit 'bandit_rl/lock'.*; choose one of bandit/"):
        load("bandit_embedding", bandit="bandit_rl/lock")
    with pytest.raises(InputError, match="unknown noise 'gaussian'"):
        load("bandit_embedding", parameters={"noise": "gaussian"})
    with pytest.raises(InputError, match=r"^unknown key game\.risk"):
        load("bandit_embedding", parameters={"risk": 2})


@pytest.mark.parametrize("environment", ["FrozenLake", "CliffWalking"])
@pytest.mark.parametrize("lever", ["slipperiness", "toll", "subsidy"])
def test_gymnasium_worlds_follow_gymnasium(environment: str, lever: str) -> None:
    """Rebuilds calm and rough expectations from Gymnasium's own step tables."""
    from gymnasium.envs import toy_text

    parameters = {"lever_size": 0.5, "slipperiness": 0.5, "welfare_weight": 0.25, "lever_actions": [1, 3]}
    game = load(
        "frozen_lake", environment=environment, lever=lever, num_leader_actions=3, horizon=2, **parameters
    )
    tables = [getattr(toy_text, f"{environment}Env")(is_slippery=rough).P for rough in (False, True)]
    low, high = (0, 1) if environment == "FrozenLake" else (-100, 0)
    ended = {to for rows in tables[0].values() for row in rows.values() for _, to, _, end in row if end}
    for action, state, move in itertools.product(range(3), range(len(tables[0])), range(4)):
        level = action / 2
        rough = 0.5 * level if lever == "slipperiness" else 0.5
        row = np.zeros(len(tables[0]))
        reward = 0.0
        for share, table in zip((1 - rough, rough), tables, strict=True):
            for p, to, r, _ in table[state][move]:
                row[to] += share * p
                reward += share * p * r
        if state in ended:
            row, reward = np.eye(len(row))[state], 0.0
        base = (reward - low) / (high - low)
        paid = 0.5 * level * (state not in ended) * (lever == "slipperiness" or move in (1, 3))
        follower = {"slipperiness": base, "toll": (base + 1 - paid) / 2, "subsidy": (base + paid) / 2}[lever]
        leader = 0.25 * base + 0.75 * (1 - paid if lever == "subsidy" else paid)
        mdp = game.mdps[action]
        assert mdp.transitions[1, state, move] == pytest.approx(row, abs=3e-6)
        assert mdp.follower_rewards[1, state, move] == pytest.approx(follower, abs=1e-6)
        assert mdp.leader_rewards[1, state, move] == pytest.approx(leader, abs=1e-6)
    assert game.mdps[0].initial_state == (0 if environment == "FrozenLake" else 36)


def test_taxi_fits_and_too_large_a_taxi_is_refused() -> None:
    game = load("frozen_lake", environment="Taxi", num_leader_actions=2, horizon=1)
    assert game.sizes["num_states"] == 500
    with pytest.raises(InputError, match=r"num_leader_actions \* horizon.* allowed: <= 268435456"):
        load("frozen_lake", environment="Taxi", num_leader_actions=20, horizon=20)


def test_gymnasium_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium.envs", None)
    with pytest.raises(InputError, match=r"pip install stackel_bench\[gym\]"):
        load("frozen_lake")


def test_file_and_explicit_are_the_same_game(tmp_path: Path) -> None:
    written = dict(default_parameters("bandit_rl/explicit"))
    noise = written.pop("noise")
    np.savez(tmp_path / "game.npz", **{k: np.array(v) for k, v in written.items()})
    assert load("from_file", path=str(tmp_path / "game.npz")).identity == load("explicit").identity
    del written["initial_state"]
    np.savez(tmp_path / "short.npz", **{k: np.array(v) for k, v in written.items()})
    short = load("from_file", path=str(tmp_path / "short.npz"), noise=noise)
    assert short.identity == load("explicit").identity


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transitions": np.full((2, 2, 2, 2, 2), 0.4)}, r"sum of transitions\[0,0,0,0\]: found 0\.8"),
        ({"transitions": np.full((2, 2, 2, 2, 3), 1 / 3)}, r"transitions\.shape: found \(2, 2, 2, 2, 3\)"),
        ({"transitions": np.full((2, 2, 2, 2), 0.5)}, r"transitions\.shape: found \(2, 2, 2, 2\)"),
        ({"transitions": np.zeros((2, 0, 2, 2, 2))}, r"transitions\.shape: found \(2, 0, 2, 2, 2\)"),
        (
            {"transitions": np.array([1.5, -0.5]) * np.ones((2, 2, 2, 2, 2))},
            r"transitions\[0,0,0,0,1\]: found -0\.5",
        ),
        ({"leader_rewards": np.full((2, 2, 2, 2), 1.25)}, r"leader_rewards\[0,0,0,0\]: found 1\.25"),
        ({"follower_rewards": np.full((2, 2, 2, 2), -0.25)}, r"follower_rewards\[0,0,0,0\]: found -0\.25"),
        ({"follower_rewards": np.full((2, 2, 2, 2), np.nan)}, r"follower_rewards\[0,0,0,0\]: found nan"),
        ({"follower_rewards": np.ones((2, 2, 2, 3))}, r"follower_rewards\.shape"),
        ({"initial_state": 2}, "initial_state: found 2"),
        ({"initial_state": -1}, "initial_state: found -1"),
    ],
)
def test_faulty_arrays_name_the_entry(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        load("explicit", **change)
    written = {**default_parameters("bandit_rl/explicit"), **change}
    del written["noise"]
    np.savez(tmp_path / "game.npz", **{k: np.array(v) for k, v in written.items()})
    with pytest.raises(InputError, match=r"game\.npz\[" + message.split(": found")[0]):
        load("from_file", path=str(tmp_path / "game.npz"))


def test_faulty_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "game.npz", transitions=np.ones((1, 1, 1, 1, 1)))
    with pytest.raises(InputError, match=r"game\.npz\[leader_rewards\]: found .*only \['transitions'\]"):
        load("from_file", path=str(tmp_path / "game.npz"))
    ones = np.ones((1, 1, 1, 1))
    arrays = {"transitions": ones[..., None], "leader_rewards": ones, "follower_rewards": ones}
    np.savez(tmp_path / "game.npz", **arrays, initial_state=0.5)
    with pytest.raises(InputError, match=r"\[initial_state\]: found 0\.5, allowed: one integer"):
        load("from_file", path=str(tmp_path / "game.npz"))
    with pytest.raises(InputError, match=r"path: found .*missing\.npz"):
        load("from_file", path=str(tmp_path / "missing.npz"))


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("random", "concentration", 0.0),
        ("random", "num_successors", 9),
        ("random", "num_successors", 0),
        ("taxation", "progressivity", -1.0),
        ("taxation", "curvature", 2.0),
        ("taxation", "labour_cost", 0.0),
        ("taxation", "learning", 1.5),
        ("taxation", "forgetting", -0.5),
        ("taxation", "welfare_weight", float("nan")),
        ("lock", "decoy_value", 1.0),
        ("lock", "optimal_leader_action", 3),
        ("lock", "num_states", 1),
        ("lock", "num_follower_actions", 1),
        ("chain", "weakest_current", -0.1),
        ("chain", "strongest_current", 0.1),
        ("chain", "shore_reward", 2.0),
        ("chain", "dam_cost", 1.5),
        ("lower_bound", "bump", 5.0),
        ("frozen_lake", "environment", "FrozenSea"),
        ("frozen_lake", "lever", "tax"),
        ("frozen_lake", "lever_actions", [4]),
        ("frozen_lake", "lever_actions", 2),
        ("frozen_lake", "lever_size", 2.0),
        ("frozen_lake", "slipperiness", 1.5),
        ("bandit_embedding", "parameters", 3),
    ],
)
def test_wrong_parameters_are_named(name: str, field: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^((gap|{field}(\[\d\])?): found|unknown {field} )"):
        load(name, **{field: value})
