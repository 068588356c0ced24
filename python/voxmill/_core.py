"""What all modules stand on: dtypes, operands, and calling an op of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from voxmill import _native

if TYPE_CHECKING:
    from voxmill._array import Array

NAMES = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
"""The element types that NumPy has, too. There is also bfloat16, from the package ml_dtypes."""

_DTYPES = {name: np.dtype(name) for name in NAMES}
_KNOWN = {dtype: name for name, dtype in _DTYPES.items()}
_PLAIN = (bool, int, float, complex)


class ARRAY:
    """What `Array` is made from: enough to tell arrays from other things, in modules that `Array` itself needs."""

    __slots__ = ("_expr", "__weakref__")
    _expr: _native.Expr
    concrete: type[Array]


def dtype_of(name: str) -> np.dtype:
    """Give NumPy's dtype for one of the engine's names."""
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return _DTYPES[name]


def dtype_name(dtype: Any) -> str:
    """Give the engine's name of a dtype, or say why there is none."""
    dtype = np.dtype(dtype)
    name = _KNOWN.get(dtype)
    if name is None:
        name = _KNOWN.get(dtype.newbyteorder("=")) or ("bfloat16" if dtype.name == "bfloat16" else None)
    if name is None:
        hint = ""
        if dtype.kind in "OSU":
            hint = "; arrays hold numbers only: turn text and objects into numbers first"
        elif dtype.kind in "mM":
            hint = "; view times as int64 first: x.view('int64')"
        elif dtype.kind == "V":
            hint = "; take the fields one by one: x['name']"
        raise TypeError(f"elements of type {dtype} are not supported{hint}")
    return name


def optional_dtype(dtype: Any) -> str | None:
    """Give the name of a dtype, or None for None."""
    return None if dtype is None else dtype_name(dtype)


def wrap(expr: _native.Expr) -> Array:
    """Give the array that users see."""
    array = object.__new__(ARRAY.concrete)
    array._expr = expr
    return array


def memory(values: np.ndarray, chunks: Any = None) -> _native.Expr:
    """Share the memory of a NumPy array."""
    name = dtype_name(values.dtype)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.ndim == 0:
        return _native.scalar(values.item(), name)
    if name == "bfloat16":
        values = values.view(np.uint16)
    return _native.from_memory(values, name, chunks)


def operand(value: Any) -> Any:
    """Give what the engine can take: an expression, or a plain number that adapts to the array it meets."""
    kind = type(value)
    if isinstance(value, ARRAY):
        return value._expr
    if kind in _PLAIN:
        return value
    if isinstance(value, np.generic):
        item = value.item() if value.dtype in _KNOWN else None
        if type(item) in _PLAIN:
            return _native.scalar(item, dtype_name(value.dtype))
    return as_expr(value)


def as_expr(value: Any, dtype: Any = None) -> _native.Expr:
    """Give anything that can be an array as an expression."""
    from voxmill._create import asarray

    return asarray(value, dtype=dtype)._expr


_NEED_ELEMENTS = frozenset(("min", "max", "ptp", "nanmin", "nanmax", "argmin", "argmax", "nanargmin", "nanargmax"))


def _refuse_empty(name: str, x: Any, params: dict[str, Any]) -> None:
    """Refuse to reduce an empty axis, also where the result has no element either, as NumPy does."""
    shape = getattr(x, "shape", ())
    if 0 in shape and any(shape[axis] == 0 for axis in axes_in(params.get("axis"), len(shape))):
        raise ValueError(f"{name}: zero-size array to a reduction which has no identity; the shape is {tuple(shape)}")


def call(name: str, inputs: tuple, params: dict[str, Any] | None = None) -> Array:
    """Call an op of the table."""
    if name in _NEED_ELEMENTS:
        _refuse_empty(name, inputs[0], params or {})
    array = object.__new__(ARRAY.concrete)
    try:
        array._expr = _native.call(name, tuple(map(operand, inputs)), params)
    except (ValueError, TypeError) as error:
        raise as_numpy(error, params) from None
    return array


def as_numpy(error: Exception, params: dict[str, Any] | None = None) -> Exception:
    """Give what the engine says against a call as NumPy's kind of exception, with the name of the function in front."""
    text, *places = str(error).split("\n  in ")
    text = f"{places[-1]}: {text}" if places else text
    if "wrong parameter: " in text and "did not match any variant" in text:
        given = ", ".join(f"{key}={value!r}" for key, value in (params or {}).items())
        return TypeError(f"{text.split(':')[0]}: an argument has the wrong type, among {given}")
    if "axis " in text and " is out of range for an array of rank " in text:
        return np.exceptions.AxisError(text)
    if "the number " in text and " does not fit " in text:
        return OverflowError(text)
    about_dtypes = any(words in text for words in ("not defined for ", "must be an integer that fits int64, got "))
    return TypeError(text) if isinstance(error, TypeError) or about_dtypes else type(error)(text)


def raised(error: Exception, kind: type[Exception]) -> Exception:
    """Give the same error as another kind of exception."""
    return kind(*error.args).with_traceback(None)


def axis_in(axis: Any, rank: int, *, name: str = "axis") -> int:
    """Give the number of an axis, counted from the front."""
    import operator

    number = operator.index(axis)
    if not -rank <= number < rank:
        raise np.exceptions.AxisError(number, rank)
    return number % rank


def axes_in(axes: Any, rank: int) -> tuple[int, ...]:
    """Give the numbers of some axes; all of them for None."""
    if axes is None:
        return tuple(range(rank))
    if isinstance(axes, (tuple, list)):
        numbers = tuple(axis_in(axis, rank) for axis in axes)
        if len(set(numbers)) < len(numbers):
            raise ValueError("duplicate value in 'axis'")
        return numbers
    return (axis_in(axes, rank),)
