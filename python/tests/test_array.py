"""`vm.Array` against `numpy.ndarray`: attributes, methods, operators, conversions, copies, and memory that is shared or not."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import voxmill as vm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from differential import ALL, EXAMPLES, FLOATS, INTEGERS, NUMBERS, REAL, Case, arrays, axes, chunked, compare  # noqa: E402

MANY = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


# Attributes


@MANY
@given(st.data())
def test_attributes(data):
    a = data.draw(arrays(ALL, ranks=(0, 1, 2, 3, 4)))
    x = chunked(data.draw, a)
    for name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes"):
        assert getattr(x, name) == getattr(a, name)
    for name in ("T", "real", "imag", *(("mT",) if a.ndim > 1 else ())):
        np.testing.assert_array_equal(getattr(x, name), getattr(a, name), strict=True)
    assert tuple(map(sum, x.chunks)) == x.shape
    assert x.chunksize == tuple(map(max, x.chunks))
    assert x.numblocks == tuple(map(len, x.chunks)) and x.npartitions == math.prod(x.numblocks)
    assert x.device == "cpu" and isinstance(x.name, str)
    assert repr(x) == f"voxmill.Array<shape={a.shape}, dtype={a.dtype}, chunks={x.chunksize}>"
    if a.ndim:
        assert len(x) == len(a)


def test_wrong_attributes():
    with pytest.raises(ValueError, match="two axes"):
        vm.zeros(3).mT  # noqa: B018
    with pytest.raises(AttributeError):
        vm.zeros(3).shape = (1, 3)
    with pytest.raises(AttributeError):
        vm.zeros(3).nonsense = 1
    for x in (vm.asarray(3), vm.zeros((2, 2)).sum()):
        with pytest.raises(TypeError, match="without axes"):
            len(x)


def test_names_that_users_know_are_there():
    """All names of NumPy's arrays but those that are about memory layout, and all of Dask's that are about arrays."""
    import dask.array

    layout = {"base", "ctypes", "data", "dump", "dumps", "flags", "getfield", "resize", "setfield", "setflags", "strides"}
    public = {name for name in dir(np.ndarray) if not name.startswith("_")}
    assert public - layout <= set(dir(vm.Array))
    graphs = {"A", "dask", "shuffle", "to_backend", "to_dask_dataframe", "to_svg", "to_tiledb"}
    public = {name for name in dir(dask.array.Array) if not name.startswith("_")}
    assert public - graphs <= set(dir(vm.Array))


# Methods


def method(dtypes=REAL, *, more=None, **kwargs):
    """Draw an array and what `more` draws for it."""

    def draw_method(draw):
        a = draw(arrays(dtypes, **kwargs))
        args, keywords = more(draw, a) if more else ((), {})
        return (a, *args), keywords

    return draw_method


def reduced(*, several=True, dtype=False):
    """Draw the arguments of a reduction."""

    def draw_more(draw, a):
        keywords = {"axis": draw(axes(a.ndim, several=several))}
        if draw(st.booleans()):
            keywords["keepdims"] = draw(st.booleans())
        if dtype and draw(st.booleans()):
            keywords["dtype"] = draw(st.sampled_from(["float64", "complex128"]))
        return (), keywords

    return draw_more


def spread(draw, a):
    """Draw the arguments of var and std."""
    name = draw(st.sampled_from(["ddof", "correction"]))
    return (), {"axis": draw(axes(a.ndim)), name: draw(st.integers(0, 1)), "keepdims": draw(st.booleans())}


def reshaped(draw, a):
    """Draw another shape, with or without an open axis, as one tuple or as several numbers."""
    shape = draw(st.permutations([*a.shape, 1]))
    shape = [math.prod(shape[:2]), *shape[2:]]
    if draw(st.booleans()) and 0 not in shape:
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    order = {"order": draw(st.sampled_from(["C", "F"]))}
    return ((tuple(shape),) if draw(st.booleans()) else tuple(shape)), order


def positions(draw, a):
    """Draw positions of an axis, or of the flattened array."""
    axis = draw(axes(a.ndim, several=False))
    n = a.size if axis is None else a.shape[axis]
    where = draw(st.lists(st.integers(-n, n - 1), max_size=5)) if n else []
    where = np.array(where, int) if draw(st.booleans()) else where
    return (where if len(where) else np.empty(0, int),), {"axis": axis}


def swapped(draw, a):
    """Draw two axes."""
    return tuple(draw(st.integers(-a.ndim, a.ndim - 1)) for _ in range(2)), {}


def transposed(draw, a):
    """Draw an order of axes in one of its forms."""
    order = tuple(draw(st.permutations(range(a.ndim))))
    return draw(st.sampled_from([(), (None,), (order,), order])), {}


def clipped(draw, a):
    """Draw one or two ends."""
    low, high = draw(st.sampled_from([(None, 5), (0, None), (2, 20), (3, 3)]))
    return (low, high), {}


TOLERANCE = 1e-6
METHODS = [
    Case("Array.sum", method(ALL, more=reduced(), low=-3, high=3), rtol=1e-12),
    Case("Array.prod", method(ALL, more=reduced(), low=-2, high=2), rtol=1e-12),
    Case("Array.mean", method(ALL, more=reduced(), least=1), rtol=TOLERANCE),
    Case("Array.var", method(FLOATS, more=spread, least=2), reference=np.var, rtol=TOLERANCE),
    Case("Array.std", method((*FLOATS, "int32"), more=spread, least=2), reference=np.std, rtol=TOLERANCE),
    *(Case(f"Array.{name}", method(REAL, more=reduced(), least=1)) for name in ("min", "max")),
    Case("Array.ptp", method(REAL, more=reduced(), least=1), reference=np.ptp),
    *(Case(f"Array.{name}", method(ALL, more=reduced())) for name in ("any", "all")),
    *(Case(f"Array.{name}", method(REAL, more=reduced(several=False), least=1)) for name in ("argmin", "argmax")),
    *(
        Case(
            f"Array.{name}",
            method(NUMBERS, ranks=(1, 2, 3), more=lambda draw, a: ((), {"axis": draw(axes(a.ndim, several=False))}), low=-2, high=2),
            rtol=1e-12,
        )
        for name in ("cumsum", "cumprod")
    ),
    Case(
        "Array.astype",
        method(ALL, more=lambda draw, a: ((draw(st.sampled_from([t for t in ALL if t[0] != "u" and t != "int16"])),), {}), low=0, high=100),
    ),
    Case("Array.clip", method(REAL, more=clipped, low=0)),
    Case("Array.round", method((*FLOATS, "int32"), more=lambda draw, a: ((draw(st.integers(-1, 2)),), {})), rtol=1e-12),
    Case("Array.conj", method(NUMBERS)),
    Case("Array.conjugate", method(NUMBERS)),
    Case("Array.dot", method(FLOATS, ranks=(1,), more=lambda draw, a: ((a[::-1].copy(),), {})), rtol=TOLERANCE),
    Case("Array.trace", method(REAL, ranks=(2, 3), more=lambda draw, a: ((), {"offset": draw(st.integers(-2, 2))})), rtol=TOLERANCE),
    Case("Array.diagonal", method(REAL, ranks=(2, 3), more=lambda draw, a: ((draw(st.integers(-2, 2)), 1, 0), {}))),
    Case("Array.repeat", method(ALL, more=lambda draw, a: ((draw(st.integers(0, 3)),), {"axis": draw(axes(a.ndim, several=False))}))),
    Case("Array.take", method(ALL, more=positions, ranks=(1, 2, 3))),
    Case("Array.reshape", method(ALL, more=reshaped)),
    Case("Array.ravel", method(ALL, more=lambda draw, a: ((), {"order": draw(st.sampled_from(["C", "F"]))}))),
    Case("Array.flatten", method(ALL, more=lambda draw, a: ((), {"order": draw(st.sampled_from(["C", "F"]))}))),
    Case("Array.squeeze", method(ALL, longest=2, more=lambda draw, a: ((), {"axis": draw(axes(a.ndim))}))),
    Case("Array.swapaxes", method(ALL, ranks=(1, 2, 3), more=swapped)),
    Case("Array.transpose", method(ALL, more=transposed)),
    Case("Array.nonzero", method(ALL, ranks=(1, 2, 3), low=-1, high=1)),
    Case(
        "Array.argsort",
        method(REAL, ranks=(1, 2), more=lambda draw, a: ((), {"axis": draw(axes(a.ndim, several=False)), "kind": "stable"})),
    ),
    Case(
        "Array.searchsorted",
        lambda draw: (
            (np.sort(draw(arrays(REAL, ranks=1))), draw(arrays(REAL, ranks=(0, 1, 2)))),
            {"side": draw(st.sampled_from(["left", "right"]))},
        ),
    ),
    Case("Array.compress", method(ALL, ranks=(1, 2), more=lambda draw, a: ((np.arange(a.shape[0]) % 2 == 0,), {"axis": 0}))),
    Case(
        "Array.choose",
        lambda draw: ((draw(arrays("int64", shape=(4,), low=0, high=2.9)), [draw(arrays("float64", shape=(4,))) for _ in range(3)]), {}),
    ),
    Case("Array.copy", method(ALL)),
    Case("Array.byteswap", method(INTEGERS)),
    Case(
        "Array.view",
        method(
            ("int64", "float64"),
            ranks=(1, 2),
            more=lambda draw, a: ((draw(st.sampled_from(["int64", "uint8", "float32", "complex64"])),), {}),
        ),
    ),
    Case("Array.tolist", method(ALL)),
    Case("Array.tobytes", method(ALL, more=lambda draw, a: ((), {"order": draw(st.sampled_from(["C", "F"]))}))),
    Case("Array.item", method(ALL, shape=(1, 1))),
]


@pytest.mark.parametrize("case", METHODS, ids=[f"{k}-{case.name}" for k, case in enumerate(METHODS)])
def test_methods(case):
    @MANY
    @given(st.data())
    def run(data):
        compare(case, data.draw)

    run()


@MANY
@given(st.data())
def test_methods_that_change_the_array(data):
    draw = data.draw
    a = draw(arrays(REAL, ranks=(1, 2, 3), least=1))
    before = a.copy()
    x = chunked(draw, before)
    y = x.copy()
    axis = draw(st.integers(-a.ndim, a.ndim - 1))
    what = draw(st.sampled_from(["sort", "partition", "fill", "put", "byteswap"]))
    if what == "sort":
        a.sort(axis)
        assert y.sort(axis) is None
    elif what == "partition":
        kth = draw(st.integers(0, a.shape[axis] - 1))
        assert y.partition(kth, axis) is None
        np.testing.assert_array_equal(np.take(y, kth, axis), np.take(np.sort(a, axis), kth, axis))
        np.testing.assert_array_equal(np.sort(y, axis), np.sort(a, axis))
        a = np.asarray(y)
    elif what == "fill":
        value = draw(st.integers(0, 9))
        a.fill(value)
        y.fill(value)
    elif what == "put":
        where = draw(st.lists(st.integers(-20, 20), max_size=4))
        values, mode = draw(st.sampled_from([7, [1, 2], [3, 4, 5, 6, 7]])), draw(st.sampled_from(["wrap", "clip"]))
        a.put(where, values, mode=mode)
        y.put(where, values, mode=mode)
    else:
        a.byteswap(inplace=True)
        assert y.byteswap(inplace=True) is y
    np.testing.assert_array_equal(y, a)
    np.testing.assert_array_equal(x, before)


def test_methods_of_dask():
    a = np.random.default_rng(0).permutation(24).reshape(4, 6)
    x = vm.from_array(a, chunks=(2, 4))
    np.testing.assert_array_equal(x.topk(2), -np.sort(-a)[:, :2])
    np.testing.assert_array_equal(x.argtopk(-2), np.argsort(a)[:, :2])
    np.testing.assert_allclose(x.moment(3), ((a - a.mean()) ** 3).mean())
    np.testing.assert_array_equal(x.map_blocks(lambda b: b * 2, dtype=a.dtype), a * 2)
    np.testing.assert_array_equal(x.map_overlap(lambda b: b, depth=1, boundary="reflect", dtype=a.dtype), a)
    assert x.compute_chunk_sizes() is x
    assert x.to_device("cpu") is x
    assert "stage" in x.sum().explain()
    assert x.rechunk(3).chunks == ((3, 1), (3, 3))
    with pytest.raises(ValueError, match="device"):
        x.to_device("gpu")


def test_astype():
    x = vm.arange(3)
    assert x.astype("i8") is not x and x.astype("i8", copy=False) is x
    y = x.astype("i8")
    y[0] = 9
    assert x.tolist() == [0, 1, 2]
    assert x.astype(float).dtype == x.astype(None).dtype == np.float64
    with pytest.raises(TypeError, match="cannot cast from int64 to int32 according to the rule 'safe'"):
        x.astype("i4", casting="safe")
    with pytest.raises(ValueError, match="casting must be"):
        x.astype("i4", casting="nonsense")
    for dtype in ("O", "U3", "M8[s]", "i4,i4"):
        with pytest.raises(TypeError, match="not supported"):
            x.astype(dtype)


def test_views():
    a = np.arange(8, dtype="u4").reshape(2, 4)
    x = vm.from_array(a, chunks=(1, 3))
    for dtype in ("u4", "i4", "f4", "u1", "u2", "u8", "c8", "c16"):
        np.testing.assert_array_equal(x.view(dtype), a.view(dtype), strict=True)
    assert x.view() is not x
    for wrong, dtype in ((vm.zeros((2, 3), "u1"), "u4"), (vm.asarray(np.uint8(3)), "u4")):
        with pytest.raises(ValueError, match="viewed as"):
            wrong.view(dtype)


# Operators

BINARY = {
    name: getattr(operator, name)
    for name in (
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
    )
} | {"divmod": divmod}


def operand(draw, name, shape):
    """Draw a value that an operator takes without leaving the range of its type."""
    low, high = (0, 4) if name in ("pow", "lshift", "rshift") else (-9, 9)
    dtypes = (
        ("bool", *INTEGERS)
        if name in ("and_", "or_", "xor", "lshift", "rshift")
        else (*REAL, "bool")
        if name in ("floordiv", "mod", "divmod", "lt", "le", "gt", "ge")
        else ALL
    )
    return draw(arrays(dtypes, shape=shape, low=low, high=high))


def results(run):
    """Give what a function gives, or the kind of its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = run()
            return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))], None
        except (TypeError, ValueError, OverflowError) as error:
            return None, type(error)


def agree(run, reference, *, twice_wrong=False):
    """Expect the same results, or exceptions of the same kind; of any kind where two things may be wrong at once."""
    wanted, error = results(reference)
    found, mine = results(run)
    if error is not None:
        assert mine is not None and (twice_wrong or issubclass(mine, error) or issubclass(error, mine)), (mine, error)
        return
    assert mine is None, mine
    for f, w in zip(found, wanted, strict=True):
        assert (f.dtype, f.shape) == (w.dtype, w.shape)
        if w.dtype.kind in "fc":
            np.testing.assert_allclose(f, w, rtol=64 * np.finfo(w.dtype).eps)
        else:
            np.testing.assert_array_equal(f, w)


@pytest.mark.parametrize("name", BINARY)
def test_binary_operators(name):
    apply = BINARY[name]

    @MANY
    @given(st.data())
    def run(data):
        draw = data.draw
        shape = tuple(draw(st.integers(0, 4)) for _ in range(draw(st.integers(0, 3))))
        a = operand(draw, name, shape)
        kind = draw(st.sampled_from(["array", "broadcast", "numpy", "scalar", "plain", "wrong"]))
        if kind == "plain":
            b = draw(st.sampled_from([0, 1, 3, True, 2.5, *((1j,) if name in ("add", "mul", "eq") else ())]))
        elif kind == "scalar":
            b = operand(draw, name, ())[()]
        elif kind == "wrong":
            b = operand(draw, name, (5, *shape[1:]) if shape else (2,))
        else:
            b = operand(draw, name, shape if kind != "broadcast" else tuple(1 if draw(st.booleans()) else n for n in shape[-1:]))
        x = chunked(draw, a)
        y = b if kind in ("plain", "scalar", "numpy") else chunked(draw, b)
        if draw(st.booleans()):
            agree(lambda: apply(x, y), lambda: apply(a, b), twice_wrong=kind == "wrong")
        else:
            agree(lambda: apply(y, x), lambda: apply(b, a), twice_wrong=kind == "wrong")

    run()


@MANY
@given(st.data())
def test_matrix_products(data):
    draw = data.draw
    n, k, m = (draw(st.integers(1, 5)) for _ in range(3))
    a = draw(arrays(NUMBERS, shape=draw(st.sampled_from([(n, k), (k,), (2, n, k)])), low=-5, high=5))
    b = draw(arrays(NUMBERS, shape=draw(st.sampled_from([(k, m), (k,), (2, k, m), (k + 1, m)])), low=0, high=5))
    x, y = chunked(draw, a), chunked(draw, b)
    for left, right in ((x, y), (a, y), (x, b)):
        agree(lambda left=left, right=right: left @ right, lambda: a @ b)


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_unary_operators(name):
    apply = getattr(operator, name)

    @MANY
    @given(st.data())
    def run(data):
        a = data.draw(arrays(ALL))
        x = chunked(data.draw, a)
        agree(lambda: apply(x), lambda: apply(a))

    run()


def test_round():
    a = np.array([1.25, -2.5, 3.75])
    np.testing.assert_array_equal(round(vm.asarray(a), 1), a.round(1))
    np.testing.assert_array_equal(round(vm.asarray(a)), a.round())


IN_PLACE = [name for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift")]


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operators(name):
    """Elements change for all names of an array, types never change, and what does not fit is refused, as in NumPy."""
    apply = getattr(operator, name)
    plain = {"iand": "and_", "ior": "or_"}.get(name, name[1:])

    @MANY
    @given(st.data())
    def run(data):
        draw = data.draw
        shape = tuple(draw(st.integers(0, 4)) for _ in range(draw(st.integers(0, 2))))
        a = operand(draw, plain, shape)
        kind = draw(st.sampled_from(["array", "number", "numpy", "row", "larger"]))
        b = operand(draw, plain, {"row": shape[1:], "larger": (2, *shape)}.get(kind, shape))
        b = draw(st.sampled_from([1, 2, 2.5, True])) if kind == "number" else b
        x = chunked(draw, a)
        y = b if kind in ("number", "numpy") else chunked(draw, b)
        before, other, wanted = a.copy(), x, a.copy()

        def mine():
            nonlocal x
            x = apply(x, y)
            assert x is other
            return x

        agree(mine, lambda: apply(wanted, b))
        if results(lambda: apply(before.copy(), b))[1] is not None:
            np.testing.assert_array_equal(other, before)

    run()


def test_in_place_does_not_touch_others():
    a = np.zeros(3)
    x = vm.asarray(a)
    y, z = x, x.copy()
    x += 1
    assert y is x and y.tolist() == [1, 1, 1] and z.tolist() == [0, 0, 0] and a.tolist() == [0, 0, 0]
    buffer = np.ones(3)
    x += buffer
    buffer[:] = 99
    assert x.tolist() == [2, 2, 2]
    a += x  # NumPy's array is computed into.
    assert type(a) is np.ndarray and a.tolist() == [2, 2, 2]
    m = vm.eye(2)
    m @= np.array([[0.0, 1], [1, 0]])
    assert m.tolist() == [[0, 1], [1, 0]]
    x = vm.zeros((4, 4), chunks=2)
    x += 1
    assert x.chunks == ((2, 2), (2, 2))


def test_comparison_with_other_things():
    x = vm.arange(3)
    for other in (None, "text"):
        assert (x == other).tolist() == [False] * 3 and (x != other).tolist() == [True] * 3
    for apply in (operator.add, operator.mul, operator.lt):
        for other in ("text", None, object(), [1, "a"]):
            with pytest.raises(TypeError):
                apply(x, other)
    np.testing.assert_array_equal(x + [1, 2, 3], [1, 3, 5])
    np.testing.assert_array_equal([1, 2, 3] - x, [1, 1, 1])

    class Other:
        def __radd__(self, left):
            return "radd"

        def __add__(self, right):
            return "add"

        __array_ufunc__ = None

    assert x + Other() == "radd" and Other() + x == "add"


# Conversions


def test_conversions():
    for value in (3, 2.5, True, 0, 1 + 2j):
        a, x = np.array(value), vm.asarray(value)
        for to in (bool, int, float, complex, operator.index):
            agree(lambda to=to, x=x: to(x), lambda to=to, a=a: to(a))
    for a in (np.array([3]), np.array([[1.5]]), np.zeros(0), np.zeros(2)):
        x = vm.asarray(a)
        for to in (bool, int, float, complex, operator.index):
            agree(lambda to=to, x=x: to(x), lambda to=to, a=a: to(a))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(vm.zeros(3))
    assert f"{float(vm.asarray(2.5)):.2f}" == "2.50"
    assert [10, 20, 30][vm.asarray(1)] == 20
    assert math.sqrt(vm.asarray(16)) == 4


def test_item_reads_one_element():
    a = np.arange(24).reshape(2, 3, 4)
    x = vm.from_array(a, chunks=2)
    for args in ((5,), (-1,), (1, 2, 3), ((1, 0, 2),)):
        assert x.item(*args) == a.item(*args) and type(x.item(*args)) is int
    for args, kind in (((), ValueError), ((1, 2), ValueError), ((99,), IndexError)):
        with pytest.raises(kind):
            a.item(*args)
        with pytest.raises(kind):
            x.item(*args)
    assert vm.zeros((10**6, 10**6)).item(999_999, 5) == 0.0


def test_there_is_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(vm.zeros(3))
    with pytest.raises(TypeError, match="unhashable"):
        {vm.zeros(3)}


def test_numpy_arrays_from_arrays():
    x = vm.arange(6, chunks=4).reshape(2, 3)
    a = np.asarray(x)
    assert type(a) is np.ndarray and a.flags.writeable and a.flags.c_contiguous
    assert np.asarray(x, dtype="f4").dtype == np.float32
    assert np.array(x, copy=True).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="copy=False is not possible"):
        np.asarray(x, copy=False)
    with pytest.raises(ValueError, match="copy=False is not possible"):
        np.array(x, copy=False)


def test_namespace():
    x = vm.zeros(3)
    assert x.__array_namespace__() is vm and x.__array_namespace__(api_version="2024.12") is vm
    with pytest.raises(ValueError, match="1999"):
        x.__array_namespace__(api_version="1999.12")


# Results


def address(a):
    """Where the elements of a NumPy array lie."""
    return a.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", ALL)
def test_results_are_exported_without_a_copy(dtype):
    a = (vm.arange(1000, chunks=300) % 7).astype(dtype).compute()
    assert address(np.from_dlpack(a)) == address(a)
    assert memoryview(a).nbytes == a.nbytes
    assert address(np.frombuffer(memoryview(a), dtype)) == address(a)
    assert address(np.asarray(a)) == address(a)


def test_dlpack():
    x = vm.arange(12, chunks=5).reshape(3, 4)
    np.testing.assert_array_equal(np.from_dlpack(x), np.arange(12).reshape(3, 4))
    assert x.__dlpack_device__() == (1, 0)


def test_results_are_the_users_own():
    """Results can be changed, and changing them changes nothing else: no source, no persisted array, no other result."""
    a = np.arange(8.0)
    x = vm.from_array(a, chunks=3)
    p = (x + 1).persist()
    for make in (
        lambda: x,
        lambda: x[2:5],
        lambda: x.reshape(2, 4),
        lambda: x.T,
        lambda: p,
        lambda: p[::2],
        lambda: vm.asarray(a),
        lambda: vm.ones(5),
        lambda: vm.broadcast_to(x, (3, 8)),
    ):
        first, second = make().compute(), make().compute()
        assert first.flags.writeable
        assert not np.shares_memory(first, a) and not np.shares_memory(first, second)
        first[...] = -1
        assert (second != -1).all()
    assert a.tolist() == list(range(8)) and p.tolist() == list(range(1, 9))
    both = vm.compute(x, x)
    both[0][:] = 5
    assert a.tolist() == list(range(8))


def test_results_outlive_everything():
    a = (vm.arange(10_000, chunks=100) * 2).compute()
    b = a[5:10]
    del a
    [vm.zeros(10_000).compute() for _ in range(20)]
    assert b.tolist() == [10, 12, 14, 16, 18]


def test_numbers_come_as_numpy_numbers():
    for x, kind in (
        (vm.arange(3).sum(), np.int64),
        (vm.ones(2, "f4").mean(), np.float32),
        (vm.asarray(True), np.bool_),
        (vm.asarray(1j), np.complex128),
    ):
        assert type(x.compute()) is kind


def test_persist():
    calls = []

    def counted(block):
        calls.append(1)
        return block + 1

    x = vm.zeros(6, chunks=2).map_blocks(counted, dtype=float).persist()
    assert len(calls) == 3 and isinstance(x, vm.Array) and x.chunks == ((2, 2, 2),)
    assert float(x.sum()) == 6 and float(x.max()) == 1
    assert len(calls) == 3
    x[0] = 9
    assert x.tolist() == [9, 1, 1, 1, 1, 1]
    zero = vm.ones(3).sum().persist()
    assert zero.shape == () and float(zero) == 3


# Copies


def sample_arrays(tmp_path):
    """Arrays of all kinds of origin."""
    a = np.arange(12.0).reshape(3, 4)
    vm.from_array(a).to_zarr(tmp_path / "x.zarr")
    vm.from_array(a).to_npy(tmp_path / "x.npy")
    x = vm.from_array(a, chunks=2)
    y = x.copy()
    y[1, 2:] = 7
    return [
        x, x + 1, x.sum(axis=0), x[::2, [3, 0]], x[x > 4], y, vm.open(tmp_path / "x.zarr"), vm.from_npy(tmp_path / "x.npy") * 2,
        x.map_blocks(np.sqrt, dtype=float), vm.from_function(lambda box: np.ones(box[0].stop - box[0].start), 5, float, 2), x.persist(),
        vm.asarray(3), vm.arange(5), x.astype("f2"), x[:0], vm.from_array(a[::-1, ::2]),
    ]  # fmt: skip


def test_pickle(tmp_path):
    for x in sample_arrays(tmp_path):
        for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
            assert y is not x and (y.shape, y.dtype, y.chunks) == (x.shape, x.dtype, x.chunks)
            np.testing.assert_array_equal(y, x)


def test_pickled_memory_is_a_copy():
    a = np.zeros(3)
    text = pickle.dumps(vm.asarray(a) + 1)
    a[:] = 5
    assert pickle.loads(text).tolist() == [1, 1, 1]


def test_copies_are_apart():
    x = vm.zeros(4, chunks=2)
    copies = [
        x.copy(),
        copy.copy(x),
        copy.deepcopy(x),
        vm.array(x),
        x.astype(float),
        x[:],
        x.reshape(4),
        x.view(),
        vm.copy(x),
        +x,
        x.ravel(),
        x.T,
        x.real,
    ]
    alias = x
    x[1:3] = 1
    assert all(c.tolist() == [0, 0, 0, 0] for c in copies)
    assert alias.tolist() == [0, 1, 1, 0]


def test_an_array_used_before_it_changes():
    x = vm.arange(4)
    y = x * 2
    x[0] = 100
    assert y.tolist() == [0, 2, 4, 6] and (x * 2).tolist() == [200, 2, 4, 6]
    x[1:] = x[:-1]
    assert x.tolist() == [100, 100, 1, 2]
    x[x > 50] += 1
    assert x.tolist() == [101, 101, 1, 2]


# out=


def test_results_into_arrays():
    a = np.arange(6.0).reshape(2, 3)
    x = vm.from_array(a, chunks=2)
    lazy, own = vm.zeros(3), np.zeros(3)
    assert x.sum(axis=0, out=lazy) is lazy and x.sum(axis=0, out=own) is own
    assert lazy.tolist() == own.tolist() == a.sum(axis=0).tolist()
    for name in ("mean", "max", "min", "prod", "std", "var", "ptp"):
        own[:] = 0
        getattr(x, name)(axis=0, out=own)
        np.testing.assert_allclose(own, getattr(np, name)(a, axis=0))
    whole = np.zeros((2, 3))
    x.cumsum(axis=1, out=whole)
    np.testing.assert_array_equal(whole, a.cumsum(axis=1))
    x.clip(1, 2, out=whole)
    np.testing.assert_array_equal(whole, a.clip(1, 2))
    with pytest.raises(ValueError, match="shape"):
        x.sum(axis=0, out=np.zeros(4))
    with pytest.raises(TypeError, match="same_kind"):
        x.sum(axis=0, out=np.zeros(3, int))
    with pytest.raises(TypeError, match="must be an array"):
        x.sum(axis=0, out=[0, 0, 0])


def test_speed_of_small_things():
    """Rough guards, ten times above what is promised; `make bench` measures."""
    import time

    x = vm.ones(10)
    float(x.sum())
    begin = time.perf_counter()
    for _ in range(1000):
        x + 1
    assert (time.perf_counter() - begin) / 1000 < 50e-6
    begin = time.perf_counter()
    for _ in range(100):
        x.sum().compute()
    assert (time.perf_counter() - begin) / 100 < 2e-3
