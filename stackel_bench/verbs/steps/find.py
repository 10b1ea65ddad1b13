"""A sweep that has been run, found by overrides, study name or id, and where its runs are logged."""

from collections.abc import Sequence
from pathlib import Path

from stackel_bench.config.compose import Composer
from stackel_bench.config.settings import Settings, TrackingSettings
from stackel_bench.errors import InputError, NoEffectError, UnknownKeyError, expanded
from stackel_bench.reporting.find_sweep import describe, existing_sweeps, find_sweep
from stackel_bench.reporting.merged_sweeps import merged_sweeps
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.results import files
from stackel_bench.sweeps.folder import sweep_folder
from stackel_bench.sweeps.plan import make_plan
from stackel_bench.tracking.start import require_answer, validate_tracking


def read_results(overrides: Sequence[str], several: bool = False) -> SweepResults:
    """The results that the overrides of a sweep, or `study=NAME` or `sweep=ID` alone, stand for.

    A folder or an id without a key is `sweep=` too. Without any of these, those of the latest sweep. Where
    several will do, `sweep=ID,ID` merges them; what is made of them goes to OUTPUT/reports/ID+ID.
    """
    overrides = named_by_key(overrides)
    given = _given(overrides)
    output = Path(given.get("output", "."))
    if "sweep" in given:
        for key in given:
            if key != "sweep" and not _is_where(key):
                raise NoEffectError(key, "sweep=ID names the cells; only output and tracking go with it")
        results = named_sweeps(given["sweep"], output) if several else named_sweep(given["sweep"], output)
    elif all(_is_where(key) for key in given):
        results = _latest(output)
    else:
        results = _by_plan(list(overrides), given, output)
    if not results.entries:
        sentence = f"{results.folder} has no finished or failed cells yet"
        raise InputError("sweep", results.sweep_id, "a sweep with results", sentence)
    return results


def split_names(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The folders, studies and ids that stand alone among the words, and the other words."""
    names = [word for word in words if word and ("=" not in word or Path(word).exists())]
    return names, [word for word in words if word not in names]


def named_by_key(words: Sequence[str]) -> list[str]:
    """The words, with what stands alone among them as one `sweep=A,B`."""
    names, rest = split_names(words)
    return [f"sweep={','.join(names)}", *rest] if names else rest


def given_options(words: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE of a verb that takes a few keys of its own; an InputError answers any other word."""
    given = {}
    for word in words:
        key, equals, given[key] = word.partition("=")
        if not equals:
            raise InputError("option", word, "KEY=VALUE, where KEY is one of " + ", ".join(known))
        if key not in known:
            raise UnknownKeyError(key, known)
    return given


def _latest(output: Path) -> SweepResults:
    sweeps = existing_sweeps(output)
    if not sweeps:
        sentence = f"no sweep in {output.resolve() / files.SWEEPS}: {describe(sweeps)}"
        raise InputError("sweep", "nothing", "a sweep that has been run", sentence)
    print(f"the latest sweep, {sweeps[0].name} (sweep=ID or study=NAME names another)")
    return read_sweep(sweeps[0].resolve())


def named_sweep(name: str, output: Path) -> SweepResults:
    """The results of the sweep with this id, study name or folder."""
    return read_sweep(find_sweep(name, output, "sweep"))


def named_sweeps(names: str, output: Path) -> SweepResults:
    """The results of one or several sweeps, merged, from their ids, study names or folders with commas."""
    if "," not in names or (Path(names) / files.JOURNAL).exists():
        return named_sweep(names, output)
    parts = [named_sweep(name, output) for name in names.split(",")]
    folder = "+".join(dict.fromkeys(part.sweep_id or part.folder.name for part in parts))
    return merged_sweeps(parts, expanded("output", output).resolve() / files.REPORTS / folder)


def _by_plan(overrides: list[str], given: dict[str, str], output: Path) -> SweepResults:
    by_name = "study" in given and all(key == "study" or _is_where(key) for key in given)
    try:
        plan = make_plan(overrides)
    except InputError as error:
        if by_name and error.field == "study":  # named on the command line of its sweep, not in a file
            return read_sweep(find_sweep(given["study"], output))
        raise
    folder = sweep_folder(plan)
    if (folder / files.JOURNAL).exists():
        facts = {"study": plan.study, "question": plan.question, "planned": len(plan.cells)}
        return read_sweep(folder, [cell.cell_id for cell in plan.cells], **facts)
    if by_name:
        return read_sweep(find_sweep(plan.study, output))
    existing = describe(existing_sweeps(output))
    sentence = f"this sweep has not been run: there is no {folder}. There are: {existing}"
    raise InputError("sweep", folder.name, "one that has been run", sentence)


def tracking_settings(overrides: Sequence[str]) -> TrackingSettings:
    """The group tracking/ of these overrides, once whatever it names does answer."""
    own = [override for override in overrides if override.split("=")[0].split(".")[0] == "tracking"]
    settings = Settings.of(Composer().compose(own)).tracking
    validate_tracking(settings)
    require_answer(settings, Path(_given(overrides).get("output", ".")))
    return settings


def _is_where(key: str) -> bool:
    return key.split(".")[0] in ("output", "tracking")


def _given(overrides: Sequence[str]) -> dict[str, str]:
    return dict(override.partition("=")[::2] for override in overrides)
