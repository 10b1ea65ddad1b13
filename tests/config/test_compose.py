"""Composition: Hydra's own results by a faster path, Hydra's sweep grammar, and one sentence per mistake."""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
from typing import Any

import pytest
from hydra import compose, initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from stackel_bench.config.compose import Composer
from stackel_bench.config.groups import describe, group_names, options
from stackel_bench.config.overrides import alternatives, merge_overrides, parse, product
from stackel_bench.config.settings import Settings, cell_scalar
from stackel_bench.errors import InputError
from stackel_bench.learners.budget import make_budget
from stackel_bench.sweeps.cell import CellBuilder

COMPOSER = Composer()


def by_hydra(overrides: list[str]) -> Any:
    """All overrides at once through Hydra itself."""
    GlobalHydra.instance().clear()
    with initialize_config_module("stackel_bench.conf", version_base="1.3"):
        return OmegaConf.to_container(compose("config", overrides), resolve=True, throw_on_missing=True)


def check(overrides: list[str]) -> Settings:
    """Everything that is built from a configuration, built."""
    composed = COMPOSER.compose(overrides)
    CellBuilder().build(composed)
    return Settings.of(composed)


COMBINATIONS = [
    [],
    ["game=bandit/lower_bound", "game.gap=0.05", "algorithm=plug_in", "execution=serial", "seed=7"],
    ["game=bandit_rl/lock", "algorithm.explorer=rf_ucrl", "game.horizon=9", "tracking=off"],
    ["+algorithm.explorer_options.a=1", "budget=fixed", "budget.samples=1000", "budget.epsilon=1"],
    ["output='a b'", "tie_breaking=optimistic", "budget.samples=null", "budget=ladder", "~seed"],
    ["game=bandit/explicit", "game.leader_means=[[1,0]]", "game.follower_means=[[0.5,0.25]]", "limit=3"],
]


@pytest.mark.parametrize("overrides", COMBINATIONS, ids=lambda overrides: " ".join(overrides) or "none")
def test_the_fast_path_is_hydras_result(overrides: list[str]) -> None:
    added = [f"++{text}" if text.startswith(("algorithm.", "budget.")) else text for text in overrides]
    expected = by_hydra(added)
    expected.setdefault("seed", 0)  # a deleted value has its default
    assert COMPOSER.compose(overrides) == expected


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(
            ["budget.epsilon", "budget.delta", "budget.scale", "seed", "game.num_risky", "limit"]
        ),
        st.integers(0, 10**6),
    ),
    st.dictionaries(st.sampled_from(["output", "tie_breaking", "study.name"]), st.text("abc_-", min_size=1)),
)
def test_values_are_where_they_were_put(numbers: dict[str, int], words: dict[str, str]) -> None:
    """Everything else stays as it was; the plain path agrees."""
    overrides = [f"{key}={value}" for key, value in (numbers | words).items()]
    config = COMPOSER.compose(overrides)
    expected = copy.deepcopy(COMPOSER.compose([]))
    for key, value in (numbers | words).items():
        *path, last = key.split(".")
        functools.reduce(dict.__getitem__, path, expected)[last] = value
    assert config == expected


CHOSEN = [group for group in group_names() if group in COMPOSER.compose([])]


def test_the_groups_of_the_root() -> None:
    assert CHOSEN == ["algorithm", "budget", "execution", "game", "study", "tracking"]


@pytest.mark.parametrize("group", CHOSEN)
def test_every_option_composes_under_its_own_name(group: str) -> None:
    for option in options(group):
        config = COMPOSER.compose([f"{group}={option}"])
        assert describe(group, option)
        named = config[group]["kind" if group in ("budget", "execution", "tracking") else "name"]
        assert named == option


def test_values_have_their_types() -> None:
    built = CellBuilder().build(COMPOSER.compose(["budget=fixed", "budget.epsilon=1", "budget.samples=1e6"]))
    assert type(built.config["budget"]["epsilon"]) is float
    assert built.config["budget"]["samples"] == 10**6
    assert type(built.config["budget"]["samples"]) is int


def test_references_are_resolved_before_anything_runs() -> None:
    config = COMPOSER.compose(["budget.epsilon=0.25", "game=bandit/gap", "game.epsilon=${budget.epsilon}"])
    assert config["game"]["epsilon"] == 0.25
    assert COMPOSER.compose(["seed=5", "game.num_risky=${seed}"])["game"]["num_risky"] == 5


@pytest.mark.parametrize(
    ("overrides", "field", "message"),
    [
        (["gam=bandit/trap"], "gam", "did you mean game.*known here: algorithm, budget"),
        (["budget.epsilom=1"], "budget.epsilom", "did you mean budget.epsilon"),
        (["game.num_riski=1"], "game.num_riski", "did you mean game.num_risky"),
        (["a.b.c=1"], "a.b.c", "known here: algorithm, budget"),
        (["seed.x=1"], "seed.x", "nothing can be set here"),
        (["game=bandit/trapp"], "game", r"^unknown .*did you mean bandit/trap\?\); choose one of bandit/"),
        (["game=trap"], "game", "one of bandit/"),
        (["algorithm=papper"], "algorithm", "did you mean paper"),
        (["budget=null"], "budget", "one of fixed, ladder, scaled, theory"),
        (["study=nope"], "study", "one of .*quickstart"),
        (["budget.epsilon=small"], "budget.epsilon", "a number"),
        (["seed=1.5"], "seed", "an integer"),
        (["replicates=[1]"], "replicates", "an integer"),
        (["budget.epsilon=null"], "budget.epsilon", "a number"),
        (["dry_run=perhaps"], "dry_run", "true or false"),
        (["~budget"], "budget", "budget cannot be removed"),
        (["seed=1,2"], "seed", "a single value here"),
        (["seed=${output}"], "seed", "an integer"),
        (["seed=${nothing}"], "overrides", "'nothing' not found"),
        (["seed=???"], "seed", "a value"),
        (["output='${output}'"], "overrides", "Recursive"),
        (["nonsense"], "override", "KEY=VALUE"),
        (["=1"], "", "unknown key"),
        (["seed=("], "override", "KEY=VALUE"),
        (["hydra.run.dir=x"], "hydra.run.dir", "unknown key"),
        (["+budget.epsilom=1"], "budget.epsilom", "did you mean budget.epsilon"),
        (["++new=1"], "new", "unknown key new"),
    ],
)
def test_mistakes_are_one_sentence(overrides: list[str], field: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(overrides)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("seed=3", ["seed=3"]),
        ("seed=1,2", ["seed=1", "seed=2"]),
        ("seed=choice(4,5)", ["seed=4", "seed=5"]),
        ("seed=range(1,4)", ["seed=1", "seed=2", "seed=3"]),
        ("seed=range(4)", ["seed=0", "seed=1", "seed=2", "seed=3"]),
        ("budget.epsilon=range(0.25,1,0.25)", [f"budget.epsilon={x}" for x in (0.25, 0.5, 0.75)]),
        ("seed=sort(3,1,2)", ["seed=1", "seed=2", "seed=3"]),
        ("algorithm=paper,plug_in", ["algorithm=paper", "algorithm=plug_in"]),
        ("budget=glob(*d)", ["budget=fixed", "budget=scaled"]),
        ("budget=glob([f*,l*],exclude=fixed)", ["budget=ladder"]),
        ("game=glob(bandit/t*)", ["game=bandit/taxation", "game=bandit/trap"]),
        ("output='a,b'", ["output='a,b'"]),
        ("output='a b',c", ["output='a b'", "output=c"]),
        ("algorithm.explorer_options={a: 1},{a: 2}", [f"algorithm.explorer_options={{a:{n}}}" for n in "12"]),
    ],
)
def test_sweeps_are_hydras_grammar(override: str, expected: list[str]) -> None:
    found = alternatives(override)
    assert [text.replace(": ", ":") for text in found] == expected
    for single in found:
        COMPOSER.compose([single])


def test_a_game_glob_is_what_the_names_say() -> None:
    found = alternatives("game=glob(*,exclude=*/from_file)")
    assert found == [f"game={name}" for name in options("game") if not name.endswith("from_file")]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed=glob(*)", r"glob\(\.\.\.\) works for"),
        ("budget=glob(zzz)", "one of fixed"),
        ("seed=range(1,3,0)", "can be listed"),
        ("seed=range(3,1)", "at least one value"),
        ("seed=interval(0,1)", "can be listed"),
        ("seed=range(0,100000000000)", "at most"),
        ("budget=theory,fixd", "."),
    ],
)
def test_sweeps_that_cannot_be_meant(override: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        [COMPOSER.compose([single]) for single in alternatives(override)]


def test_products_vary_the_last_override_fastest() -> None:
    found = list(product(["seed=1,2", "algorithm=paper", "budget=theory,fixed"]))
    assert [tuple(cell) for cell in found] == [
        (f"seed={seed}", "algorithm=paper", f"budget={budget}")
        for seed in (1, 2)
        for budget in ("theory", "fixed")
    ]
    assert list(product([])) == [[]]
    with pytest.raises(InputError, match="number of cells"):
        product([f"{key}=range(10000)" for key in ("seed", "replicates", "limit")])


def test_stronger_overrides_replace_weaker_ones_of_the_same_key() -> None:
    merged = merge_overrides(["seed=1", "budget=fixed", "budget.samples=5"], ["seed=2,3", "budget=theory"])
    assert merged == ["budget.samples=5", "seed=2,3", "budget=theory"]


KEYS = st.sampled_from(
    (*CHOSEN, "seed", "budget.epsilon", "budget.samples", "game.num_risky", "output", "replicates", "x.y")
)
VALUES = st.one_of(
    st.sampled_from(["null", "???", "${seed}", "${oc.env:HOME}", "[]", "{}", "{a: 1}", "1e400", "nan", "-0"]),
    st.sampled_from(["range(1,3)", "choice(1,2)", "glob(*)", "interval(0,1)", "int(1.5)", "shuffle(1,2)"]),
    st.sampled_from(list(options("game"))[:5] + list(options("budget")) + list(options("algorithm"))),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=8),
    st.text(alphabet="$_{}[]()',\"=:.~+@/ \\1aé?*", max_size=10),
)
OVERRIDES = st.one_of(
    st.tuples(KEYS, VALUES).map("=".join),
    st.tuples(st.sampled_from(["+", "++", "~"]), KEYS, VALUES).map(lambda t: f"{t[0]}{t[1]}={t[2]}"),
    st.tuples(KEYS, VALUES, VALUES).map(lambda t: f"{t[0]}={t[1]},{t[2]}"),
    st.text(max_size=12),
    st.text(alphabet="seed=+~@${}()[],.'\"\\0 ", max_size=12),
)


@settings(max_examples=150)
@given(st.lists(OVERRIDES, max_size=3))
@example(["seed=${seed}"])
@example(["game@x=bandit/trap"])
@example(["budget@budget=theory"])
@example(["seed=\x00"])
@example(["game.name=[1]"])
@example(["seed=" + "(" * 200])
def test_any_text_is_a_valid_configuration_or_a_mistake_with_a_name(overrides: list[str]) -> None:
    """Nothing else may come out, whatever is typed."""
    with contextlib.suppress(InputError):
        for cell in itertools.islice(product(overrides), 2):
            composed = COMPOSER.compose(cell)
            assert isinstance(Settings.of(composed).output, str)
            assert isinstance(cell_scalar("seed", composed), int)
            assert isinstance(make_budget(**composed["budget"]).epsilon, float)


@pytest.mark.parametrize(
    "text", ["seed=0", "game.instance_seed=17", "budget.samples=-3", "seed=100000000000000000"]
)
def test_whole_numbers_are_parsed_as_hydra_does(text: str) -> None:
    """A short cut for sweeps over seeds: equal to the grammar's own answer in every field."""
    by_grammar = OverridesParser.create().parse_override(text)
    assert parse(text) == by_grammar
    assert parse(text).value() == by_grammar.value()
    assert type(parse(text).value()) is int
