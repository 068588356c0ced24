"""What happens when NumPy's own functions get an array."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from voxmill._assign import into
from voxmill._core import ARRAY

REDUCTIONS = {
    "add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any",
}  # fmt: skip

FREE_ORDER = {
    "bitwise_and", "bitwise_or", "bitwise_xor", "fmax", "fmin", "gcd", "hypot", "lcm", "logaddexp", "logaddexp2", "logical_xor",
}  # fmt: skip
"""Functions of two numbers that give the same in whatever order many numbers are joined."""

SMALL = 1 << 28
"""Bytes of arrays that are computed for a function of NumPy that is not known here."""

# Ufuncs


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple, kwargs: dict) -> Any:
    """Answer ``np.add(x, 1)``, ``np.add.reduce(x)`` and the like."""
    if any(_is_stranger(x) for x in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented
    if method == "at":
        return _at(ufunc, inputs)
    out, where = kwargs.pop("out", None), kwargs.pop("where", True)
    kwargs = {key: value for key, value in kwargs.items() if key not in ("order", "subok")}
    if method == "reduce":
        result = _reduce(ufunc, *inputs, where=where, **kwargs)
    elif method == "__call__":
        result = _call(ufunc, inputs, kwargs)
        if where is not True:
            result = _where(where, result, out)
    else:
        result = {"accumulate": _accumulate, "reduceat": _reduceat, "outer": _outer}[method](ufunc, *inputs, **kwargs)
    if out is None:
        return result
    if ufunc.nout > 1:
        return tuple(_deliver(o, r, ufunc.__name__) for o, r in zip(out, result))
    return _deliver(out[0], result, ufunc.__name__)


def _deliver(out: Any, result: Any, name: str) -> Any:
    """Put a result into `out`, whose shape may be larger than the result's."""
    import voxmill

    if out is not None and out.shape != result.shape and len(out.shape) >= result.ndim:
        try:
            result = voxmill.broadcast_to(result, out.shape)
        except ValueError:
            pass  # The message that follows knows both shapes.
    return into(out, result, name)


def _is_stranger(x: Any) -> bool:
    """True for things that may know themselves what to do: xarray's, Dask's and others."""
    return not isinstance(x, (ARRAY, np.ndarray, np.generic)) and hasattr(type(x), "__array_ufunc__")


def _call(ufunc: np.ufunc, inputs: tuple, kwargs: dict) -> Any:
    import voxmill

    name = ufunc.__name__
    dtype, signature = kwargs.pop("dtype", None), kwargs.pop("signature", kwargs.pop("sig", None))
    casting = kwargs.pop("casting", "same_kind")
    own = getattr(voxmill, name, None) if getattr(np, name, None) is ufunc else None
    if ufunc.signature is not None:
        if own is None or dtype is not None or signature is not None:
            raise TypeError(_unknown(f"{name}{ufunc.signature}", "with these arguments "))
        return own(*inputs, **kwargs)
    if kwargs:
        raise TypeError(f"numpy.{name} of lazy arrays takes no argument {next(iter(kwargs))!r}")
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    if own is not None and signature is None and casting == "same_kind":
        return own(*inputs)
    kinds = _kinds(ufunc, inputs, signature, casting)
    if own is None:
        return _any_ufunc(ufunc, inputs, kinds)
    return own(*(_cast(x, kind) for x, kind in zip(inputs, kinds)))


def _kinds(ufunc: np.ufunc, inputs: tuple, signature: Any, casting: str) -> tuple[np.dtype, ...]:
    """Give the types that a ufunc works with, inputs first: plain numbers adapt to arrays."""
    given = [type(x) if type(x) in (int, float, complex) else _dtype_of(x) for x in inputs]
    if all(isinstance(kind, type) for kind in given):
        given = [np.dtype(kind) for kind in given]
    more = {} if signature is None else {"signature": signature}
    return ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout), casting=casting, **more)


def _dtype_of(x: Any) -> np.dtype:
    return x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype


def _cast(x: Any, dtype: np.dtype) -> Any:
    import voxmill

    return voxmill.asarray(x).astype(dtype, copy=False) if _dtype_of(x) != dtype else x


def _any_ufunc(ufunc: np.ufunc, inputs: tuple, kinds: tuple[np.dtype, ...]) -> Any:
    """Call a ufunc that the engine does not have, scipy.special's for example, block by block."""
    from voxmill._along import elementwise

    arrays = [_cast(x, kind) for x, kind in zip(inputs, kinds)]
    results = kinds[ufunc.nin :]
    if ufunc.nout == 1:
        return elementwise(ufunc, *arrays, dtype=results[0])
    return tuple(elementwise(_Part(ufunc, k), *arrays, dtype=kind, name=ufunc.__name__) for k, kind in enumerate(results))


class _Part:
    """One of several results of a ufunc."""

    def __init__(self, ufunc: np.ufunc, number: int):
        self.ufunc, self.number = ufunc, number

    def __call__(self, *args: Any) -> Any:
        return self.ufunc(*args)[self.number]


def _where(where: Any, result: Any, out: Any) -> Any:
    """Keep what was there where a condition is false: the elements of `out`, or zeros where nothing was given."""
    import voxmill

    if isinstance(result, tuple):
        return tuple(_where(where, part, None if out is None else (out[k],)) for k, part in enumerate(result))
    where = voxmill.asarray(where)
    if where.dtype != bool:
        raise TypeError(f"where= must be an array of truth values, not of {where.dtype}")
    before = out[0] if out is not None and out[0] is not None else voxmill.zeros((), result.dtype)
    return voxmill.where(where, result, before).astype(result.dtype, copy=False)


def _reduce(
    ufunc: np.ufunc, a: Any, axis: Any = 0, dtype: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:
    import voxmill
    from voxmill._core import axes_in

    a = voxmill.asarray(a)
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("reduce only supported for binary functions")
    if where is not True:
        start = initial if ufunc.identity is None else ufunc.identity
        if start is None:
            raise ValueError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has to specify 'initial'"
            )
        a = voxmill.where(where, a, voxmill.asarray(start).astype(a.dtype))
    axes = axes_in(list(axis) if isinstance(axis, tuple) else axis, a.ndim)
    if initial is not None and any(a.shape[k] == 0 for k in axes):
        kind = ufunc.reduce(np.ones(2, a.dtype), dtype=dtype).dtype
        return voxmill.full(_without(a.shape, axes, keepdims), np.asarray(initial).astype(kind)[()], kind)
    name = REDUCTIONS.get(ufunc.__name__)
    if name is not None:
        given = {} if dtype is None or name in ("min", "max", "all", "any") else {"dtype": dtype}
        result = getattr(voxmill, name)(a, axis=axes, keepdims=keepdims, **given)
    elif ufunc.__name__ in FREE_ORDER:
        result = _free_reduce(ufunc, a, axes, dtype, keepdims)
    else:
        return _whole_reduce(ufunc, a, axes, dtype, keepdims, initial)
    return result if initial is None else _call(ufunc, (result, np.asarray(initial).astype(result.dtype)[()]), {})


def _without(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    return tuple(1 if k in axes else n for k, n in enumerate(shape) if keepdims or k not in axes)


def _free_reduce(ufunc: np.ufunc, a: Any, axes: tuple[int, ...], dtype: Any, keepdims: bool) -> Any:
    """Reduce block by block, and then the results."""
    import voxmill

    kind = ufunc.reduce(np.ones(2, a.dtype), dtype=dtype).dtype
    if 0 in a.shape:
        if 0 in (a.shape[k] for k in axes) and ufunc.identity is None:
            raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
        value = 0 if ufunc.identity is None else np.asarray(ufunc.identity).astype(kind)[()]
        return voxmill.full(_without(a.shape, axes, keepdims), value, kind)
    step = _Method(ufunc, "reduce", {"dtype": dtype})
    return voxmill.reduction(a, step, step, axis=axes, keepdims=keepdims, dtype=kind, name=step.__name__)


def _whole_reduce(ufunc: np.ufunc, a: Any, axes: tuple[int, ...], dtype: Any, keepdims: bool, initial: Any) -> Any:
    """Reduce an axis from its first element to its last."""
    if len(axes) != 1:
        raise ValueError(f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may be specified")
    (axis,) = axes
    kind = ufunc.reduce(np.ones(2, a.dtype), dtype=dtype).dtype
    if a.shape[axis] == 0 and ufunc.identity is None:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    step = _Method(ufunc, "reduce", {"dtype": dtype} | ({} if initial is None else {"initial": initial}))
    result = _whole(step, a, axis, kind, 1, keepdims=True)
    return result if keepdims else result.reshape(_without(a.shape, axes, False))


class _Method:
    """A method of a ufunc with some of its arguments. Ufuncs are pickled by name, their methods are not."""

    def __init__(self, ufunc: np.ufunc, method: str, kwargs: dict):
        self.ufunc, self.method, self.kwargs = ufunc, method, kwargs
        self.__name__ = f"{ufunc.__name__}.{method}"

    def __call__(self, x: np.ndarray, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.ufunc, self.method)(x, *args, **self.kwargs, **kwargs)


def _whole(step: _Method, a: Any, axis: int, dtype: Any, length: int, **kwargs: Any) -> Any:
    """Call a method of a ufunc for blocks that have one axis whole."""
    from voxmill._along import map_whole

    return map_whole(step, a, [axis], dtype, {axis: length}, axis=axis, **kwargs)


def _accumulate(ufunc: np.ufunc, a: Any, axis: int = 0, dtype: Any = None) -> Any:
    import voxmill
    from voxmill._core import axis_in

    a = voxmill.asarray(a)
    axis = axis_in(axis, a.ndim)
    own = {"add": voxmill.cumsum, "multiply": voxmill.cumprod}.get(ufunc.__name__)
    if own is not None:
        return own(a, axis=axis, dtype=dtype)
    kind = ufunc.accumulate(np.ones(2, a.dtype), dtype=dtype).dtype
    return _whole(_Method(ufunc, "accumulate", {"dtype": dtype}), a, axis, kind, a.shape[axis])


def _reduceat(ufunc: np.ufunc, a: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    import voxmill
    from voxmill._core import axis_in

    a, indices = voxmill.asarray(a), np.asarray(indices, np.intp)
    axis = axis_in(axis, a.ndim)
    wrong = indices[(indices < 0) | (indices >= a.shape[axis])]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} out-of-bounds in {ufunc.__name__}.reduceat [0, {a.shape[axis]})")
    kind = ufunc.reduceat(np.ones(2, a.dtype), [0], dtype=dtype).dtype
    return _whole(_Method(ufunc, "reduceat", {"dtype": dtype, "indices": indices}), a, axis, kind, len(indices))


def _outer(ufunc: np.ufunc, a: Any, b: Any, **kwargs: Any) -> Any:
    import voxmill

    a, b = voxmill.asarray(a), voxmill.asarray(b)
    return _call(ufunc, (a.reshape(a.shape + (1,) * b.ndim), b), kwargs)


def _at(ufunc: np.ufunc, inputs: tuple) -> None:
    """Change a NumPy array at lazy positions; a lazy array cannot be changed one element after the other."""
    if isinstance(inputs[0], ARRAY):
        raise TypeError(
            f"numpy.{ufunc.__name__}.at cannot change a lazy array; assign with x[index] = ..., count with bincount, "
            "or use NumPy's array: np.asarray(x)"
        )
    ufunc.at(*_computed(inputs))


# Functions


def apply_function(func: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
    """Answer ``np.concatenate([x, y])`` and all other functions of NumPy."""
    if not all(issubclass(kind, (ARRAY, np.ndarray)) for kind in types):
        return NotImplemented
    special = _SPECIAL.get(func.__name__)
    if special is not None:
        return special(*args, **kwargs)
    own = _find(func)
    if own is None:
        return _by_numpy(func, args, kwargs, "")
    given = dict(kwargs)
    out = given.pop("out", None)
    given_args, given = _as_own(func, own, args, given)
    try:
        _signature(own).bind(*given_args, **given)
    except TypeError as wrong:
        return _by_numpy(func, args, kwargs, f"with these arguments ({wrong}) ")
    except ValueError:
        pass  # No signature to look at.
    result = own(*given_args, **given)
    return result if out is None else into(out, result, func.__name__)


@functools.cache
def _signature(function: Callable) -> inspect.Signature:
    return inspect.signature(function)


def _as_own(func: Callable, own: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Give arguments that NumPy calls by another name by their position: ``np.sum(a=x)`` is ``vm.sum(x)``."""
    try:
        theirs, ours = list(_signature(func).parameters), list(_signature(own).parameters)
    except (TypeError, ValueError):
        return args, kwargs
    while len(args) < min(len(theirs), len(ours)):
        name = theirs[len(args)]
        if name not in kwargs or name in ours:
            break
        args, kwargs = (*args, kwargs[name]), {key: value for key, value in kwargs.items() if key != name}
    return args, kwargs


def _find(func: Callable) -> Callable | None:
    import importlib

    import voxmill

    place: Any = voxmill
    for name in ("linalg", "fft"):
        if name in (func.__module__ or "").split("."):
            place = importlib.import_module(f"voxmill.{name}")
    own = getattr(place, {"amax": "max", "amin": "min"}.get(func.__name__, func.__name__), None)
    return own if callable(own) and own is not func and not inspect.isclass(own) else None


def _by_numpy(func: Callable, args: tuple, kwargs: dict, how: str) -> Any:
    """Compute small arrays for a function that is not known here; large ones are the user's decision."""
    name = f"{(func.__module__ or 'numpy').replace('numpy.lib', 'numpy')}.{func.__name__}"
    size = sum(x.nbytes for x in _arrays_in((args, kwargs)))
    if size > SMALL:
        raise TypeError(_unknown(func.__name__, how) + f"; it would compute {size / 2**20:.0f} MiB, so say it with np.asarray(x)")
    if func.__name__ not in _SILENT:
        words = f"{name} is not known to voxmill {how}: the array is computed, and NumPy goes on with it"
        warnings.warn(words.replace(" :", ":"), UserWarning, stacklevel=4)
    return func(*_computed(args), **_computed(kwargs))


_SILENT = {"array2string", "array_repr", "array_str", "save", "savetxt", "savez", "savez_compressed"}
"""Functions whose purpose is to look at all elements."""


def _unknown(name: str, how: str) -> str:
    return f"numpy.{name} is not known to voxmill {how}".rstrip()


def _arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, ARRAY):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _arrays_in(part)
    elif isinstance(value, dict):
        yield from _arrays_in(list(value.values()))


def _computed(value: Any) -> Any:
    if isinstance(value, ARRAY):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        parts = [_computed(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: _computed(part) for key, part in value.items()}
    return value


def _typed(value: Any) -> Any:
    return value.dtype if isinstance(value, ARRAY) else value


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    import voxmill

    src = voxmill.asarray(src)
    if not np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {src.dtype} to {dst.dtype} according to the rule {casting!r}")
    src = voxmill.broadcast_to(src.astype(dst.dtype, copy=False), dst.shape)
    src = src if where is True else voxmill.where(where, src, dst)
    into(dst, src, "copyto")


def _empty_like(prototype: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any) -> np.ndarray:
    """Give memory: who asks NumPy for it is about to fill it in place, in C often, and a lazy array would not see that."""
    shape = prototype.shape if shape is None else shape
    return np.empty(shape, prototype.dtype if dtype is None else dtype, "F" if order == "F" else "C")


_SPECIAL: dict[str, Callable] = {
    "result_type": lambda *args: np.result_type(*map(_typed, args)),
    "can_cast": lambda from_, to, casting="safe": np.can_cast(_typed(from_), _typed(to), casting),
    "min_scalar_type": lambda a: np.min_scalar_type(_computed(a)) if a.ndim == 0 else a.dtype,
    "common_type": lambda *arrays: np.common_type(*(np.empty(0, _typed(x)) if isinstance(x, ARRAY) else x for x in arrays)),
    "iscomplexobj": lambda x: x.dtype.kind == "c",
    "isrealobj": lambda x: x.dtype.kind != "c",
    "shares_memory": lambda a, b, max_work=None: False,
    "may_share_memory": lambda a, b, max_work=None: False,
    "copyto": _copyto,
    "empty_like": _empty_like,
}
"""Functions that look at types only, or write."""
