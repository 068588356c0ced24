"""Python's operators on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from voxmill import _assign, _native
from voxmill._core import ARRAY, as_numpy, call, operand

if TYPE_CHECKING:
    from voxmill._array import Array


class Operators(ARRAY):
    """The operators of `Array`."""

    __slots__ = ()

    def __add__(self, other: Any) -> Array:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Array:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Array:
        return _binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Array:
        return _binary("subtract", other, self)

    def __mul__(self, other: Any) -> Array:
        return _binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Array:
        return _binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Array:
        return _binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Array:
        return _binary("divide", other, self)

    def __floordiv__(self, other: Any) -> Array:
        return _binary("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return _binary("floor_divide", other, self)

    def __mod__(self, other: Any) -> Array:
        return _binary("remainder", self, other)

    def __rmod__(self, other: Any) -> Array:
        return _binary("remainder", other, self)

    def __pow__(self, other: Any) -> Array:
        return _binary("power", self, other)

    def __rpow__(self, other: Any) -> Array:
        return _binary("power", other, self)

    def __and__(self, other: Any) -> Array:
        return _binary("bitwise_and", self, other)

    def __rand__(self, other: Any) -> Array:
        return _binary("bitwise_and", other, self)

    def __or__(self, other: Any) -> Array:
        return _binary("bitwise_or", self, other)

    def __ror__(self, other: Any) -> Array:
        return _binary("bitwise_or", other, self)

    def __xor__(self, other: Any) -> Array:
        return _binary("bitwise_xor", self, other)

    def __rxor__(self, other: Any) -> Array:
        return _binary("bitwise_xor", other, self)

    def __lshift__(self, other: Any) -> Array:
        return _binary("left_shift", self, other)

    def __rlshift__(self, other: Any) -> Array:
        return _binary("left_shift", other, self)

    def __rshift__(self, other: Any) -> Array:
        return _binary("right_shift", self, other)

    def __rrshift__(self, other: Any) -> Array:
        return _binary("right_shift", other, self)

    def __matmul__(self, other: Any) -> Array:
        return _binary("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return _binary("matmul", other, self)

    def __lt__(self, other: Any) -> Array:
        return _binary("less", self, other)

    def __le__(self, other: Any) -> Array:
        return _binary("less_equal", self, other)

    def __gt__(self, other: Any) -> Array:
        return _binary("greater", self, other)

    def __ge__(self, other: Any) -> Array:
        return _binary("greater_equal", self, other)

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("equal", self, other)

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("not_equal", self, other)

    def __neg__(self) -> Array:
        return call("negative", (self,))

    def __pos__(self) -> Array:
        return call("positive", (self,))

    def __abs__(self) -> Array:
        return call("absolute", (self,))

    def __invert__(self) -> Array:
        return call("invert", (self,))

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return _binary("floor_divide", self, other), _binary("remainder", self, other)

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return _binary("floor_divide", other, self), _binary("remainder", other, self)

    def __round__(self, ndigits: int | None = None) -> Array:
        return call("round", (self,), {"decimals": ndigits or 0})

    # In place: other names of the same array see the change, as with NumPy

    def __iadd__(self, other: Any) -> Array:
        return self._update("add", other)

    def __isub__(self, other: Any) -> Array:
        return self._update("subtract", other)

    def __imul__(self, other: Any) -> Array:
        return self._update("multiply", other)

    def __itruediv__(self, other: Any) -> Array:
        return self._update("divide", other)

    def __ifloordiv__(self, other: Any) -> Array:
        return self._update("floor_divide", other)

    def __imod__(self, other: Any) -> Array:
        return self._update("remainder", other)

    def __ipow__(self, other: Any) -> Array:
        return self._update("power", other)

    def __iand__(self, other: Any) -> Array:
        return self._update("bitwise_and", other)

    def __ior__(self, other: Any) -> Array:
        return self._update("bitwise_or", other)

    def __ixor__(self, other: Any) -> Array:
        return self._update("bitwise_xor", other)

    def __ilshift__(self, other: Any) -> Array:
        return self._update("left_shift", other)

    def __irshift__(self, other: Any) -> Array:
        return self._update("right_shift", other)

    def __imatmul__(self, other: Any) -> Array:
        return self._update("matmul", other)

    def _update(self, name: str, other: Any) -> Array:
        result = _binary(name, self, _assign.own(other))
        return result if result is NotImplemented else _assign.into(self, result, name)


def _binary(name: str, a: Any, b: Any) -> Array:
    if name in ("equal", "not_equal") and (b is None or isinstance(b, str)):
        # Numbers are never equal to these; NumPy says so for each element.
        from voxmill._create import full

        return full(a.shape, name == "not_equal", bool, chunks=a.chunks)
    try:
        a, b = operand(a), operand(b)
    except (TypeError, ValueError):
        if _is_foreign(a) or _is_foreign(b):
            return NotImplemented
        raise
    array = object.__new__(ARRAY.concrete)
    try:
        array._expr = _native.call(name, (a, b))
    except (ValueError, TypeError) as error:
        raise as_numpy(error) from None
    return array


def _is_foreign(value: Any) -> bool:
    """True for things that know themselves what to do with an array: xarray's, pandas' and others."""
    return not isinstance(value, (ARRAY, np.ndarray, np.generic, list, tuple, str, bytes)) and value is not None
