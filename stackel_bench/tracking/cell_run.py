"""What a cell's run says in MLflow: tags, parameters, metrics, files. Pure functions of its entry."""

import functools
import json
import math
from collections.abc import Iterator, Mapping

import yaml

from stackel_bench.results.colours import SHADES, cell_colour
from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED, lookup, shown_in
from stackel_bench.results.entry import FAILED, FINISHED, Entry, Head
from stackel_bench.results.frames import entry_verdict
from stackel_bench.results.numbers import count, interval, needed, needed_with_interval, small
from stackel_bench.results.varying import flat_items
from stackel_bench.tracking.curve_picture import curve_picture
from stackel_bench.tracking.links import equals, search_link
from stackel_bench.tracking.run_record import Point, RunRecord

KIND = "cell"
ENTRY_FILE = "cell.json"
CONFIG_FILE = "config.yaml"
RECORDS_FILE = "records.parquet"
ACTIONS_FILE = "actions.parquet"
PICTURE_FILE = "curve.png"
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # in C where PyYAML was built so: eight times faster


def cell_run(
    entry: Entry,
    tags: Mapping[str, str],
    records: bytes | None = None,
    actions: bytes | None = None,
    experiment_id: str = "",
) -> RunRecord:
    """The run of a finished or failed cell with its tables (Parquet), to be part of an experiment."""
    outcome = outcome_tags(entry)
    told = {**outcome, "mlflow.note.content": cell_description(entry, outcome, experiment_id)}
    end = round(entry.finished_at * 1000)
    return RunRecord(
        kind=KIND,
        key=entry.cell_id,
        name=entry.label,
        tags={**identity_tags(entry), **tags, **told},
        params=parameters(entry),
        points=points(entry),
        artifacts=artifacts(entry, records, actions),
        finished=entry.state == FINISHED,
        start=end - round(entry.wall_seconds * 1000),
        end=end,
    )


def expected_artifacts(head: Head) -> set[str]:
    """The files that the run of a finished cell has."""
    tables = {RECORDS_FILE: head.records_digest, ACTIONS_FILE: head.actions_digest}
    return {ENTRY_FILE, CONFIG_FILE, *(name for name, digest in tables.items() if digest)}


def identity_tags(entry: Entry) -> dict[str, str]:
    """What the cell is, the configuration keys that tell the cells of its sweep apart, and its colour."""
    described = [column.name for column in shown_in("tag") if entry.description.get(column.name)]
    tags = {name: str(entry.description[name]) for name in described}
    values = dict(flat_items(entry.config))
    tags |= {key: str(values[key]) for key in entry.varying if values.get(key) is not None}
    colour, tie = cell_colour(entry.description), str(entry.description.get("tie_breaking"))
    return {
        **tags,
        "stackel.seed": str(entry.description["seed"]),
        "pair": pair_name(entry),
        "order": f"{pair_name(entry)} {list(SHADES).index(tie) if tie in SHADES else tie}",
        **({"mlflow.runColor": colour} if colour else {}),
    }


def pair_name(entry: Entry) -> str:
    """The run's name without its tie-breaking: equal for cells that differ in nothing else."""
    return entry.label.partition(" ")[2]


def cell_description(entry: Entry, tags: Mapping[str, str], experiment_id: str) -> str:
    """Markdown for the run's page: verdict and cell, numbers with intervals (tags), links, then all lines."""
    what, metrics = entry.description, entry.metrics
    if entry.state != FINISHED:
        return f"**failed**: {entry.error}"[:2000]
    if "game" not in what or "guarantee" not in metrics:
        earned = f" The leader earns {tags['earns']} in fresh play." if "earns" in tags else ""
        return f"**{tags.get('verdict', 'not judged: nobody knows the truth of this game')}**{earned}"
    learner = " ".join(
        filter(None, [str(what["algorithm"]), what.get("explorer") and f"({what['explorer']})"])
    )
    budget = f"with {count(metrics['samples'])} samples, {what['replicates']} replicates"
    needs = f" · **needs** {tags['needs']} samples" if "needs" in tags else ""
    pair = search_link(experiment_id, equals("pair", pair_name(entry)))
    game = search_link(experiment_id, equals("game", str(what["game"])))
    lines = [
        f"**{tags['verdict']}** · {learner} on {what['game']}, {what['tie_breaking']} tie-breaking, "
        f"ε = {what['epsilon']:g}, {budget}  ",
        f"**fails** {tags['failure']}, allowed δ = {what['delta']:g} · **loses** {tags['loss']}, "
        f"allowed {tags['allowed']}{needs} (95 % intervals)  ",
        f"[Both tie-breakings of this cell]({pair}) · [All of this game]({game})",
    ]
    if len(entry.rungs) > 1:
        lines[-1] += f" · learning curve: artifact `{PICTURE_FILE}`"
        lines += ["", "| samples | fails | 95 % | loses | 95 % |", "|---|---|---|---|---|"]
    for rung in entry.rungs if len(entry.rungs) > 1 else ():
        cells = [count(rung["samples"])]
        for key in ("failure_probability", "value_suboptimality"):
            cells += [small(rung[key]), interval(rung[f"{key}_low"], rung[f"{key}_high"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)[:7900]


def outcome_tags(entry: Entry) -> dict[str, str]:
    """The verdict on a finished cell and its main numbers with 95 % intervals, as people read them."""
    if entry.state != FINISHED:
        return {}
    metrics = entry.metrics
    verdict = entry_verdict(entry)
    tags = {"verdict": verdict} if verdict else {}
    named = {"failure": "failure_probability", "loss": "value_suboptimality", "earns": "played_leader_value"}
    for word, key in named.items():
        if f"{key}_low" in metrics:
            tags[word] = f"{small(metrics[key])} {interval(metrics[f'{key}_low'], metrics[f'{key}_high'])}"
    if "guarantee" in metrics:
        tags["allowed"] = small(metrics["guarantee"])
    if needed(metrics) != "–":
        tags["needs"] = needed_with_interval(metrics)
    return tags


def parameters(entry: Entry) -> dict[str, str]:
    """The configuration without what is not set."""
    return {key: str(value) for key, value in flat_items(entry.config) if value not in (None, "", [], {})}


def points(entry: Entry) -> list[Point]:
    """Headline numbers, and the learning curve with the sample count as step where there is one."""
    curves = entry.rungs if len(entry.rungs) > 1 else ()
    along = set(curves[0]) if curves else set()
    found = [Point(key, value) for key, value in entry.metrics.items() if key not in along]
    found += [Point(key, value) for key, value in _logarithms(entry)]
    for rung in curves:
        found += [Point(key, value, round(rung["samples"])) for key, value in rung.items()]
    named = [Point(metric_key(key), value, step) for key, value, step in found]
    return [*(point for point in named if _is_shown(point.metric)), Point("wall_seconds", entry.wall_seconds)]


def metric_key(name: str) -> str:
    """The column's name in MLflow, whose charts fold what is before a slash into one section."""
    return name.replace("diagnostic_", "diagnostic/", 1)


def _is_shown(name: str) -> bool:
    try:
        return "mlflow" in lookup(name).shown
    except KeyError:  # of somebody else's learner
        return True


def _logarithms(entry: Entry) -> Iterator[tuple[str, float]]:
    """For bars and points, whose axes are linear; a bar of a cell that needs more would look measured."""
    metrics = entry.metrics
    if AT_MOST in metrics and metrics[CENSORED] != 1:
        yield f"log10_{NEEDED}", math.log10(metrics[NEEDED])
    if metrics.get("theory_samples", 0) > 0:
        yield "log10_theory_samples", math.log10(metrics["theory_samples"])


@functools.lru_cache(1024)
def _yaml(section: str) -> str:
    """A section of a configuration, which cells share, from JSON to YAML."""
    text: str = yaml.dump(json.loads(section), Dumper=_Dumper, sort_keys=False)
    return text


def artifacts(entry: Entry, records: bytes | None, actions: bytes | None) -> dict[str, bytes]:
    """Files by name: all that is needed to rebuild the cell elsewhere, and what failed."""
    files = {
        ENTRY_FILE: entry.to_line(),
        CONFIG_FILE: "".join(_yaml(json.dumps({key: value})) for key, value in entry.config.items()).encode(),
    }
    if records is not None:
        files[RECORDS_FILE] = records
    if actions is not None:
        files[ACTIONS_FILE] = actions
    picture = curve_picture(entry)
    if picture is not None:
        files[PICTURE_FILE] = picture
    if entry.state == FAILED:
        files["failure.txt"] = f"{entry.error}\n\n{entry.traceback}\n".encode()
    return files
