"""NumPy's own functions called with arrays of the package: results are lazy, and equal to NumPy's."""

from __future__ import annotations

import inspect
import operator
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import voxmill as vm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from voxmill import _numpy

sys.path.insert(0, str(Path(__file__).parent))

from differential import ALL, EXAMPLES, INTEGERS, REAL, arrays, chunked  # noqa: E402

MANY = settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))

A = np.random.default_rng(0).integers(1, 9, (4, 4)).astype(float)
X = vm.from_array(A, chunks=(2, 3))


def same(found, wanted, *, lazy=True, rtol=1e-12):
    """Expect equal results; lazy ones, where NumPy gives arrays."""
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for f, w in zip(found, wanted):
            same(f, w, lazy=lazy, rtol=rtol)
        return
    if isinstance(wanted, (np.ndarray, np.generic)):
        assert not lazy or isinstance(found, vm.Array), type(found)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=rtol, atol=rtol)
        assert np.shape(found) == np.shape(wanted)
        return
    assert found == wanted


# Functions

CALLS = {
    "all": {"axis": 0}, "allclose": (A,), "any": {}, "append": (A,), "apply_along_axis": None, "apply_over_axes": None,
    "argmax": {"axis": 1}, "argmin": {}, "argpartition": None, "argsort": {"kind": "stable"}, "argwhere": (), "around": (1,),
    "array_split": (3,), "astype": (int,), "average": {"weights": A}, "bincount": None, "broadcast_to": ((2, 4, 4),), "clip": (2, 5),
    "compress": None, "copy": (), "corrcoef": (), "count_nonzero": {}, "cov": (), "cross": None, "cumprod": {"axis": 0}, "cumsum": {},
    "delete": (1,), "diag": (), "diagonal": (), "diff": (), "digitize": (np.array([2.0, 5.0]),), "dot": (A,), "dsplit": None,
    "ediff1d": (), "expand_dims": (0,), "extract": None, "fix": (), "flatnonzero": (), "flip": (), "fliplr": (), "flipud": (),
    "gradient": (), "hsplit": (2,), "imag": (), "inner": (A,), "insert": (1, 5.0), "isclose": (A,), "isin": ([1, 2],), "iscomplex": (),
    "isneginf": (), "isposinf": (), "isreal": (), "kron": (A,), "max": {}, "mean": {"axis": (0, 1)}, "median": {}, "min": {},
    "moveaxis": (0, 1), "nan_to_num": (), "nanargmax": {}, "nanargmin": {}, "nancumprod": {}, "nancumsum": {}, "nanmax": {},
    "nanmean": {}, "nanmedian": {}, "nanmin": {}, "nanpercentile": (30,), "nanprod": {}, "nanquantile": (0.3,), "nanstd": {},
    "nansum": {}, "nanvar": {}, "ndim": (), "nonzero": (), "ones_like": (), "outer": (A,), "pad": (1,), "partition": None,
    "percentile": (30,), "prod": {}, "ptp": {}, "quantile": (0.3,), "ravel": (), "real": (), "repeat": (2,), "reshape": ((2, 8),),
    "roll": (1,), "rollaxis": (1,), "rot90": (), "round": (1,), "searchsorted": None, "shape": (), "sinc": (), "size": (), "sort": (),
    "split": (2,), "squeeze": (), "std": {"axis": 0}, "sum": {}, "swapaxes": (0, 1), "take": ([0, 2],), "take_along_axis": None,
    "tensordot": (A,), "tile": (2,), "trace": (), "transpose": (), "tril": (), "triu": (), "unique": (), "unwrap": None, "var": {},
    "vdot": (A,), "vsplit": (2,), "zeros_like": (), "matrix_transpose": (), "permute_dims": None, "cumulative_sum": {"axis": 0},
    "cumulative_prod": {"axis": 0}, "unstack": (), "vander": None, "trapezoid": (), "histogram": None, "array_equal": (A,),
    "array_equiv": (A,), "amax": {}, "amin": {}, "angle": (), "full_like": (3,), "resize": None, "trim_zeros": None,
}  # fmt: skip
"""Arguments after the array for functions that take one array first; None for those with other arguments, which are tested below."""


@pytest.mark.parametrize("name", sorted(name for name, more in CALLS.items() if more is not None and hasattr(np, name)))
def test_functions(name):
    more = CALLS[name]
    args, kwargs = (more, {}) if isinstance(more, tuple) else ((), more)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        found = getattr(np, name)(X, *args, **kwargs)
    wanted = getattr(np, name)(A, *args, **kwargs)
    same(found, wanted, lazy=name not in ("allclose", "array_equal", "array_equiv"), rtol=1e-9)


def test_most_functions_of_numpy_are_known():
    """Functions of NumPy that dispatch and have no answer here are few, and named."""
    dispatching = {name for name in np.__all__ if hasattr(getattr(np, name), "_implementation")}
    missing = {name for name in dispatching if _numpy._find(getattr(np, name)) is None and name not in _numpy._SPECIAL}
    printing = {"array2string", "array_repr", "array_str", "save", "savetxt", "savez", "savez_compressed"}
    dates = {"busday_count", "busday_offset", "datetime_as_string", "is_busday"}
    polynomials = {"poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "roots"}
    assert missing <= printing | dates | polynomials | {"sort_complex"}


def test_functions_of_several_arrays():
    same(np.concatenate([X, A]), np.concatenate([A, A]))
    same(np.concatenate([A, X], axis=1, dtype="f4"), np.concatenate([A, A], axis=1, dtype="f4"))
    same(np.stack([X, X]), np.stack([A, A]))
    same(np.vstack([A, X]), np.vstack([A, A]))
    same(np.hstack([A, X]), np.hstack([A, A]))
    same(np.where(X > 3, X, 0), np.where(A > 3, A, 0))
    same(np.where(A > 3, X, A), A)
    same(np.where(X > 3), np.where(A > 3))
    same(np.einsum("ij,jk->ik", X, A), A @ A)
    same(np.tensordot(A, X, axes=1), A @ A)
    same(np.linalg.norm(X), np.linalg.norm(A))
    same(np.fft.fft(X), np.fft.fft(A))
    same(np.take_along_axis(X, np.argsort(A), axis=-1), np.sort(A))
    same(np.broadcast_to(X, (2, 4, 4)), np.broadcast_to(A, (2, 4, 4)))
    same(np.searchsorted(vm.arange(5), [1, 3]), np.searchsorted(np.arange(5), [1, 3]))
    same(np.searchsorted(np.arange(5), vm.asarray([1, 3])), np.searchsorted(np.arange(5), [1, 3]))
    same(np.bincount(vm.asarray([1, 1, 3])), np.bincount([1, 1, 3]))
    same(np.histogram(X, bins=3, range=(0, 9))[0], np.histogram(A, bins=3, range=(0, 9))[0])
    same(np.apply_along_axis(np.ptp, 1, X), np.ptp(A, axis=1))
    same(np.compress(A[0] > 3, X, axis=1), np.compress(A[0] > 3, A, axis=1))
    assert isinstance(np.zeros_like(X, dtype="i4"), vm.Array)
    assert isinstance(np.zeros(3, like=X), vm.Array) and isinstance(np.arange(5, like=X), vm.Array)
    assert isinstance(np.asarray([1, 2], like=X), vm.Array) and isinstance(np.array([1, 2], like=X), vm.Array)


def test_names_of_arguments_are_numpys():
    same(np.sum(a=X, axis=0), A.sum(axis=0))
    same(np.mean(a=X), A.mean())
    same(np.clip(a=X, a_min=2, a_max=3), A.clip(2, 3))
    same(np.reshape(X, shape=(8, 2)), A.reshape(8, 2))
    same(np.transpose(a=X, axes=(1, 0)), A.T)
    same(np.roll(a=X, shift=1), np.roll(A, 1))
    same(np.flip(m=X), A[::-1, ::-1])
    same(np.concatenate((X, X), axis=0), np.concatenate((A, A)))
    same(np.expand_dims(a=X, axis=0), A[None])


def test_results_into_arrays():
    own, lazy = np.zeros(4), vm.zeros(4)
    assert np.sum(X, axis=0, out=own) is own and np.sum(X, axis=0, out=lazy) is lazy
    np.testing.assert_array_equal(own, A.sum(axis=0))
    np.testing.assert_array_equal(lazy, A.sum(axis=0))
    with pytest.raises(ValueError, match="shape"):
        np.sum(X, axis=0, out=np.zeros(3))
    target = np.zeros((4, 4))
    np.copyto(target, X)
    np.testing.assert_array_equal(target, A)
    np.copyto(target, X * 0 - 1, where=X > 3)
    np.testing.assert_array_equal(target, np.where(A > 3, -1, A))
    y = X.copy()
    np.copyto(y, 7.0)
    assert float(y.min()) == float(y.max()) == 7
    with pytest.raises(TypeError, match="Cannot cast"):
        np.copyto(np.zeros((4, 4), int), X)


def test_functions_that_look_at_types():
    assert np.result_type(X, "f4", 3) == np.float64 and np.result_type(vm.zeros(3, "f4"), np.int8) == np.float32
    assert np.min_scalar_type(vm.asarray(3)) == np.uint8 and np.min_scalar_type(X) == np.float64
    assert not np.iscomplexobj(X) and np.isrealobj(X) and np.iscomplexobj(X + 1j)
    assert np.common_type(X, vm.zeros(3, "f4")) is np.float64
    assert np.shape(X) == (4, 4) and np.ndim(X) == 2 and np.size(X) == 16 and np.size(X, 0) == 4
    assert not np.shares_memory(X, A)


def test_unknown_functions_compute_small_arrays(monkeypatch):
    with pytest.warns(UserWarning, match="numpy.* is not known to voxmill: the array is computed"):
        found = np.polyfit(vm.arange(5), vm.arange(5) * 2.0, 1)
    np.testing.assert_allclose(found, [2, 0], atol=1e-12)
    with pytest.warns(UserWarning, match="with these arguments"):
        assert float(np.mean(X, where=A > 3)) == A[A > 3].mean()
    # Large ones are the user's decision: nothing is computed.
    with pytest.raises(TypeError, match=r"numpy.polyfit is not known to voxmill; it would compute \d+ MiB, so say it with np.asarray"):
        np.polyfit(vm.zeros(10**9), vm.zeros(10**9), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "[" in np.array2string(X) and "array" in np.array_repr(X)


def test_save(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.save(tmp_path / "x.npy", X)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), A)


# Ufuncs

UFUNCS = sorted({f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc) and f.signature is None})


def inputs(name, draw):
    """Draw arrays that a ufunc takes without leaving its range."""
    f = getattr(np, name)
    low, high, dtypes = -5, 5, ("float32", "float64", "int32")
    if name in ("sqrt", "log", "log2", "log10", "log1p", "power", "float_power", "reciprocal"):
        low, high = 1, 4
    elif name in ("arcsin", "arccos", "arctanh"):
        low, high, dtypes = -0.9, 0.9, ("float32", "float64")
    elif name == "arccosh":
        low = 1
    elif name in ("invert", "bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "bitwise_count", "left_shift", "right_shift"):
        low, high, dtypes = 0, 5, ("int32", "uint8", "int64")
    elif name in ("conjugate", "isfinite", "absolute", "add", "equal"):
        dtypes = ALL if name != "add" else REAL
    elif name == "isnat":
        return None
    elif name in ("divide", "floor_divide", "remainder", "fmod", "divmod"):
        low, high = 1, 9
    shape = tuple(draw(st.integers(0, 4)) for _ in range(draw(st.integers(0, 2))))
    found = [draw(arrays(dtypes, shape=shape, low=low, high=high)) for _ in range(f.nin)]
    if name == "ldexp":
        found[1] = found[1].astype("int32")
    return found


@pytest.mark.parametrize("name", [name for name in UFUNCS if name != "isnat"])
def test_ufuncs(name):
    f = getattr(np, name)

    @settings(parent=MANY, max_examples=max(EXAMPLES // 10, 10))
    @given(st.data())
    def run(data):
        draw = data.draw
        args = inputs(name, draw)
        mixed = [chunked(draw, a) if k == 0 or draw(st.booleans()) else a for k, a in enumerate(args)]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(f(*mixed), f(*args), rtol=1e-5)
            if len(mixed) == 2 and name != "ldexp":
                same(f(*mixed[::-1]), f(*args[::-1]), rtol=1e-5)

    run()


def test_ufuncs_of_scipy():
    from scipy import special

    same(special.erf(X), special.erf(A))
    same(special.jv(1, X), special.jv(1, A))
    same(special.xlogy(X, A), special.xlogy(A, A))
    f4 = vm.from_array(A.astype("f4"), chunks=2)
    assert special.jv(1, f4).dtype == special.jv(1, A.astype("f4")).dtype == np.float32
    same(np.frexp(X), np.frexp(A))
    same(np.modf(X / 3), np.modf(A / 3))
    same(np.divmod(X, 3), np.divmod(A, 3))


@MANY
@given(st.data())
def test_reduce(data):
    draw = data.draw
    name = draw(
        st.sampled_from(
            [
                "add",
                "multiply",
                "minimum",
                "maximum",
                "logical_and",
                "logical_or",
                "logical_xor",
                "bitwise_or",
                "bitwise_and",
                "gcd",
                "fmax",
                "subtract",
            ]
        )
    )
    f = getattr(np, name)
    dtypes = ("int32", "uint8") if name[:3] in ("bit", "gcd") else ("int32", "float64", "bool") if name != "subtract" else ("int32",)
    a = draw(arrays(dtypes, ranks=(1, 2, 3), low=-3, high=4, least=draw(st.integers(0, 1))))
    x = chunked(draw, a)
    axis = (
        draw(st.integers(-a.ndim, a.ndim - 1))
        if name == "subtract"
        else draw(st.sampled_from([None, 0, -1, *((tuple(range(a.ndim)),) if a.ndim > 1 else ())]))
    )
    kwargs = {"axis": axis, "keepdims": draw(st.booleans())}
    if draw(st.booleans()):
        kwargs["initial"] = 2
    if draw(st.booleans()) and (f.identity is not None or "initial" in kwargs) and name != "subtract":
        kwargs["where"] = np.random.default_rng(0).random(a.shape) < 0.5
    try:
        wanted = f.reduce(a, **kwargs)
    except (ValueError, TypeError) as error:
        if 0 in a.shape and axis not in (None, tuple(range(a.ndim))):
            return  # Nothing has to be found for a result without elements; NumPy refuses all the same.
        with pytest.raises(type(error)):
            np.asarray(f.reduce(x, **kwargs))
        return
    found = f.reduce(x, **kwargs)
    np.testing.assert_allclose(np.asarray(found), wanted)
    assert np.shape(found) == np.shape(wanted)
    assert found.dtype == np.asarray(wanted).dtype


def test_other_methods_of_ufuncs():
    for f in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp):
        same(f.accumulate(X), f.accumulate(A))
        same(f.accumulate(X, axis=1), f.accumulate(A, axis=1))
        same(f.outer(X[0], A[1]), f.outer(A[0], A[1]))
        same(f.outer(A[0], X), f.outer(A[0], A))
        same(f.reduceat(X, [0, 2, 1]), f.reduceat(A, [0, 2, 1]))
        same(f.reduceat(X, [0, 3], axis=1), f.reduceat(A, [0, 3], axis=1))
    same(np.add.reduce(vm.asarray([200, 100], dtype="u1")), np.add.reduce(np.array([200, 100], "u1")))
    same(np.add.reduce(X, axis=(0, 1), dtype="f4"), np.add.reduce(A, axis=(0, 1), dtype="f4"))
    with pytest.raises(IndexError):
        np.add.reduceat(X, [9])
    with pytest.raises(TypeError, match="cannot change a lazy array"):
        np.add.at(X, [0], 1)
    counts = np.zeros(4)
    np.add.at(counts, vm.asarray([1, 1, 2]), vm.asarray([1.0, 2.0, 3.0]))
    assert counts.tolist() == [0, 3, 3, 0]
    with pytest.raises(ValueError, match="binary functions"):
        np.sin.reduce(X)


def test_out_and_where_of_ufuncs():
    own, lazy = np.zeros((4, 4)), vm.zeros((4, 4), chunks=2)
    assert np.add(X, 1, out=own) is own and np.add(X, 1, out=lazy) is lazy
    np.testing.assert_array_equal(own, A + 1)
    np.testing.assert_array_equal(lazy, A + 1)
    assert lazy.chunks == ((2, 2), (2, 2))
    np.multiply(A, 2, out=lazy)
    np.testing.assert_array_equal(lazy, A * 2)
    own[:] = -1
    np.sqrt(X, out=own, where=A > 3)
    np.testing.assert_allclose(own, np.where(A > 3, np.sqrt(A), -1))
    found = np.negative(X, where=X > 3)
    np.testing.assert_array_equal(np.asarray(found)[A > 3], -A[A > 3])
    row = np.zeros((3, 4))
    np.add(X[0], 0, out=row)  # The output may be larger.
    np.testing.assert_array_equal(row, np.broadcast_to(A[0], (3, 4)))
    whole, rest = np.zeros((4, 4)), vm.zeros((4, 4))
    np.divmod(X, 3, out=(whole, rest))
    np.testing.assert_array_equal(whole * 3 + np.asarray(rest), A)
    np.add.reduce(X, axis=0, out=row[0])
    np.testing.assert_array_equal(row[0], A.sum(axis=0))
    with pytest.raises(TypeError, match="same_kind"):
        np.add(X, 1.5, out=np.zeros((4, 4), int))
    with pytest.raises(ValueError, match="doesn't match"):
        np.add(X, 1, out=np.zeros((3, 3)))
    with pytest.raises(TypeError, match="truth values"):
        np.add(X, 1, where=A)


def test_types_of_ufuncs():
    i = vm.from_array(A.astype(int), chunks=2)
    same(np.add(i, 1, dtype="f4"), np.add(A.astype(int), 1, dtype="f4"))
    same(np.true_divide(i, 2, dtype="f8"), np.true_divide(A.astype(int), 2))
    same(np.less(i, 3, dtype=bool), A < 3)
    same(np.add(X, 1, casting="unsafe", dtype=int), np.add(A, 1, casting="unsafe", dtype=int))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.add(X, 1, dtype=int)
    with pytest.raises(TypeError):
        np.add(X, 1, nonsense=True)
    with pytest.raises(TypeError):
        np.bitwise_and(X, 1)


@MANY
@given(st.data())
def test_numpy_on_the_left(data):
    """NumPy's arrays and numbers as first operands give lazy arrays, of NumPy's dtype."""
    draw = data.draw
    a = draw(arrays((*INTEGERS, "float32", "float64"), low=1, high=9))
    b = draw(arrays((*INTEGERS, "float32", "float64"), shape=a.shape, low=1, high=5))
    apply = draw(
        st.sampled_from(
            [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.lt, operator.eq]
        )
    )
    left = a if draw(st.booleans()) else np.float32(3) if draw(st.booleans()) else np.int16(3)
    found = apply(left, chunked(draw, b))
    assert isinstance(found, vm.Array)
    with np.errstate(all="ignore"):
        same(found, np.asarray(apply(left, b)), rtol=1e-6)


def test_others_get_their_turn():
    """Things that know what to do with arrays are asked first."""

    class Mine:
        def __array_ufunc__(self, ufunc, method, *args, **kwargs):
            return "ufunc"

        def __array_function__(self, func, types, args, kwargs):
            return "function"

    assert np.add(X, Mine()) == np.add(Mine(), X) == "ufunc"
    assert np.concatenate([X, Mine()]) == "function"


def test_signatures_can_be_bound():
    """Every function that answers for one of NumPy's has a signature to compare with."""
    for name in CALLS:
        own = getattr(vm, name, None)
        if own is not None:
            inspect.signature(own)
