"""A cell's table as Arrow columns, what has to be remembered to get the same frame back, and its digest."""

import hashlib
import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

Layout = tuple[tuple[str, str, str], ...]  # name, Arrow type and pandas dtype of every column, in order
_LAYOUT = b"stackel_bench.layout"


def to_table(frame: pd.DataFrame) -> tuple[pa.Table, Layout]:
    """The frame's columns without its index, and their layout; what is not a number is null."""
    names = [str(name) for name in frame.columns]
    arrays = [_array(column) for _, column in frame.items()]
    described = zip(names, arrays, frame.dtypes, strict=True)
    layout = tuple((name, str(array.type), str(dtype)) for name, array, dtype in described)
    return pa.table(dict(zip(names, arrays, strict=True))), layout


def _array(column: pd.Series) -> pa.Array:
    values = column.to_numpy() if isinstance(column.dtype, np.dtype) else column  # several times faster
    return pa.array(values, from_pandas=True)


def own_table(stored: pa.Table, layout: Layout) -> pa.Table:
    """The columns of a layout alone, with the types that they had before they were stored beside others."""

    def column(name: str, kind: str) -> Any:
        return pa.nulls(stored.num_rows) if kind == "null" else stored.column(name)

    return pa.table({name: column(name, kind) for name, kind, _ in layout})


def with_schema(stored: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of a schema alone, empty where there are none."""

    def column(field: pa.Field) -> Any:
        is_here = field.name in stored.column_names and not pa.types.is_null(field.type)
        return stored[field.name].cast(field.type) if is_here else pa.nulls(len(stored), field.type)

    return pa.table([column(field) for field in schema], schema=schema)


def to_frame(table: pa.Table, layout: Layout) -> pd.DataFrame:
    """The frame that to_table was given."""
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True, use_threads=False)
    found = zip(layout, frame.dtypes, strict=True)
    changed = {name: wanted for (name, _, wanted), dtype in found if str(dtype) != wanted}
    return frame.astype(changed) if changed else frame


def table_bytes(table: pa.Table, layout: Layout) -> bytes:
    """A Parquet file of the table alone; the same bytes for the same table and version of pyarrow."""
    buffer = io.BytesIO()
    described = table.replace_schema_metadata({_LAYOUT: json.dumps(layout)})
    # Thousands of such files are written, of some rows each: ten times faster than pandas' own way.
    pq.write_table(described, buffer, compression="snappy", use_dictionary=False, write_statistics=False)
    return buffer.getvalue()


def read_table(parquet: bytes, expected: str) -> pd.DataFrame:
    """The frame in a Parquet file of its own; a ValueError where its digest is not the expected one."""
    with pq.ParquetFile(io.BytesIO(parquet)) as file:
        table = file.read(use_threads=False)
    layout = json.loads((table.schema.metadata or {}).get(_LAYOUT, b"null"))
    if layout is None or digest(table) != expected:
        raise ValueError("another table than the one that was written")
    return to_frame(table, tuple(map(tuple, layout)))


def digest(table: pa.Table) -> str:
    """The same for equal names, types and values, bit by bit, wherever the table was stored meanwhile."""
    found = hashlib.blake2b(digest_size=16)
    for name, column in zip(table.column_names, table.columns, strict=True):
        found.update(f"{name}\0{column.type}\0{len(column)}\0{column.null_count}\0".encode())
        for part in _parts(column):
            found.update(part)
    return found.hexdigest()


def _parts(column: pa.ChunkedArray) -> Sequence[Any]:
    kind = column.type
    if pa.types.is_null(kind):
        return ()
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return (repr(column.to_pylist()).encode(),)
    if not column.null_count:
        return (np.ascontiguousarray(column.to_numpy()),)
    holes = column.is_null().to_numpy()
    return np.ascontiguousarray(holes), np.ascontiguousarray(column.fill_null(0).to_numpy())
