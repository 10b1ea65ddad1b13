"""The contract of games: identity, sizes, samples that agree with the truth, and a truth out of sight."""

import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.family import Measured
from stackel_bench.families.from_outside import keyword_defaults, outside_game
from stackel_bench.families.games import default_parameters, load_game
from stackel_bench.families.registry import family_of
from stackel_bench.outside.code import Code
from stackel_bench.outside.reference import Loaded
from stackel_bench.streams import generator
from stackel_bench.testing.common import content, contract_of, sent
from stackel_bench.testing.report import Report, methods_of, require, run_checks
from stackel_bench.text import plural
from stackel_bench.tolerances import SUM_TIE

FALSE_ALARM = 1e-6  # probability that samples which agree with the truth are found not to
_SAMPLES = 10_000  # of each kind: means are told apart from about 0.06 on if rewards are in [0,1]
_UNJUDGED_SAMPLES = 4  # where there is no truth to compare with: a program may take long


def check_game(game: Any, *, raises: bool = True, **parameters: Any) -> Report:
    """The report on a game, on its name, or on the function that builds it; a ContractError if a check fails.

    A name or a function is built with the parameters given, and again with others, one changed at a time.
    """
    checks = _Checks(game, parameters)
    family_of(checks.game.family)
    return run_checks(str(checks.game.name), methods_of(_Checks), [checks], raises)


class _Checks:
    """The checks by name."""

    def __init__(self, source: Any, parameters: Mapping[str, Any]) -> None:
        self.source, self.parameters = source, parameters
        self.game = self._build()
        self.contract = contract_of(self.game.family)

    def _build(self, **changed: Any) -> Any:
        """The game with these parameters changed."""
        given = {**self.parameters, **changed}
        if isinstance(self.source, str):
            return load_game(self.source, **given)
        name = getattr(self.source, "__name__", type(self.source).__name__)
        return outside_game(name, Loaded(self.source, name, Code()), given)

    def _measure(self, game: Any, block: int = 0) -> list[Measured]:
        """Samples of the game by a key of their own."""
        for samples in (_UNJUDGED_SAMPLES, _SAMPLES):
            found = list(self.contract.measure(game, samples, generator("check_game", block)))
            if all(each.true_means is None for each in found):
                break
        return found

    @functools.cached_property
    def measured(self) -> list[Measured]:
        """Samples of this game."""
        return self._measure(self.game)

    def sizes(self) -> str:
        """All sizes of the family, as positive integers."""
        sizes, wanted = self.game.sizes, set(family_of(self.game.family).sizes)
        require(set(sizes) == wanted, f"{sorted(sizes)}, not {sorted(wanted)}")
        require(all(type(n) is int and n >= 1 for n in sizes.values()), f"{sizes}: not positive integers")
        return ", ".join(f"{name} {size}" for name, size in sizes.items())

    def sampler(self) -> str:
        """It says how many replicates share a stream, and whether a unit is worth a task."""
        sampler = self.game.sampler
        size, alone = getattr(sampler, "block_size", None), getattr(sampler, "job_per_unit", None)
        require(type(size) is int and size >= 1, f"block_size is {size}, not a positive integer")
        require(isinstance(alone, bool), f"job_per_unit is {alone}, not True or False")
        return f"blocks of {size} replicates"

    def samples(self) -> str:
        """Sums of the right shape, finite, within what single samples allow."""
        for each in self.measured:
            found = np.shape(each.sums)
            require(found == each.shape, f"{each.what}: shape {found}, not {each.shape}")
            require(np.isfinite(each.sums).all(), f"{each.what}: not all finite")
            low, high = (np.where(each.counts, each.counts, 0) * end for end in _ends(each))
            inside = (each.sums >= low - SUM_TIE) & (each.sums <= high + SUM_TIE)
            require(inside.all(), f"{each.what}: some samples are outside [{each.low}, {each.high}]")
        return f"{len(self.measured)} kinds, right in shape and range"

    def determinism(self) -> str:
        """Same generator, same samples; another one, others unless there is no noise."""
        first = content([np.asarray(each.sums) for each in self.measured])
        again = content([np.asarray(each.sums) for each in self._measure(self.game)])
        require(first == again, "the same generator gives other samples: draw from the rng given only")
        return "same generator, same samples"

    def means(self) -> str:
        """Samples agree with the truth up to what sub-Gaussian noise explains."""
        known = [each for each in self.measured if each.true_means is not None]
        if not known:
            return "not checked: the truth is not known"
        total = sum(np.size(each.sums) for each in known)
        for each in known:
            counts = np.broadcast_to(each.counts, np.shape(each.sums))
            seen = counts > 0
            allowed = each.scale * np.sqrt(2 * math.log(2 * total / FALSE_ALARM) / counts[seen])
            off = np.abs(each.sums[seen] / counts[seen] - np.asarray(each.true_means)[seen])
            worst = int((off - allowed).argmax()) if off.size else 0
            require(
                (off <= allowed + SUM_TIE).all(),
                f"{each.what}: off the truth by {off[worst]:.4g}, noise is {allowed[worst]:.4g}",
            )
        return f"{total} means agree with the truth, false-alarm rate {FALSE_ALARM:g}"

    def truth_hidden(self) -> str:
        """No public member of the sampler is the truth."""
        sampler = self.game.sampler
        plain = (str, bytes, int, float, bool, type(None), dict, type)
        members = [getattr(self.game, name) for name in dir(self.game) if not name.startswith("_")]
        truth = [part for part in members if not isinstance(part, plain) and not callable(part)]
        truth = [self.game, *(part for part in truth if part is not sampler)]
        means = [each.true_means for each in self.measured if each.true_means is not None]
        for name in (name for name in dir(sampler) if not name.startswith("_")):
            value = getattr(sampler, name)
            bare = name != "shape" and any(value is part for part in truth)
            told = isinstance(value, np.ndarray) and any(np.array_equal(value, each) for each in means)
            require(not bare and not told, f"sampler.{name} is the truth: learners must not see it")
        return "no public member of the sampler is the truth"

    def identity_stable(self) -> str:
        """Same content, same identity."""
        identity = self.game.identity
        require(isinstance(identity, str) and identity, f"identity {identity!r} is no text")
        require(self._build().identity == identity == self.game.identity, "built again, another identity")
        return str(identity)

    def identity_tells_apart(self) -> str:
        """Games that differ have different identities."""
        tried, here = 0, self._law(self.game)
        for key, value in self._others():
            try:
                other = self._build(**{key: value})
                there = self._law(other)
            except (InputError, TypeError, ValueError):
                continue  # not every neighbour of a default is allowed
            tried += 1
            same = other.identity == self.game.identity
            require(here == there or not same, f"{key}={value} is another game with the same identity")
        if not tried:
            return "not checked: there are no parameters to change"
        return f"{plural(tried, 'parameter')} changed"

    def pickles(self) -> str:
        """A worker gets the same game."""
        again = sent(self.game)
        require(again.identity == self.game.identity, "another identity on a worker")
        same = [
            np.array_equal(a.sums, b.sums) for a, b in zip(self._measure(again), self.measured, strict=True)
        ]
        require(all(same), "other samples on a worker")
        return "same identity and samples on a worker"

    def _others(self) -> Iterator[tuple[str, Any]]:
        if isinstance(self.source, str):
            defaults: Mapping[str, Any] = default_parameters(self.source)
        else:
            defaults = keyword_defaults(self.source) if callable(self.source) else {}
        for key, value in {**defaults, **self.parameters}.items():
            if type(value) is int:
                yield key, value + 1
            elif type(value) is float:
                yield key, value * 0.9 if value else 0.1

    def _law(self, game: Any) -> bytes:
        """What a game is, as far as it is known: sizes, true means, scales of the noise."""
        kinds = self._measure(game)
        means = [None if each.true_means is None else np.asarray(each.true_means) for each in kinds]
        return content((dict(game.sizes), [m if m is None else m.tobytes() for m in means], kinds[0].scale))


def _ends(each: Measured) -> tuple[float, float]:
    return max(each.low, -1e300 / _SAMPLES), min(each.high, 1e300 / _SAMPLES)
