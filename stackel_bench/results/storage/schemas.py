"""The columns of a file that holds tables with different columns: which tables fit together, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import pyarrow as pa

from stackel_bench.results.storage.segment import CELL_ID, Run

Item = TypeVar("Item")


def that_agree(
    items: Sequence[Item], schema_of: Callable[[Item], pa.Schema]
) -> list[tuple[pa.Schema, list[Item]]]:
    """Groups of items whose columns have the same types wherever they share them, with all their columns."""
    groups: list[tuple[pa.Schema, list[Item]]] = []
    for item in items:
        for position, (schema, members) in enumerate(groups):
            united = _unite(schema, schema_of(item))
            if united is not None:
                groups[position] = united, [*members, item]
                break
        else:
            groups.append((schema_of(item), [item]))
    return groups


def _unite(first: pa.Schema, second: pa.Schema) -> pa.Schema | None:
    """All columns of both; None where they disagree on a type, which a column without values does not."""
    kinds = dict(zip(first.names, first.types, strict=True))
    for field in second:
        known = kinds.setdefault(field.name, field.type)
        if pa.types.is_null(known):
            kinds[field.name] = field.type
        elif known != field.type and not pa.types.is_null(field.type):
            return None
    return pa.schema(kinds)


def file_schema(own: pa.Schema, columns: pa.Schema, earlier: pa.Schema) -> pa.Schema:
    """The columns of a new file: those of every file, its own, then what only earlier files have."""
    kinds: dict[str, pa.DataType] = {}
    for schema in (own, columns, earlier):
        for field in schema:
            if pa.types.is_null(kinds.setdefault(field.name, field.type)):
                kinds[field.name] = field.type
    order = dict.fromkeys([*columns.names, *kinds])
    return pa.schema({name: pa.float64() if pa.types.is_null(kinds[name]) else kinds[name] for name in order})


def conform(run: Run, schema: pa.Schema) -> Run:
    """The run with all columns of a schema: empty where it has none, and the id where it has but one cell."""
    names = set(run.rows.column_names)

    def column(field: pa.Field) -> pa.Array:
        if field.name in names:
            found = run.rows.column(field.name)
            return found if found.type == field.type else found.cast(field.type)
        if field.name == CELL_ID:
            ((key, _, rows),) = run.cells
            return pa.repeat(pa.scalar(key.cell_id, field.type), rows)
        return pa.nulls(len(run.rows), field.type)

    return Run(run.cells, pa.Table.from_arrays([column(field) for field in schema], schema=schema))
