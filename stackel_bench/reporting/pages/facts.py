"""Numbers and facts that the report states: about the sweep, its families and how it was run."""

import json
import platform
import time
from collections import defaultdict
from importlib.metadata import version

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.numbers import count, span

_LIBRARIES = ("numpy", "scipy", "numba", "ray", "mlflow", "matplotlib")
_MOST_VALUES = 12


def cost(results: SweepResults) -> dict[str, str]:
    """The sweep in a few numbers; samples are the cost that does not depend on the machine."""
    facts = {"cells finished of those planned": f"{len(results.finished)} / {results.planned}"}
    if not results.cells.empty:
        facts["replicates per cell"] = span(results.cells["replicates"])
        facts["samples drawn"] = count(results.samples_drawn)
        facts["seconds of one worker"] = f"{sum(entry.busy_seconds for entry in results.entries):.1f}"
    return facts


def provenance(results: SweepResults) -> dict[str, str]:
    """Command, versions, seeds and size of the sweep."""
    seeds = list(dict.fromkeys(str(entry.description["seed"]) for entry in results.entries))
    done = [entry.finished_at for entry in results.entries if entry.finished_at]
    libraries = (f"{name} {version(name)}" for name in _LIBRARIES)
    return {
        "command": results.command,
        "sweep": results.sweep_id,
        "stackel_bench": results.version,
        "commit": results.commit or "not run from a checkout",
        "made with": ", ".join([f"Python {platform.python_version()}", *libraries]),
        "seeds": _listed(sorted(seeds)),
        "last cell finished": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(max(done))) if done else "–",
        "samples drawn": f"{results.samples_drawn:,.0f}",
    }


def configuration(results: SweepResults) -> dict[str, str]:
    """The values that each key of the configuration takes in the sweep."""
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for part in results.flat.parts:
        for key, value in part.items():
            values[key][value if isinstance(value, str) else json.dumps(value)] = None
    return {key: _listed(list(known)) for key, known in values.items()}


def _listed(values: list[str]) -> str:
    more = f" … ({len(values)} values)" if len(values) > _MOST_VALUES else ""
    return ", ".join(values[:_MOST_VALUES]) + more
