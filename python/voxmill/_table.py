"""Tables of measurements: columns by name, for pandas, polars, DuckDB and Arrow."""

from __future__ import annotations

import csv
import os
from typing import Any

import numpy as np

from voxmill import _native

__all__ = ["Table"]

_FORMATS = {
    "int8": "c", "uint8": "C", "int16": "s", "uint16": "S", "int32": "i", "uint32": "I", "int64": "l", "uint64": "L",
    "float16": "e", "float32": "f", "float64": "g",
}  # fmt: skip
"""Arrow's letters for types."""


class Table(dict):
    """Columns by name: a dict of NumPy arrays of one length, which others take as a table.

    ``pandas.DataFrame(table)``, ``polars.DataFrame(table)`` and ``pyarrow.table(table)`` work as with any dict of columns. Through the Arrow
    interface (``__arrow_c_stream__``) DuckDB and others read numbers from the very memory of the columns.

    What is not defined is NaN. Masked arrays have missing values where their mask says so.

    Examples
    --------
    >>> table = vm.Table({"label": np.array([1, 2]), "area": np.array([3.0, 5.5])})
    >>> table.n_rows, list(table)
    (2, ['label', 'area'])
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values()))) if self else 0

    def __repr__(self) -> str:
        return f"voxmill.Table<{self.n_rows} rows: {', '.join(self)}>"

    def select(self, *names: str) -> Table:
        """Give a table of some of the columns.

        Examples
        --------
        >>> vm.Table({"a": np.arange(2), "b": np.arange(2)}).select("b")
        voxmill.Table<2 rows: b>
        """
        return Table((name, self[name]) for name in names)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Give the columns as a stream of Arrow, in a capsule. Other types than those of the columns are left to the reader to make."""
        return _native.arrow_stream([_arrow_column(name, np.ma.asanyarray(values)) for name, values in self.items()], self.n_rows)

    def to_csv(self, path: Any) -> None:
        """Write the table as text: a line of names, then a line for each row, with commas between.

        Real numbers are written with all their digits, NaN and missing values as nothing.

        Parameters
        ----------
        path : str, path, or a file that is open for text

        Examples
        --------
        >>> import io
        >>> text = io.StringIO()
        >>> vm.Table({"label": np.array([1, 2]), "area": np.array([3.0, np.nan])}).to_csv(text)
        >>> text.getvalue().split()
        ['label,area', '1,3.0', '2,']
        """
        if not hasattr(path, "write"):
            with open(path, "w", newline="", encoding="utf-8") as file:
                self.to_csv(file)
            return
        writer = csv.writer(path, lineterminator="\n")
        writer.writerow(self)
        step = 65536
        for begin in range(0, self.n_rows, step):
            writer.writerows(zip(*(_cells(np.ma.asanyarray(values)[begin : begin + step]) for values in self.values())))

    def to_parquet(self, path: Any, **options: Any) -> None:
        """Write the table as a Parquet file, with the package pyarrow.

        Parameters
        ----------
        path : str or path
        **options
            As in `pyarrow.parquet.write_table`.

        Examples
        --------
        >>> table.to_parquet("regions.parquet")  # doctest: +SKIP
        """
        _pyarrow("to_parquet", "pyarrow.parquet").write_table(self._arrow("to_parquet"), os.fspath(path), **options)

    def to_arrow(self, path: Any) -> None:
        """Write the table as an Arrow file (Feather), which others map into memory, with the package pyarrow.

        Parameters
        ----------
        path : str or path

        Examples
        --------
        >>> table.to_arrow("regions.arrow")  # doctest: +SKIP
        """
        _pyarrow("to_arrow", "pyarrow.feather").write_feather(self._arrow("to_arrow"), os.fspath(path), compression="uncompressed")

    def _arrow(self, what: str) -> Any:
        return _pyarrow(what, "pyarrow").RecordBatchReader.from_stream(self).read_all()


def _pyarrow(what: str, module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise ImportError(f"Table.{what} needs the package pyarrow: pip install pyarrow; Table.to_csv needs nothing") from e


def _cells(values: np.ndarray) -> list:
    """Give a column as what is written."""
    if values.dtype.kind == "f":
        gone = np.isnan(np.ma.getdata(values)) | np.ma.getmaskarray(values)
        return ["" if missing else value for value, missing in zip(np.ma.getdata(values).tolist(), gone.tolist())]
    return ["" if value is None else value for value in values.tolist()]


def _arrow_column(name: str, values: np.ndarray) -> tuple:
    """Give name, type, elements, missing elements and buffers of a column."""
    mask = np.ma.getmask(values)
    values = np.ma.getdata(values)
    n, n_missing = len(values), int(np.count_nonzero(mask))
    there = np.packbits(~mask, bitorder="little") if n_missing else None
    if values.ndim != 1:
        raise TypeError(f"column {name!r} has shape {values.shape}; a column of a table has one axis")
    if values.dtype == bool:
        return name, "b", n, n_missing, [there, np.packbits(values, bitorder="little")]
    if values.dtype.name in _FORMATS:
        values = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
        return name, _FORMATS[values.dtype.name], n, n_missing, [there, values]
    texts = values.tolist() if values.dtype.kind in "UO" else [None]
    if not all(isinstance(text, str) for text in texts):
        kind = type(texts[0]).__name__ if values.dtype.kind == "O" and texts else values.dtype
        raise TypeError(f"column {name!r} holds {kind}, which is no column of Arrow; leave it out with select")
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return name, "U", n, n_missing, [there, ends, np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)]
