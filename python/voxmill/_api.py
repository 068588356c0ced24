"""What the Python array API standard names differently from NumPy: its version, questions about dtypes, short names of functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._assign import into
from voxmill._core import ARRAY, axes_in, call, optional_dtype, wrap
from voxmill._create import asarray
from voxmill._generated import arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, power

__array_api_version__ = "2024.12"

KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


class Info:
    """What an array library can do; see `__array_namespace_info__`."""

    def capabilities(self) -> dict[str, Any]:
        """Say what works: boolean masks, shapes that depend on data (both computed when asked), and the number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Give the device of new arrays."""
        return "cpu"

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """Give the dtypes that are taken where none is given."""
        _check_device("default_dtypes", device)
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: np.dtype(name) for kind, name in names.items()}

    def devices(self) -> list[str]:
        """Give all devices."""
        return ["cpu"]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype]:
        """Give the dtypes of the standard, or those of some kinds.

        Examples
        --------
        >>> sorted(vm.__array_namespace_info__().dtypes(kind="real floating"))
        ['float32', 'float64']
        """
        _check_device("dtypes", device)
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for name in kinds:
            if name not in KINDS:
                raise ValueError(f"dtypes: kind {name!r} is not known; there are {', '.join(map(repr, KINDS))}")
        return {name: np.dtype(name) for own in kinds for name in KINDS[own]}


def __array_namespace_info__() -> Info:
    """Give an object that says what this library can do, as the array API standard wants it.

    Examples
    --------
    >>> vm.__array_namespace_info__().default_device()
    'cpu'
    """
    return Info()


def _check_device(name: str, device: Any) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f"{name}: there is no device {device!r}, only 'cpu'")


# Dtypes


def isdtype(dtype: Any, kind: Any) -> bool:
    """Say whether a dtype is of a kind: another dtype, a name such as "real floating", or one of several in a tuple.

    Examples
    --------
    >>> vm.isdtype(vm.float32, "real floating"), vm.isdtype(vm.int8, ("bool", vm.int8))
    (True, True)
    """
    return np.isdtype(np.dtype(dtype), tuple(map(_kind, kind)) if isinstance(kind, tuple) else _kind(kind))


def _kind(kind: Any) -> Any:
    return kind if isinstance(kind, str) else np.dtype(kind)


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Say whether a dtype, or the one of an array, can be cast to another without loss.

    Examples
    --------
    >>> vm.can_cast(vm.uint8, vm.int16), vm.can_cast(vm.ones(3), vm.float32)
    (True, False)
    """
    return np.can_cast(asarray(from_).dtype if isinstance(from_, ARRAY) else from_, to, casting)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Take an array of another library that has `__dlpack__`, sharing its memory.

    Parameters
    ----------
    x : object
        Something with `__dlpack__` and `__dlpack_device__`, in memory of the CPU.
    device : "cpu", optional
    copy : bool, optional
        True to copy the memory; False to refuse where it would have to be copied.

    Examples
    --------
    >>> vm.from_dlpack(np.arange(3)).compute()
    array([0, 1, 2])
    """
    _check_device("from_dlpack", device)
    if isinstance(x, ARRAY):
        return wrap(x._expr)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack needs an object with __dlpack__, not {type(x).__name__}; see voxmill.asarray")
    return asarray(np.from_dlpack(x, copy=copy))


# Functions under the standard's names


def acos(x: Any, /) -> Any:
    """Arc cosine of every element; the same as `arccos`.

    Examples
    --------
    >>> vm.acos([1.0]).compute()
    array([0.])
    """
    return arccos(x)


def acosh(x: Any, /) -> Any:
    """Inverse hyperbolic cosine of every element; the same as `arccosh`.

    Examples
    --------
    >>> vm.acosh([1.0]).compute()
    array([0.])
    """
    return arccosh(x)


def asin(x: Any, /) -> Any:
    """Arc sine of every element; the same as `arcsin`.

    Examples
    --------
    >>> vm.asin([0.0]).compute()
    array([0.])
    """
    return arcsin(x)


def asinh(x: Any, /) -> Any:
    """Inverse hyperbolic sine of every element; the same as `arcsinh`.

    Examples
    --------
    >>> vm.asinh([0.0]).compute()
    array([0.])
    """
    return arcsinh(x)


def atan(x: Any, /) -> Any:
    """Arc tangent of every element; the same as `arctan`.

    Examples
    --------
    >>> vm.atan([0.0]).compute()
    array([0.])
    """
    return arctan(x)


def atan2(x1: Any, x2: Any, /) -> Any:
    """Angle of the point ``(x2, x1)``; the same as `arctan2`.

    Examples
    --------
    >>> vm.atan2([0.0], [1.0]).compute()
    array([0.])
    """
    return arctan2(x1, x2)


def atanh(x: Any, /) -> Any:
    """Inverse hyperbolic tangent of every element; the same as `arctanh`.

    Examples
    --------
    >>> vm.atanh([0.0]).compute()
    array([0.])
    """
    return arctanh(x)


def pow(x1: Any, x2: Any, /) -> Any:
    """Raise elements to a power; the same as `power`.

    Examples
    --------
    >>> vm.pow(vm.arange(4), 2).compute()
    array([0, 1, 4, 9])
    """
    return power(x1, x2)


def _spread(name: str, a: Any, axis: Any, dtype: Any, ddof: float, keepdims: bool, correction: float | None, out: Any) -> Any:
    if correction is not None:
        if ddof != 0:
            raise ValueError(f"{name}: ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = asarray(a)
    axes = None if axis is None else list(axes_in(axis, a.ndim))
    return into(out, call(name, (a,), {"axis": axes, "dtype": optional_dtype(dtype), "ddof": ddof, "keepdims": bool(keepdims)}), name)


def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    split_every: Any = None,
) -> Any:
    """Standard deviation over axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Element type to compute in; float64 for integers.
    ddof, correction : float
        What is subtracted from the number of elements before dividing by it: two names for one number.
    keepdims : bool
        Whether the axes stay, with length 1.
    out : Array or numpy.ndarray, optional
        Where to put the result, as in NumPy.
    split_every
        Accepted for Dask's sake.

    Examples
    --------
    >>> vm.std([1.0, 3.0], correction=1).compute()
    np.float64(1.4142135623730951)
    """
    return _spread("std", a, axis, dtype, ddof, keepdims, correction, out)


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    split_every: Any = None,
) -> Any:
    """Variance over axes; parameters as in `std`.

    Examples
    --------
    >>> vm.var([1.0, 3.0], correction=1).compute()
    np.float64(2.0)
    """
    return _spread("var", a, axis, dtype, ddof, keepdims, correction, out)


__all__ = [
    "__array_api_version__", "__array_namespace_info__", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "can_cast",
    "from_dlpack", "isdtype", "pow", "std", "var",
]  # fmt: skip
