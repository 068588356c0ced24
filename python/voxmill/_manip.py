"""Functions of NumPy's catalogue that are no ops of the table: those of the modules beside this one, and small ones about elements."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from voxmill import _grids, _join, _neighbours, _pick
from voxmill._along import elementwise
from voxmill._host import host
from voxmill._core import ARRAY, axis_in, call
from voxmill._create import asarray, zeros, zeros_like
from voxmill._grids import *  # noqa: F403
from voxmill._index import _bounds
from voxmill._join import *  # noqa: F403
from voxmill._neighbours import *  # noqa: F403
from voxmill._parts import along, cut, into, values_of
from voxmill._pick import *  # noqa: F403
from voxmill._shape import atleast_1d, concatenate, ravel


def divmod(x1: Any, x2: Any) -> tuple:
    """Give quotients rounded down, and remainders.

    Examples
    --------
    >>> [part.compute().tolist() for part in vm.divmod(vm.asarray([7, 8]), 3)]
    [[2, 2], [1, 2]]
    """
    return call("floor_divide", (x1, x2)), call("remainder", (x1, x2))


def modf(x: Any) -> tuple:
    """Give the fractional and the whole part of numbers, both with the number's sign.

    Examples
    --------
    >>> [part.compute().tolist() for part in vm.modf(vm.asarray([1.5, -2.25]))]
    [[0.5, -0.25], [1.0, -2.0]]
    """
    return _both_parts(np.modf, x)


def frexp(x: Any) -> tuple:
    """Give numbers as a mantissa and a power of two.

    Examples
    --------
    >>> [part.compute().tolist() for part in vm.frexp(vm.asarray([8.0, 0.75]))]
    [[0.5, 0.75], [4, 0]]
    """
    return _both_parts(np.frexp, x)


def _both_parts(ufunc: np.ufunc, x: Any) -> tuple:
    """Give the two results of a ufunc."""
    x = asarray(x)
    dtypes = ufunc.resolve_dtypes((x.dtype, None, None))[1:]
    return tuple(elementwise(partial(_part, ufunc, k), x, dtype=dtype, name=ufunc.__name__) for k, dtype in enumerate(dtypes))


def _part(ufunc: np.ufunc, number: int, x: np.ndarray) -> np.ndarray:
    return ufunc(x)[number]


def fix(x: Any, out: Any = None) -> Any:
    """Round towards zero.

    Examples
    --------
    >>> vm.fix(vm.asarray([1.7, -1.7])).compute()
    array([ 1., -1.])
    """
    return into(call("trunc", (asarray(x),)), out, "fix")


def i0(x: Any) -> Any:
    """Give the modified Bessel function of the first kind, order 0.

    Examples
    --------
    >>> vm.i0(vm.asarray([0.0, 1.0])).compute().round(4)
    array([1.    , 1.2661])
    """
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 is not defined for complex numbers")
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    return elementwise(np.i0, x, dtype=x.dtype)


def isposinf(x: Any, out: Any = None) -> Any:
    """True for positive infinity.

    Examples
    --------
    >>> vm.isposinf(vm.asarray([np.inf, -np.inf, 1])).compute()
    array([ True, False, False])
    """
    return into(_infinite(x, "isposinf") & ~call("signbit", (x,)), out, "isposinf")


def isneginf(x: Any, out: Any = None) -> Any:
    """True for negative infinity.

    Examples
    --------
    >>> vm.isneginf(vm.asarray([np.inf, -np.inf, 1])).compute()
    array([False,  True, False])
    """
    return into(_infinite(x, "isneginf") & call("signbit", (x,)), out, "isneginf")


def _infinite(x: Any, name: str) -> Any:
    if asarray(x).dtype.kind == "c":
        raise TypeError(f"{name} is not defined for complex numbers: they have no sign")
    return call("isinf", (x,))


def iscomplex(x: Any) -> Any:
    """True for numbers with an imaginary part that is not zero.

    Examples
    --------
    >>> vm.iscomplex(vm.asarray([1 + 1j, 1])).compute()
    array([ True, False])
    """
    return call("imag", (asarray(x),)) != 0


def isreal(x: Any) -> Any:
    """True for numbers without an imaginary part.

    Examples
    --------
    >>> vm.isreal(vm.asarray([1 + 1j, 1])).compute()
    array([False,  True])
    """
    return call("imag", (asarray(x),)) == 0


def iscomplexobj(x: Any) -> bool:
    """Say whether an array is of complex dtype.

    Examples
    --------
    >>> vm.iscomplexobj(vm.ones(3, dtype=complex))
    True
    """
    return (x if hasattr(x, "dtype") else np.asarray(x)).dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """Say whether an array is of another than complex dtype.

    Examples
    --------
    >>> vm.isrealobj(vm.ones(3))
    True
    """
    return not iscomplexobj(x)


def isnull(values: Any) -> Any:
    """True for NaN, as Dask has it; numbers of other types than floats are never missing.

    Examples
    --------
    >>> vm.isnull(vm.asarray([1.0, np.nan])).compute()
    array([False,  True])
    """
    return call("isnan", (asarray(values),))


def notnull(values: Any) -> Any:
    """True for all but NaN; see `isnull`.

    Examples
    --------
    >>> vm.notnull(vm.asarray([1.0, np.nan])).compute()
    array([ True, False])
    """
    return ~isnull(values)


def polyval(p: Any, x: Any) -> Any:
    """Give values of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients, that of the highest power first; lazy ones are computed.
    x : array_like
        Where to evaluate it.

    Examples
    --------
    >>> vm.polyval([1, 0, 2], vm.arange(3)).compute()
    array([2, 3, 6])
    """
    x = asarray(x)
    result = zeros_like(x)
    for coefficient in values_of(p):
        result = result * x + coefficient
    return result


def packbits(a: Any, /, axis: int | None = None, bitorder: str = "big") -> Any:
    """Give eight truth values in each byte.

    Parameters
    ----------
    a : array_like of bool or int
    axis : int, optional
        Along which to pack; the flattened array is used by default.
    bitorder : {"big", "little"}
        Whether the first value is the highest bit, or the lowest.

    Examples
    --------
    >>> vm.packbits(vm.asarray([1, 0, 1])).compute()
    array([160], dtype=uint8)
    """
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError(f"packbits: elements must be integers or truth values, not {a.dtype}")
    _check_bitorder(bitorder, "packbits")
    if axis is None or a.ndim == 0:
        a, axis = ravel(a), 0
    axis = axis_in(axis, a.ndim)
    n = a.shape[axis]
    shape = a.shape[:axis] + (-(-n // 8),) + a.shape[axis + 1 :]
    chunks = cut(shape, 8)
    reads = [(k, _bounds(c)) for k, c in enumerate(chunks)]
    reads[axis] = (axis, [(8 * begin, min(8 * end, n)) for begin, end in reads[axis][1]])
    return host(partial(_packed, axis=axis, bitorder=bitorder), "packbits", [a], [reads], shape, np.uint8, chunks)


def _packed(block: tuple[int, ...], box: np.ndarray, axis: int, bitorder: Any) -> np.ndarray:
    return np.packbits(box, axis, bitorder)


def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Any:
    """Give the bits of bytes as zeros and ones.

    Parameters
    ----------
    a : array_like of uint8
    axis : int, optional
        Along which to unpack; the flattened array is used by default.
    count : int, optional
        How many to give: zeros are added if there are fewer; a negative number says how many to leave out.
    bitorder : {"big", "little"}
        Whether the first value is the highest bit, or the lowest.

    Examples
    --------
    >>> vm.unpackbits(vm.asarray(np.array([160], "u1")), count=3).compute()
    array([1, 0, 1], dtype=uint8)
    """
    a = asarray(a)
    if a.dtype != np.uint8:
        raise TypeError(f"unpackbits: elements must be uint8, not {a.dtype}; use astype or view first")
    _check_bitorder(bitorder, "unpackbits")
    if axis is None or a.ndim == 0:
        a, axis = ravel(a), 0
    axis = axis_in(axis, a.ndim)
    n = 8 * a.shape[axis]
    keep = n if count is None else count if count >= 0 else n + count
    if keep < 0:
        raise ValueError(f"unpackbits: count {count} leaves out more than the {n} bits of axis {axis}")
    shape = a.shape[:axis] + (n,) + a.shape[axis + 1 :]
    bytes_of = cut(a.shape, 8)
    chunks = tuple(tuple(8 * m for m in c) if k == axis else c for k, c in enumerate(bytes_of))
    reads = [(k, _bounds(c)) for k, c in enumerate(bytes_of)]
    bits = host(partial(_unpacked, axis=axis, bitorder=bitorder), "unpackbits", [a], [reads], shape, np.uint8, chunks)
    if keep <= n:
        return along(bits, axis, slice(0, keep))
    return concatenate([bits, zeros(shape[:axis] + (keep - n,) + shape[axis + 1 :], np.uint8)], axis)


def _unpacked(block: tuple[int, ...], box: np.ndarray, axis: int, bitorder: Any) -> np.ndarray:
    return np.unpackbits(box, axis, bitorder=bitorder)


def _check_bitorder(bitorder: str, name: str) -> None:
    if bitorder not in ("big", "little"):
        raise ValueError(f"{name}: bitorder must be 'big' or 'little', not {bitorder!r}")


def real_if_close(a: Any, tol: float = 100) -> Any:
    """Give the real part if all imaginary parts are close to zero. Computes whether they are: the dtype depends on it.

    Parameters
    ----------
    a : array_like
    tol : number
        How close: in units of the dtype's precision above 1, else as it is.

    Examples
    --------
    >>> vm.real_if_close(vm.asarray([1 + 1e-15j, 2])).compute()
    array([1., 2.])
    """
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    limit = float(np.finfo(a.dtype).eps) * tol if tol > 1 else tol
    return a.real if bool((call("absolute", (a.imag,)) < limit).all()) else a


# Dtypes, shapes, and small things that NumPy makes


def isscalar(element: Any) -> bool:
    """Say whether something is a number, not an array.

    Examples
    --------
    >>> vm.isscalar(3.1), vm.isscalar(vm.asarray(3.1))
    (True, False)
    """
    return np.isscalar(element)


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """Give the dtype that arrays, dtypes and numbers have in common.

    Examples
    --------
    >>> vm.result_type(vm.ones(3, dtype="f4"), "u2", 1)
    dtype('float32')
    """
    return np.result_type(*(x.dtype if isinstance(x, ARRAY) else x for x in arrays_and_dtypes))


def promote_types(type1: Any, type2: Any) -> np.dtype:
    """Give the smallest dtype that both dtypes can be cast to.

    Examples
    --------
    >>> vm.promote_types("u1", "i1")
    dtype('int16')
    """
    return np.promote_types(type1, type2)


def min_scalar_type(a: Any, /) -> np.dtype:
    """Give the smallest dtype that can hold a number; of arrays, their dtype.

    Examples
    --------
    >>> vm.min_scalar_type(300)
    dtype('uint16')
    """
    return a.dtype if isinstance(a, ARRAY) and a.ndim else np.min_scalar_type(values_of(a) if isinstance(a, ARRAY) else a)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Say whether a dtype is of a kind, or the same as another.

    Examples
    --------
    >>> vm.issubdtype(vm.ones(3).dtype, np.floating)
    True
    """
    return np.issubdtype(arg1, arg2)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Give the shape that arrays of these shapes have together.

    Examples
    --------
    >>> vm.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*shapes)


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """Give `a` as an array of a dtype. Results are in C order and can be written to, so that other requirements hold anyway.

    Examples
    --------
    >>> vm.require([1, 2], dtype=float).compute()
    array([1., 2.])
    """
    return asarray(a, dtype)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Give `a` as an array of a dtype. The order in memory is the engine's own affair.

    Examples
    --------
    >>> vm.asfortranarray([[1, 2]]).shape
    (1, 2)
    """
    return atleast_1d(asarray(a, dtype))


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0, *, chunks: Any = None
) -> Any:
    """Give numbers whose logarithms are evenly spaced, from ``base**start`` to ``base**stop``.

    Examples
    --------
    >>> vm.logspace(0, 2, 3).compute()
    array([  1.,  10., 100.])
    """
    start, stop, base = (values_of(x) if isinstance(x, ARRAY) else x for x in (start, stop, base))
    return asarray(np.logspace(start, stop, num, endpoint, base, dtype, axis), chunks=chunks)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0, *, chunks: Any = None) -> Any:
    """Give numbers that grow by the same factor, from start to stop.

    Examples
    --------
    >>> vm.geomspace(1, 8, 4).compute()
    array([1., 2., 4., 8.])
    """
    start, stop = (values_of(x) if isinstance(x, ARRAY) else x for x in (start, stop))
    return asarray(np.geomspace(start, stop, num, endpoint, dtype, axis), chunks=chunks)


def bartlett(M: int) -> Any:
    """Give the Bartlett window: a triangle.

    Examples
    --------
    >>> vm.bartlett(5).compute()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return asarray(np.bartlett(M))


def blackman(M: int) -> Any:
    """Give the Blackman window, a taper of three cosines.

    Examples
    --------
    >>> vm.blackman(5).compute().round(2)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    return asarray(np.blackman(M))


def hamming(M: int) -> Any:
    """Give the Hamming window, a raised cosine that does not reach zero.

    Examples
    --------
    >>> vm.hamming(5).compute().round(2)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return asarray(np.hamming(M))


def hanning(M: int) -> Any:
    """Give the Hann window, a raised cosine.

    Examples
    --------
    >>> vm.hanning(5).compute()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return asarray(np.hanning(M))


def kaiser(M: int, beta: float) -> Any:
    """Give the Kaiser window, made of Bessel functions; `beta` says how narrow it is.

    Examples
    --------
    >>> vm.kaiser(5, 5.0).compute().round(2)
    array([0.04, 0.55, 1.  , 0.55, 0.04])
    """
    return asarray(np.kaiser(M, beta))


__all__ = _grids.__all__ + _join.__all__ + _neighbours.__all__ + _pick.__all__ + [
    "asfortranarray", "bartlett", "blackman", "broadcast_shapes", "divmod", "fix", "frexp", "geomspace", "hamming", "hanning", "i0",
    "iscomplex", "iscomplexobj", "isneginf", "isnull", "isposinf", "isreal", "isrealobj", "isscalar", "issubdtype", "kaiser",
    "logspace", "min_scalar_type", "modf", "notnull", "packbits", "polyval", "promote_types", "real_if_close", "require",
    "result_type", "unpackbits",
]  # fmt: skip
