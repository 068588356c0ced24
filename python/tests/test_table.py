"""Tables of columns, for pandas and for whoever speaks Arrow."""

from __future__ import annotations

import csv
import ctypes
import gc

import numpy as np
import pytest

import voxmill as vm

ALL = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


class Schema(ctypes.Structure):
    """ArrowSchema of the C data interface."""


class Values(ctypes.Structure):
    """ArrowArray of the C data interface."""


class Stream(ctypes.Structure):
    """ArrowArrayStream of the C stream interface."""


P = ctypes.POINTER
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", P(P(Schema))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, P(Schema))), ("private", ctypes.c_void_p),
]  # fmt: skip
Values._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", P(ctypes.c_void_p)), ("children", P(P(Values))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, P(Values))), ("private", ctypes.c_void_p),
]  # fmt: skip
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Values))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, P(Stream))),
    ("release", ctypes.CFUNCTYPE(None, P(Stream))), ("private", ctypes.c_void_p),
]  # fmt: skip


def stream_of(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, b"arrow_array_stream"), P(Stream))


def test_the_arrow_interface():
    columns = {name: np.arange(5).astype(name) for name in ALL}
    columns["masked"] = np.ma.masked_array([1.5, 2.5, 3.5, 4.5, 5.5], [0, 1, 0, 0, 0])
    columns["flag"] = np.array([True, False, True, True, False])
    columns["text"] = np.array(["a", "", "öß", "d", "e"])
    table = vm.Table(columns)
    capsule = table.__arrow_c_stream__()
    addresses = {name: values.ctypes.data for name, values in columns.items()}
    del table, columns
    gc.collect()
    stream, schema, values = stream_of(capsule), Schema(), Values()
    assert stream.contents.get_schema(stream, schema) == 0
    assert schema.format == b"+s" and schema.n_children == len(addresses)
    names = [schema.children[k].contents.name.decode() for k in range(schema.n_children)]
    formats = [schema.children[k].contents.format for k in range(schema.n_children)]
    assert names == [*ALL, "masked", "flag", "text"]
    assert formats == [b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L", b"e", b"f", b"g", b"g", b"b", b"U"]
    assert stream.contents.get_next(stream, values) == 0 and values.length == 5
    columns = dict(zip(names, (values.children[k].contents for k in range(values.n_children))))
    for name in ALL:
        # The very memory of the columns.
        assert columns[name].buffers[1] == addresses[name] and not columns[name].buffers[0]
        found = np.ctypeslib.as_array((ctypes.c_char * (5 * np.dtype(name).itemsize)).from_address(columns[name].buffers[1]))
        np.testing.assert_array_equal(found.view(name), np.arange(5).astype(name))
    bits = lambda at: ctypes.c_uint8.from_address(at).value  # noqa: E731
    assert columns["masked"].null_count == 1 and bits(columns["masked"].buffers[0]) == 0b11101
    assert bits(columns["flag"].buffers[1]) == 0b01101
    ends = np.ctypeslib.as_array((ctypes.c_int64 * 6).from_address(columns["text"].buffers[1]))
    assert ends.tolist() == [0, 1, 1, 5, 6, 7]
    end = Values()
    assert stream.contents.get_next(stream, end) == 0 and not end.release
    values.release(values)
    schema.release(schema)
    assert not values.release and not schema.release
    del capsule
    gc.collect()


def test_no_rows_and_no_columns():
    for table in (vm.Table(), vm.Table(a=np.empty(0), b=np.empty(0, dtype="U3"))):
        stream, schema, values = stream_of(capsule := table.__arrow_c_stream__()), Schema(), Values()
        assert stream.contents.get_schema(stream, schema) == 0 and schema.n_children == len(table)
        assert stream.contents.get_next(stream, values) == 0 and values.length == 0
        values.release(values)
        schema.release(schema)
        del capsule
        assert table.n_rows == 0


def test_what_arrow_does_not_take():
    table = vm.measure.regionprops_table([[1, 0, 2]], properties=("label", "image"))
    with pytest.raises(TypeError, match="column 'image' holds ndarray.*select"):
        table.__arrow_c_stream__()
    table.select("label").__arrow_c_stream__()


def test_text(tmp_path):
    table = vm.Table(label=np.array([1, 2, 3]), size=np.array([0.1, np.nan, 1e300]), name=np.array(["a,b", 'c"', "d"]))
    table.to_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["label", "size", "name"], ["1", "0.1", "a,b"], ["2", "", 'c"'], ["3", "1e+300", "d"]]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    table = vm.measure.regionprops_table([[1, 0, 2, 2]], properties=("label", "area", "slice"))
    frame = pandas.DataFrame(table)
    assert list(frame) == ["label", "area", "slice"] and frame["area"].tolist() == [1, 2]


def test_pyarrow(tmp_path):
    table = vm.Table(label=np.array([1, 2]), area=np.ma.masked_array([1.5, 2.5], [False, True]), name=np.array(["x", "yz"]))
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        for write in (table.to_parquet, table.to_arrow):
            with pytest.raises(ImportError, match="needs the package pyarrow"):
                write(tmp_path / "t")
        return
    expected = {"label": [1, 2], "area": [1.5, None], "name": ["x", "yz"]}
    assert pyarrow.RecordBatchReader.from_stream(table).read_all().to_pydict() == expected
    table.to_parquet(tmp_path / "t.parquet")
    table.to_arrow(tmp_path / "t.arrow")
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pydict() == expected
    assert pyarrow.feather.read_table(tmp_path / "t.arrow").to_pydict() == expected
    assert pyarrow.table(vm.Table(label=np.array([1, 2]))).to_pydict() == {"label": [1, 2]}


def test_polars_and_duckdb():
    table = vm.Table(label=np.array([1, 2]), area=np.array([1.5, 2.5]))
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(table)["area"].to_list() == [1.5, 2.5]
    duckdb = pytest.importorskip("duckdb")
    reader = pytest.importorskip("pyarrow").RecordBatchReader.from_stream(table)
    assert duckdb.sql("select sum(area) from reader").fetchall() == [(4.0,)]
