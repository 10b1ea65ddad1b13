"""Every named game: documented, built from its defaults, the same for the same parameters."""

from __future__ import annotations

import inspect
import itertools
from importlib import resources

import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.games import default_parameters, game_names, load_game
from stackel_bench.families.registry import FAMILIES, family_of

NEEDS_A_FILE = {n for n in game_names() if n.endswith(("/from_file", "/simulator", "/gymnasium"))}


@pytest.mark.parametrize("name", game_names())
def test_signature_equals_configuration(name: str) -> None:
    family, instance = name.split("/")
    builder = family_of(family).games[instance]
    assert list(inspect.signature(builder).parameters) == list(default_parameters(name))


@pytest.mark.parametrize("name", game_names())
def test_every_parameter_is_documented(name: str) -> None:
    lines = (
        resources.files("stackel_bench.conf").joinpath(f"game/{name}.yaml").read_text("utf-8").splitlines()
    )
    assert lines[0] == "# @package game"
    assert lines[1].startswith("# ")
    assert lines[2] == f"name: {name}"
    for above, line in itertools.pairwise(lines[2:]):
        assert line.startswith(("#", " ")) or above.startswith("# "), line


@pytest.mark.parametrize("name", sorted(NEEDS_A_FILE))
def test_a_file_must_be_named(name: str) -> None:
    with pytest.raises(
        InputError, match=r"^(path|game\.simulate|game\.make): found None, allowed: .*(existing file|FILE:)"
    ):
        load_game(name)


@pytest.mark.parametrize("name", [n for n in game_names() if "instance_seed" in default_parameters(n)])
def test_instance_seed_makes_the_instance(name: str) -> None:
    identities = {load_game(name, instance_seed=seed).identity for seed in (0, 1, 2)}
    assert len(identities) == 3
    with pytest.raises(InputError, match="instance_seed: found -1"):
        load_game(name, instance_seed=-1)


@pytest.mark.parametrize("name", sorted(set(game_names()) - NEEDS_A_FILE))
@pytest.mark.parametrize(
    "size",
    ["num_leader_actions", "num_follower_actions", "num_states", "horizon", "dimension", "num_risky"],
)
def test_no_size_may_be_zero_or_fractional(name: str, size: str) -> None:
    if size not in default_parameters(name):
        return
    for value in (0, -3, 2.5, True, "4"):
        with pytest.raises(InputError, match=f"^{size}: found"):
            load_game(name, **{size: value})


@pytest.mark.parametrize("name", sorted(set(game_names()) - NEEDS_A_FILE))
def test_unknown_parameters_and_noise_are_named(name: str) -> None:
    with pytest.raises(InputError, match=r"^unknown key game\.nonsense"):
        load_game(name, nonsense=1)
    if "noise" in default_parameters(name):
        with pytest.raises(InputError, match="unknown noise 'loud'; choose one of"):
            load_game(name, noise="loud")


def test_unknown_game_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"did you mean bandit/trap\?"):
        load_game("bandit/trapp")


def test_builders_without_configuration_do_not_exist() -> None:
    for family in FAMILIES:
        known = {name.split("/")[1] for name in game_names() if name.startswith(f"{family}/")}
        if known:
            assert set(family_of(family).games) == known
