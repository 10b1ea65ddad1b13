"""`stackel-bench verify`: whether the results of a sweep can be relied on."""

from pathlib import Path

from stackel_bench import checks
from stackel_bench.errors import InputError, UnknownKeyError
from stackel_bench.reporting.find_sweep import find_sweep
from stackel_bench.sweeps.folder import require_idle
from stackel_bench.sweeps.verify import Verification
from stackel_bench.text import number_of, plural
from stackel_bench.verbs.steps.find import named_by_key

_KEYS = ("sweep", "study", "output", "recompute")


def main(words: list[str]) -> int:
    """Print every finding, then how much was checked; 1 if there was a finding."""
    given = _given(words)
    folder = _folder(given)
    require_idle(folder)
    verification = Verification(folder, _fraction(given.get("recompute", "0")))
    if verification.note:
        print(verification.note)
    count = 0
    for finding in verification.findings():
        count += 1
        print(finding)
    checked, found = plural(verification.checked, "cell"), plural(count, "finding")
    print(f"{checked} checked, {verification.recomputed} recomputed, {found}")
    return 1 if count else 0


def _given(words: list[str]) -> dict[str, str]:
    """The options; a word without a key is the sweep."""
    given = dict(word.partition("=")[::2] for word in named_by_key(words))
    for key in given:
        if key not in _KEYS:
            raise UnknownKeyError(key, _KEYS)
    if ("sweep" in given) == ("study" in given):
        raise InputError("sweep", words, "one sweep", "verify takes one folder, study or sweep id")
    return given


def _folder(given: dict[str, str]) -> Path:
    output = Path(given.get("output", "."))
    if "study" in given:
        return find_sweep(given["study"], output)
    return find_sweep(given["sweep"], output, "sweep")


def _fraction(text: str) -> float:
    try:
        value = number_of(text)
    except ValueError:
        raise InputError("recompute", text, "a number from 0 to 1") from None
    return checks.real("recompute", value, least=0, most=1)
