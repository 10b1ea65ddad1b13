"""`stackel-bench verify`: whether the results of a sweep can be relied on."""

from pathlib import Path

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.reporting.find_sweep import find_sweep
from stackel_bench.sweeps.folder import require_idle
from stackel_bench.sweeps.verify import Verification
from stackel_bench.text import number_of, plural
from stackel_bench.verbs.steps.find import given_options, named_by_key


def main(words: list[str]) -> int:
    """Print every finding, then how much was checked; 1 if there was a finding."""
    given = given_options(named_by_key(words), ("sweep", "study", "output", "recompute"))
    if ("sweep" in given) == ("study" in given):
        raise InputError("sweep", words, "one sweep", "verify takes one folder, study or sweep id")
    field = "study" if "study" in given else "sweep"
    folder = find_sweep(given[field], Path(given.get("output", ".")), field)
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


def _fraction(text: str) -> float:
    try:
        value = number_of(text)
    except ValueError:
        raise InputError("recompute", text, "a number from 0 to 1") from None
    return checks.real("recompute", value, least=0, most=1)
