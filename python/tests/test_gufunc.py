"""Functions with signatures, functions of elements, and filters of users' functions: against Dask, NumPy and scipy."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import ndimage

import voxmill as vm

sys.path.insert(0, str(Path(__file__).parent))

from differential import EXAMPLES, cuts  # noqa: E402

RANDOM = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


def both(shape, chunks, seed=0):
    a = np.random.default_rng(seed).random(shape)
    return vm.from_array(a, chunks=chunks), da.from_array(a, chunks=chunks), a


def same(mine, theirs):
    """Expect equal results; one, or a tuple."""
    if isinstance(theirs, tuple):
        assert isinstance(mine, tuple) and len(mine) == len(theirs)
        for m, t in zip(vm.compute(*mine), theirs):
            check(m, np.asarray(t))
        for m, t in zip(mine, theirs):
            assert m.shape == t.shape
        return
    assert mine.shape == theirs.shape
    check(mine.compute(), np.asarray(theirs))


def check(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


def stats(x):
    return np.mean(x, axis=-1), np.max(x, axis=-1)


def outer(x, y):
    return np.einsum("...i,...j->...ij", x, y)


# apply_gufunc


def test_one_result():
    x, d, a = both((4, 6), (2, 6))
    same(vm.apply_gufunc(lambda v: v.sum(-1), "(i)->()", x), da.apply_gufunc(lambda v: v.sum(-1), "(i)->()", d, output_dtypes=float))
    declared = vm.apply_gufunc(lambda v: v.sum(-1), "(i)->()", x, output_dtypes=float)
    assert declared.chunks == ((2, 2),)
    same(declared, a.sum(-1))


def test_several_results():
    x, d, a = both((4, 5, 6), (2, 3, 6))
    same(vm.apply_gufunc(stats, "(i)->(),()", x), da.apply_gufunc(stats, "(i)->(),()", d, output_dtypes=(float, float)))
    same(vm.apply_gufunc(stats, "(i)->(),()", x, output_dtypes=(float, float)), (a.mean(-1), a.max(-1)))
    same(vm.apply_gufunc(stats, "(i)->(),()", x, meta=(np.empty(0), np.empty(0))), (a.mean(-1), a.max(-1)))


def test_several_results_of_other_dtypes_and_shapes():
    def parts(v):
        return v.argmax(-1).astype("i2"), v[..., :2].astype("f4"), v > 0.5, outer(v, v).astype("c8"), v.sum(-1)

    x, d, a = both((5, 4), (2, 3))
    signature, sizes = "(i)->(),(k),(i),(i,i),()", {"k": 2}
    for dtypes in (None, ("i2", "f4", bool, "c8", float)):
        mine = vm.apply_gufunc(parts, signature, x, output_sizes=sizes, output_dtypes=dtypes)
        same(mine, parts(a))
    # One alone, a slice of one, and all in a sum.
    check(mine[3].compute(), parts(a)[3])
    check(mine[1][3:, 1].compute(), parts(a)[1][3:, 1])
    assert float(sum(part.sum().real for part in mine).compute()) == pytest.approx(sum(part.sum().real for part in parts(a)))


def test_blocks_are_called_once_for_all_results():
    calls = []
    lock = threading.Lock()

    def counted(v):
        with lock:
            calls.append(v.shape)
        return v.mean(-1), v.astype("i4"), v.max(-1)

    x = both((10, 6), (2, 3))[0]
    results = vm.apply_gufunc(counted, "(i)->(),(i),()", x)
    assert calls == [(2, 6)]
    vm.compute(*results)
    assert len(calls) == 5
    calls.clear()
    results = vm.apply_gufunc(counted, "(i)->(),(i),()", x, output_dtypes=(float, "i4", float))
    assert not calls
    vm.compute(*results, results[0].sum(), results[1].T)
    assert len(calls) == 5
    calls.clear()
    results[2].compute()
    assert len(calls) == 5
    calls.clear()
    results[2][:2].compute()
    assert len(calls) == 1


def test_broadcasting():
    x, d, _ = both((20, 30), (10, 30))
    y, e, _ = both((10, 1, 40), (5, 1, 40), 1)
    same(
        vm.apply_gufunc(outer, "(i),(j)->(i,j)", x, y),
        da.apply_gufunc(outer, "(i),(j)->(i,j)", d, e, output_dtypes=float),
    )
    single = lambda v, w: np.outer(v, w)  # noqa: E731
    same(
        vm.apply_gufunc(single, "(i),(j)->(i,j)", x[:3], y[:2], vectorize=True),
        da.apply_gufunc(single, "(i),(j)->(i,j)", d[:3], e[:2], vectorize=True, output_dtypes=float),
    )


def test_chunked_core_axes_and_other_chunks():
    """Where Dask asks for other chunks, these are read as they are."""
    x, d, a = both((6, 8), (4, 3))
    y, e, b = both((6, 8), (5, 2), 1)
    dot = lambda v, w: np.einsum("...i,...i->...", v, w)  # noqa: E731
    np.testing.assert_allclose(vm.apply_gufunc(dot, "(i),(i)->()", x, y).compute(), (a * b).sum(-1), rtol=1e-15)
    with pytest.raises(ValueError):
        da.apply_gufunc(dot, "(i),(i)->()", d, e, output_dtypes=float)


def test_large_core_axes_make_smaller_blocks():
    shapes = []

    def note(v):
        shapes.append(v.shape)
        return v[..., 0]

    x = vm.zeros((4000, 100_000), chunks=(4000, 100), dtype="u1")
    y = vm.apply_gufunc(note, "(i)->()", x, output_dtypes="u1")
    assert y[:10].compute().sum() == 0
    assert shapes[0][0] * shapes[0][1] <= 64 << 20 and shapes[0][1] == 100_000


@pytest.mark.parametrize("kwargs", [
    {"axis": 0}, {"axis": -2}, {"axis": 1}, {"axis": 2}, {"axis": 0, "keepdims": True}, {"keepdims": True}, {"axes": [(1,), ()]},
    {"axes": [1, ()]}, {"axes": [(0,)]}, {"axis": 1, "keepdims": True},
])  # fmt: skip
def test_axes_of_a_reduction(kwargs):
    x, d, _ = both((3, 4, 5), (3, 4, 5))
    function = lambda v: v.sum(-1)  # noqa: E731
    same(vm.apply_gufunc(function, "(i)->()", x, **kwargs), da.apply_gufunc(function, "(i)->()", d, output_dtypes=float, **kwargs))


@pytest.mark.parametrize("axes, shape", [
    ([(0,), (2,), (1, 2)], (2, 4, 5)), ([(-1,), (0,), (0, 1)], (5, 2, 3)), ([(1,), (1,), (0, -1)], (2, 5, 3)), ([0, 1, (2, 0)], (2, 5, 4)),
])  # fmt: skip
def test_axes_of_several_arguments(axes, shape):
    x, d, _ = both((3, 4), (3, 4))
    y, e, _ = both(shape, -1, 1)
    same(
        vm.apply_gufunc(outer, "(i),(j)->(i,j)", x, y, axes=axes),
        da.apply_gufunc(outer, "(i),(j)->(i,j)", d, e, axes=axes, output_dtypes=float),
    )


def test_matrix_product_by_axes():
    x, d, a = both((4, 5, 6), (4, 5, 6))
    y, e, b = both((6, 7, 4), (6, 7, 4), 1)
    axes = [(1, 2), (0, 1), (2, 0)]
    same(
        vm.apply_gufunc(np.matmul, "(i,j),(j,k)->(i,k)", x, y, axes=axes),
        da.apply_gufunc(np.matmul, "(i,j),(j,k)->(i,k)", d, e, axes=axes, output_dtypes=float),
    )
    check(
        vm.apply_gufunc(np.matmul, "(i,j),(j,k)->(i,k)", x, y, axes=axes).compute(),
        np.matmul(a, b, axes=axes),
    )


def test_output_sizes():
    x, d, _ = both((4, 6), (2, 6))
    function = lambda v: np.concatenate([v, v], axis=-1)  # noqa: E731
    kwargs = dict(output_sizes={"k": 12}, output_dtypes=float)
    same(vm.apply_gufunc(function, "(i)->(k)", x, **kwargs), da.apply_gufunc(function, "(i)->(k)", d, **kwargs))
    # Without sizes, the first block shows them.
    same(vm.apply_gufunc(function, "(i)->(k)", x), da.apply_gufunc(function, "(i)->(k)", d, **kwargs))
    both_results = vm.apply_gufunc(lambda v: (function(v), v[..., :1]), "(i)->(k),(m)", x, output_dtypes=(float, float))
    assert [y.shape for y in both_results] == [(4, 12), (4, 1)]
    with pytest.raises(ValueError, match=r"\(2, 12\).*should be \(2, 5\)"):
        vm.apply_gufunc(function, "(i)->(k)", x, output_sizes={"k": 5}, output_dtypes=float).compute()


def test_keywords_and_scalars():
    x, d, _ = both((4, 6), (2, 6))
    function = lambda v, n, scale=1: v.sum(-1) * scale + n  # noqa: E731
    same(
        vm.apply_gufunc(function, "(i),()->()", x, 3.0, scale=2),
        da.apply_gufunc(function, "(i),()->()", d, 3.0, scale=2, output_dtypes=float),
    )
    low = vm.apply_gufunc(lambda v, low: v.sum(-1) - low, "(i)->()", x, low=x.min(), output_dtypes=float)
    np.testing.assert_allclose(low.compute(), d.sum(-1).compute() - d.min().compute(), rtol=1e-14)


def test_no_inputs_and_no_loop():
    same(vm.apply_gufunc(lambda: np.arange(3), "->(k)", output_sizes={"k": 3}, output_dtypes=int), np.arange(3))
    x, _, a = both((4, 6), (2, 3))
    same(vm.apply_gufunc(lambda m: (m.sum(), m.T.copy()), "(i,j)->(),(j,i)", x), (a.sum(), a.T))


def test_empty_loops():
    x = vm.from_array(np.zeros((0, 4)), chunks=2)
    assert vm.apply_gufunc(lambda v: v.sum(-1), "(i)->()", x).compute().shape == (0,)
    mean, high = vm.apply_gufunc(lambda v: (v.mean(-1), v.argmax(-1)), "(i)->(),()", x)
    assert mean.compute().shape == (0,) and high.dtype == np.intp


def test_what_is_refused():
    x = both((4, 6), (2, 6))[0]
    y = both((4, 5), (2, 5))[0]
    total = lambda v: v.sum(-1)  # noqa: E731
    refusals = [
        (TypeError, "signature must be text", lambda: vm.apply_gufunc(total, 3, x)),
        (ValueError, "no signature", lambda: vm.apply_gufunc(total, "(i)-()", x)),
        (ValueError, "has 1 arguments, but 2", lambda: vm.apply_gufunc(total, "(i)->()", x, x)),
        (ValueError, "core axis 'i' has length", lambda: vm.apply_gufunc(np.add, "(i),(i)->(i)", x, y)),
        (ValueError, "do not go together", lambda: vm.apply_gufunc(np.add, "(),()->()", x, y)),
        (ValueError, "either axis or axes", lambda: vm.apply_gufunc(total, "(i)->()", x, axis=0, axes=[(0,), ()])),
        (ValueError, "single core axis", lambda: vm.apply_gufunc(total, "(i,j)->()", x, axis=0)),
        (ValueError, "keepdims", lambda: vm.apply_gufunc(total, "(i)->(i)", x, keepdims=True)),
        (ValueError, "list of tuples", lambda: vm.apply_gufunc(total, "(i)->()", x, axes=((0,), ()))),
        (ValueError, "entries", lambda: vm.apply_gufunc(total, "(i)->(i)", x, axes=[(0,)])),
        (ValueError, "numbers for argument 0", lambda: vm.apply_gufunc(total, "(i)->()", x, axes=[(0, 1), ()])),
        (ValueError, "2 results, but there is a single", lambda: vm.apply_gufunc(stats, "(i)->(),()", x, output_dtypes=float)),
        (ValueError, "2 results, but 3", lambda: vm.apply_gufunc(stats, "(i)->(),()", x, output_dtypes=[float] * 3)),
        (ValueError, "either meta or", lambda: vm.apply_gufunc(total, "(i)->()", x, output_dtypes=float, meta=np.empty(0))),
        (ValueError, "tuple of 3", lambda: vm.apply_gufunc(stats, "(i)->(),(),()", x)),
        (ValueError, "a ndarray.*tuple of 2", lambda: vm.apply_gufunc(total, "(i)->(),()", x)),
        (ValueError, "core axes", lambda: vm.apply_gufunc(total, "(i,j,k)->()", x)),
        (TypeError, "result 1 of stats is float64.*float32 was announced",
         lambda: vm.apply_gufunc(stats, "(i)->(),()", x, output_dtypes=("f8", "f4"))[0].compute()),
        (TypeError, "float64.*announced", lambda: vm.apply_gufunc(total, "(i)->()", x, output_dtypes=int).compute()),
    ]  # fmt: skip
    for kind, words, attempt in refusals:
        with pytest.raises(kind, match=words):
            attempt()


@RANDOM
@given(st.data())
def test_random_signatures(data):
    """Any loop and core axes, chunks and orders: what NumPy's own gufunc gives."""
    draw = data.draw
    loop = draw(st.lists(st.integers(1, 4), max_size=2))
    i, j, k = (draw(st.integers(1, 4)) for _ in range(3))
    shapes = []
    for core in ((i, j), (j, k)):
        own = [n if draw(st.booleans()) else 1 for n in loop[draw(st.integers(0, len(loop))) :]]
        shapes.append((*own, *core))
    arrays = [np.random.default_rng(draw(st.integers(0, 99))).integers(0, 9, shape).astype(float) for shape in shapes]
    axes = []
    moved = []
    for a in (*arrays, None):
        rank = max(len(s) for s in shapes) if a is None else a.ndim
        where = tuple(draw(st.permutations(range(rank)))[:2])
        axes.append(tuple(n - rank if draw(st.booleans()) else n for n in where))
        if a is not None:
            moved.append(np.moveaxis(a, (-2, -1), where))
    mine = [vm.from_array(np.ascontiguousarray(m), chunks=tuple(cuts(draw, n) for n in m.shape)) for m in moved]
    expected = np.matmul(*moved, axes=axes)
    with vm.config.set(threads=2, random_tiles=draw(st.integers(0, 99))):
        found = vm.apply_gufunc(np.matmul, "(i,j),(j,k)->(i,k)", *mine, axes=axes).compute()
    np.testing.assert_array_equal(found, expected)


# gufunc and as_gufunc


def test_gufunc_objects():
    x, d, a = both((4, 6), (2, 6))
    mine = vm.gufunc(stats, signature="(i)->(),()", output_dtypes=(float, float))
    same(mine(x), da.gufunc(stats, signature="(i)->(),()", output_dtypes=(float, float))(d))
    assert mine.__name__ == "stats" and "(i)->(),()" in repr(mine)

    @vm.as_gufunc("(i),(j)->(i,j)", output_dtypes=float, vectorize=True)
    def product(v, w):
        """Outer product."""
        return np.outer(v, w)

    assert product.__doc__ == "Outer product."
    check(product(x, a[0]).compute(), np.stack([np.outer(row, a[0]) for row in a]))
    with pytest.raises(ValueError, match="no signature"):
        vm.gufunc(stats, signature="i->()")
    with pytest.raises(TypeError):
        vm.as_gufunc("(i)->()", wrong=1)(stats)


# vectorize and frompyfunc


def test_vectorize():
    a = np.arange(12).reshape(3, 4)
    x = vm.from_array(a, chunks=2)
    function = lambda p, q: p - q if p > q else p + q  # noqa: E731
    for q in (5, np.arange(4), vm.arange(4, chunks=3)):
        check(vm.vectorize(function)(x, q).compute(), np.vectorize(function)(a, np.asarray(q)))
    check(vm.vectorize(function, otypes=[float])(x, 5).compute(), np.vectorize(function, otypes=[float])(a, 5))
    check(vm.vectorize(function, otypes="d")(x, q=5).compute(), np.vectorize(function, otypes="d")(a, q=5))


def test_vectorize_with_several_results():
    a = np.arange(6)
    function = lambda v: (v * 2, v / 4)  # noqa: E731
    for otypes in (None, [int, float]):
        mine = vm.vectorize(function, otypes=otypes)(vm.from_array(a, chunks=4))
        same(mine, np.vectorize(function, otypes=otypes)(a))


def test_vectorize_excluded():
    a = np.arange(4)
    x = vm.from_array(a, chunks=3)
    power = lambda p, v: np.polyval(p, v)  # noqa: E731
    check(vm.vectorize(power, excluded=["p"])(p=[1, 2, 3], v=x).compute(), np.vectorize(power, excluded=["p"])(p=[1, 2, 3], v=a))
    check(vm.vectorize(power, excluded={0})([1, 2, 3], x).compute(), np.vectorize(power, excluded={0})([1, 2, 3], a))


def test_vectorize_signature():
    a, b = np.eye(4), np.array([1.0, 2, 1])
    mine = vm.vectorize(np.convolve, signature="(n),(m)->(k)")(vm.from_array(a, chunks=2), b)
    check(mine.compute(), np.vectorize(np.convolve, signature="(n),(m)->(k)")(a, b))
    mean = vm.vectorize(lambda v: (v.mean(), v.max()), signature="(n)->(),()", otypes=[float, float])
    same(mean(vm.from_array(a, chunks=2)), (a.mean(-1), a.max(-1)))


def test_vectorize_as_decorator_and_calls():
    calls = []

    @vm.vectorize(otypes=[float], doc="Half of it.")
    def half(v):
        calls.append(v)
        return v / 2

    assert half.__doc__ == "Half of it." and half.__name__ == "half"
    y = half(vm.arange(10, chunks=3))
    assert not calls
    check(y.compute(), np.arange(10) / 2)
    assert len(calls) == 10
    calls.clear()
    vm.vectorize(half.pyfunc)(vm.arange(10, chunks=3)).compute()
    assert len(calls) == 10  # Not even the first element twice.


def test_vectorize_refuses():
    with pytest.raises(ValueError, match="otypes"):
        vm.vectorize(lambda v: v)(vm.zeros((0, 3)))
    assert vm.vectorize(lambda v: v, otypes=[float])(vm.zeros((0, 3))).compute().shape == (0, 3)
    with pytest.raises(TypeError, match="function"):
        vm.vectorize(3)
    with pytest.raises(TypeError, match="not supported"):
        vm.vectorize(str)(vm.arange(3))


def test_frompyfunc():
    x = vm.arange(6, chunks=4)
    add = vm.frompyfunc(lambda p, q: p * 10 + q, 2, 1)
    check(add(x, 3).compute(), np.arange(6) * 10 + 3)
    check(add(x, 3, dtype=float).compute(), np.arange(6) * 10.0 + 3)
    same(vm.frompyfunc(divmod, 2, 2)(x, 4), (np.arange(6) // 4, np.arange(6) % 4))
    assert add.nin == 2 and add.nout == 1 and "lambda" in repr(add)
    with pytest.raises(TypeError, match="2 arguments, not 1"):
        add(x)
    with pytest.raises(TypeError, match="function"):
        vm.frompyfunc(3, 1, 1)
    with pytest.raises(ValueError, match="at least one"):
        vm.frompyfunc(abs, 0, 1)


# generic_filter


MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant"]
FUNCTIONS = [np.ptp, np.median, lambda window: window[0] * 2.3 - window[-1]]


@RANDOM
@given(st.data())
def test_generic_filter_equals_scipy(data):
    draw = data.draw
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    a = (rng.random(shape) * 100).astype(draw(st.sampled_from(["u1", "i2", "i8", "f4", "f8", "?"])))
    x = vm.from_array(a, chunks=tuple(cuts(draw, n) for n in shape))
    axes = draw(st.one_of(st.none(), st.permutations(range(len(shape))).map(lambda p: tuple(p[: rng.integers(1, len(p) + 1)]))))
    rank = len(shape) if axes is None else len(axes)
    size = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    kwargs = {
        "mode": draw(st.sampled_from(MODES)), "cval": draw(st.sampled_from([0.0, 3.7, -2.5])), "axes": axes,
        "origin": [draw(st.integers(-(n // 2), (n - 1) // 2)) for n in size],
    }  # fmt: skip
    footprint = rng.random(size) < 0.7
    if draw(st.booleans()) and footprint.any():
        kwargs["footprint"] = footprint
    else:
        kwargs["size"] = size
    if draw(st.booleans()):
        kwargs["output"] = draw(st.sampled_from(["f4", "i4", "f8"]))
    function = draw(st.sampled_from(FUNCTIONS))
    try:
        expected = ndimage.generic_filter(a, function, **kwargs)
    except ValueError:
        with pytest.raises(ValueError, match="origin"):
            vm.ndimage.generic_filter(x, function, **kwargs)
        return
    with vm.config.set(threads=2, random_tiles=draw(st.integers(0, 99))):
        check(vm.ndimage.generic_filter(x, function, **kwargs).compute(), expected)


@RANDOM
@given(st.data())
def test_generic_filter1d_equals_scipy(data):
    draw = data.draw
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    a = (np.random.default_rng(draw(st.integers(0, 999))).random(shape) * 100).astype(draw(st.sampled_from(["u1", "i8", "f4", "f8"])))
    n = draw(st.integers(1, 5))
    kwargs = {
        "axis": draw(st.integers(-len(shape), len(shape) - 1)), "mode": draw(st.sampled_from(MODES)), "cval": 3.7,
        "origin": draw(st.integers(-(n // 2), (n - 1) // 2)), "output": draw(st.sampled_from([None, "f8"])),
    }  # fmt: skip

    def smooth(line, result, weight=1):
        result[:] = np.convolve(line, np.arange(1, n + 1), "valid") * weight

    kwargs["extra_keywords"] = {"weight": 2}
    x = vm.from_array(a, chunks=tuple(cuts(draw, m) for m in shape))
    check(vm.ndimage.generic_filter1d(x, smooth, n, **kwargs).compute(), ndimage.generic_filter1d(a, smooth, n, **kwargs))


def test_generic_filter_calls_once_for_each_element():
    calls = []
    x = vm.from_array(np.arange(20.0).reshape(4, 5), chunks=2)
    y = vm.ndimage.generic_filter(x, lambda window, add, scale=1: calls.append(1) or window.max() * scale + add, 3,
                                  extra_arguments=(1,), extra_keywords={"scale": 2})  # fmt: skip
    y.compute()
    assert len(calls) == 20
    calls.clear()
    y[0, 0].compute()
    assert len(calls) == 4


def test_generic_filter_on_large_windows_and_small_arrays():
    a = np.arange(7.0)
    for mode in MODES:
        check(
            vm.ndimage.generic_filter(vm.from_array(a, chunks=2), np.sum, 25, mode=mode).compute(),
            ndimage.generic_filter(a, np.sum, 25, mode=mode),
        )


def test_generic_filter_refuses():
    x = vm.arange(5.0)
    filters = vm.ndimage
    refusals = [
        (RuntimeError, "size or a footprint", lambda: filters.generic_filter(x, np.max)),
        (RuntimeError, "boundary mode 'symmetric'", lambda: filters.generic_filter(x, np.max, 3, mode="symmetric")),
        (ValueError, "origin 2", lambda: filters.generic_filter(x, np.max, 3, origin=2)),
        (RuntimeError, "footprint has 2 axes", lambda: filters.generic_filter(x, np.max, footprint=np.ones((2, 2)))),
        (RuntimeError, "size has 2 entries", lambda: filters.generic_filter(x, np.max, size=(3, 3))),
        (ValueError, "empty", lambda: filters.generic_filter(x, np.max, footprint=[False])),
        (TypeError, "real numbers", lambda: filters.generic_filter(x * 1j, np.max, 3)),
        (TypeError, "cannot write into", lambda: filters.generic_filter(x, np.max, 3, output=np.empty(5))),
        (TypeError, "one mode", lambda: filters.generic_filter(x, np.max, 3, mode=["reflect"])),
        (RuntimeError, "filter size", lambda: filters.generic_filter1d(x, np.max, 0)),
        (ValueError, "origin 3", lambda: filters.generic_filter1d(x, np.max, 3, origin=3)),
    ]
    for kind, words, attempt in refusals:
        with pytest.raises(kind, match=words):
            attempt()
    with pytest.raises(ZeroDivisionError) as caught:
        filters.generic_filter(x, lambda window: 1 / 0, 3).compute()
    assert any("in block" in note for note in caught.value.__notes__)
