"""Small parts that functions over blocks are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voxmill._along import elementwise
from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, call
from voxmill._create import asarray
from voxmill._index import _bounds, basic, flat_positions
from voxmill._shape import broadcast_to, reshape

BLOCK = 1 << 23
"""Bytes of a block, counted as if elements had 16 bytes: small, since NumPy needs memory of its own beside it."""

LINE = 1 << 25
"""Most bytes along one axis that a block reads whole; longer axes are read in several passes."""

WEAK = (int, float, complex)
"""Python's numbers, which adapt to the dtype of arrays they meet."""


def cut(shape: Sequence[int], cost: int = 1) -> tuple[tuple[int, ...], ...]:
    """Give blocks for NumPy to work on, where `cost` elements are needed for each element of the block."""
    return normalize_chunks("auto", tuple(shape), dtype=np.complex128, limit=max(BLOCK // max(cost, 1), 1))


def axis_reads(lengths: tuple[int, ...], n: int, axis: int) -> tuple[int | None, list[tuple[int, int]]]:
    """Give what blocks need of an axis of length `n`: their own part, or all of it where it is broadcast."""
    return (None, [(0, 1)]) if n == 1 != sum(lengths) else (axis, _bounds(lengths))


def own_reads(chunks: Sequence[tuple[int, ...]], shape: Sequence[int]) -> list:
    """Give what blocks need of an input whose axes are those of the result, or have length 1."""
    return [axis_reads(lengths, n, k) for k, (lengths, n) in enumerate(zip(chunks, shape))]


def along(x: Any, axis: int, part: slice) -> Any:
    """Give a slice of one axis."""
    return basic(x, (slice(None),) * axis + (part,))


def as_column(values: Any, axis: int, rank: int) -> Any:
    """Give a one-dimensional array as one that varies along one of several axes."""
    return values.reshape((1,) * axis + (values.size,) + (1,) * (rank - axis - 1))


def fitted(value: Any, shape: tuple[int, ...], name: str) -> Any:
    """Broadcast values to what they are assigned to, as NumPy does: axes of length 1 in front may be too many."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = reshape(value, value.shape[1:])
    if value.shape == shape:
        return value
    try:
        return broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"{name}: values of shape {value.shape} do not fit shape {shape}") from None


def either(condition: Any, x: Any, y: Any) -> Any:
    return call("where", (condition, x, y))


def zero(dtype: Any) -> Any:
    return asarray(np.zeros((), dtype))


def values_of(value: Any) -> np.ndarray:
    """Give small things, positions and sample points for example, as NumPy arrays; lazy ones are computed."""
    return np.asarray(value.compute() if isinstance(value, ARRAY) else value)


def changed(array: Any, name: str) -> Any:
    """Expect an array that can be changed in place."""
    if not isinstance(array, ARRAY):
        raise TypeError(
            f"{name} changes its first argument, which must be an Array, not {type(array).__name__}; use numpy.{name} for arrays of NumPy"
        )
    return array


def into(result: Any, out: Any, name: str) -> Any:
    """Give a result, or put it into `out`."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"{name}: out has shape {out.shape}, the result has {result.shape}")
    changed(out, name)._expr = result.astype(out.dtype)._expr
    return out


def indices_of(indices: Any, name: str, error: type[Exception], *, truth: bool) -> Any:
    """Give positions as an array of integers, lazy if they are lazy."""
    if not isinstance(indices, ARRAY):
        values = np.asarray(indices)
        empty_list = values.size == 0 and not isinstance(indices, np.ndarray)
        indices = values.astype(np.intp) if empty_list else values
    if indices.dtype.kind not in ("biu" if truth else "iu"):
        raise error(f"{name}: indices must be integers, not {indices.dtype}")
    return indices


def resolve(index: np.ndarray, n: int, mode: str, error: type[Exception] = IndexError, negative: bool = True) -> np.ndarray:
    """Give positions as numbers from 0 to n - 1; what lies outside is refused, wrapped around or limited."""
    index = index.astype(np.intp)
    if mode == "wrap":
        return index % n if n else index
    if mode == "clip":
        return np.clip(index, 0, n - 1)
    wrong = (index < (-n if negative else 0)) | (index >= n)
    if wrong.any():
        raise error(f"index {index[wrong].flat[0]} is out of bounds for axis of size {n}")
    return np.where(index < 0, index + n, index)


def resolved(index: Any, n: int, mode: str, name: str, error: type[Exception] = IndexError, negative: bool = True) -> Any:
    """Do the same for lazy positions as well."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"{name}: mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    if n == 0 and index.size:
        raise IndexError(f"{name}: there are no elements to take from an empty axis")
    if not isinstance(index, ARRAY):
        return resolve(index, n, mode, error, negative)
    return elementwise(resolve, index, dtype=np.intp, name=name, n=n, mode=mode, error=error, negative=negative)


def segments(n: int, itemsize: int) -> list[tuple[int, int]]:
    """Cut an axis into parts that a block may read whole."""
    step = max(LINE // itemsize, 1)
    return [(begin, min(begin + step, n)) for begin in range(0, n, step)] or [(0, 0)]


def true_positions(condition: Any) -> np.ndarray:
    """Give the positions of elements that are not zero, in C order."""
    if isinstance(condition, ARRAY):
        return flat_positions(condition if condition.dtype == bool else condition != 0)
    return np.flatnonzero(np.asarray(condition))
