"""Diagonals, triangles, and grids of positions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from voxmill._along import elementwise, make_blocks
from voxmill._calls import name_of
from voxmill._host import host
from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, axis_in, wrap
from voxmill._create import arange, asarray, eye, ones, zeros
from voxmill._index import _bounds, flat_positions
from voxmill._parts import BLOCK, as_column, cut, either, into, true_positions, zero
from voxmill._shape import _int_list, broadcast_arrays, broadcast_to, concatenate, ravel, reshape, stack


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float, chunks: Any = "auto", *, like: Any = None) -> Any:
    """Give a matrix with ones at and below a diagonal, and zeros above.

    Examples
    --------
    >>> vm.tri(2, 3, dtype=int).compute()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    columns = max(int(N if M is None else M), 0)
    rows = max(int(N), 0)
    result = _triangle(rows, columns, int(k)).astype(dtype)
    return wrap(result._expr.with_chunks(normalize_chunks(chunks, result.shape, dtype=result.dtype)))


def _triangle(rows: int, columns: int, k: int) -> Any:
    return reshape(arange(rows), (rows, 1)) >= arange(columns) - k


def tril(m: Any, k: int = 0) -> Any:
    """Give an array with zeros above a diagonal of its last two axes.

    Examples
    --------
    >>> vm.tril(vm.ones((2, 3), dtype=int)).compute()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    m = asarray(m)
    return either(_triangle_of(m, int(k), "tril"), m, zero(m.dtype))


def triu(m: Any, k: int = 0) -> Any:
    """Give an array with zeros below a diagonal of its last two axes.

    Examples
    --------
    >>> vm.triu(vm.ones((2, 3), dtype=int)).compute()
    array([[1, 1, 1],
           [0, 1, 1]])
    """
    m = asarray(m)
    return either(_triangle_of(m, int(k) - 1, "triu"), zero(m.dtype), m)


def _triangle_of(m: Any, k: int, name: str) -> Any:
    if m.ndim == 0:
        raise TypeError(f"{name}: the array must have at least one axis")
    return _triangle(*(m.shape[-2:] if m.ndim > 1 else m.shape * 2), k)


def tril_indices(n: int, k: int = 0, m: int | None = None, chunks: Any = "auto") -> tuple:
    """Give the positions at and below a diagonal of a matrix, in C order: row numbers and column numbers.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = int(n), int(n if m is None else m)
    ends = np.clip(np.arange(rows) + int(k) + 1, 0, columns)
    return _positions_in_rows(np.zeros(rows, np.intp), ends, chunks)


def triu_indices(n: int, k: int = 0, m: int | None = None, chunks: Any = "auto") -> tuple:
    """Give the positions at and above a diagonal of a matrix, in C order: row numbers and column numbers.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    rows, columns = int(n), int(n if m is None else m)
    begins = np.clip(np.arange(rows) + int(k), 0, columns)
    return _positions_in_rows(begins, np.full(rows, columns), chunks)


def _positions_in_rows(begins: np.ndarray, ends: np.ndarray, chunks: Any) -> tuple:
    """Give the positions of all elements from `begins` to `ends` of each row, as they are asked for."""
    until = np.cumsum(ends - begins)
    shape = (int(until[-1]) if len(until) else 0,)
    chunks = normalize_chunks(chunks, shape, dtype=np.intp, limit=BLOCK if chunks == "auto" else None)
    kernels = [partial(_positions_part, begins=begins, until=until, column=column) for column in (False, True)]
    return tuple(make_blocks(kernel, shape, np.intp, chunks, {}) for kernel in kernels)


def _positions_part(box: tuple[slice, ...], begins: np.ndarray, until: np.ndarray, column: bool) -> np.ndarray:
    number = np.arange(box[0].start, box[0].stop)
    row = np.searchsorted(until, number, "right")
    if not column or not len(number):
        return row
    before = np.where(row > 0, until[row - 1], 0)
    return number - before + begins[row]


def tril_indices_from(arr: Any, k: int = 0) -> tuple:
    """Give the positions at and below a diagonal of a matrix; see `tril_indices`.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.tril_indices_from(vm.ones((2, 3)))]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = _matrix_shape(arr, "tril_indices_from")
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple:
    """Give the positions at and above a diagonal of a matrix; see `triu_indices`.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.triu_indices_from(vm.ones((2, 3)))]
    [[0, 0, 0, 1, 1], [0, 1, 2, 1, 2]]
    """
    rows, columns = _matrix_shape(arr, "triu_indices_from")
    return triu_indices(rows, k, columns)


def _matrix_shape(arr: Any, name: str) -> tuple[int, int]:
    shape = np.shape(arr)
    if len(shape) != 2:
        raise ValueError(f"{name}: the array must have two axes, not {len(shape)}")
    return shape


def mask_indices(n: int, mask_func: Callable, k: Any = 0) -> tuple:
    """Give the positions where a function such as `triu` leaves elements of a matrix. Computes them now: they decide about the shape.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.mask_indices(3, vm.triu, 1)]
    [[0, 0, 1], [1, 2, 2]]
    """
    mask = asarray(mask_func(ones((n, n), int), k)) != 0
    return tuple(asarray(index) for index in np.divmod(flat_positions(mask), n))


def diag_indices(n: int, ndim: int = 2) -> tuple:
    """Give the positions of the main diagonal of an array with axes of length `n`.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.diag_indices(3)]
    [[0, 1, 2], [0, 1, 2]]
    """
    return (arange(n),) * ndim


def diag_indices_from(arr: Any) -> tuple:
    """Give the positions of the main diagonal of an array; see `diag_indices`.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.diag_indices_from(vm.ones((2, 2)))]
    [[0, 1], [0, 1]]
    """
    shape = np.shape(arr)
    if len(shape) < 2:
        raise ValueError(f"diag_indices_from: the array must have at least two axes, not {len(shape)}")
    if len(set(shape)) > 1:
        raise ValueError(f"diag_indices_from: all axes must have the same length, not {shape}")
    return diag_indices(shape[0], len(shape))


def diag(v: Any, k: int = 0) -> Any:
    """Give a diagonal of a matrix, or a matrix with the given diagonal.

    Examples
    --------
    >>> vm.diag(vm.asarray([1, 2])).compute()
    array([[1, 0],
           [0, 2]])
    >>> vm.diag(vm.arange(4).reshape(2, 2)).compute()
    array([0, 3])
    """
    v, k = asarray(v), int(k)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError(f"diag: the array must have one or two axes, not {v.ndim}")
    n = len(v) + abs(k)
    # Row i has its element in column i + k, so rows are shifted for diagonals below the main one.
    padding = zeros(abs(k), v.dtype)
    rows = v if k == 0 else concatenate([v, padding] if k > 0 else [padding, v])
    return either(eye(n, k=k, dtype=bool), reshape(rows, (n, 1)), zero(v.dtype))


def diagflat(v: Any, k: int = 0) -> Any:
    """Give a matrix with the elements of an array on a diagonal.

    Examples
    --------
    >>> vm.diagflat([[1, 2]], 1).compute()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    return diag(ravel(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Give a diagonal in the plane of two axes, as the last axis of the result.

    Examples
    --------
    >>> vm.diagonal(vm.arange(6).reshape(2, 3), offset=1).compute()
    array([1, 5])
    """
    a, offset = asarray(a), int(offset)
    if a.ndim < 2:
        raise ValueError(f"diagonal: the array must have at least two axes, not {a.ndim}")
    axis1, axis2 = axis_in(axis1, a.ndim), axis_in(axis2, a.ndim)
    if axis1 == axis2:
        raise ValueError("diagonal: axis1 and axis2 must be two axes")
    row, column = max(-offset, 0), max(offset, 0)
    n = max(min(a.shape[axis1] - row, a.shape[axis2] - column), 0)
    others = [k for k in range(a.ndim) if k not in (axis1, axis2)]
    shape = (*(a.shape[k] for k in others), n)
    if 0 in shape:
        return zeros(shape, a.dtype)
    # A block of the diagonal reads a square around it: large ones would read much for little.
    side = 512 if a.ndim == 2 else 32
    mine = normalize_chunks((side,), (n,))
    chunks = cut(shape[:-1], min(side, n) ** 2) + mine
    reads: list[Any] = [None] * a.ndim
    for place, k in enumerate(others):
        reads[k] = (place, _bounds(chunks[place]))
    reads[axis1] = (len(others), [(begin + row, end + row) for begin, end in _bounds(mine[0])])
    reads[axis2] = (len(others), [(begin + column, end + column) for begin, end in _bounds(mine[0])])
    kernel = partial(_square_diagonal, axis1=axis1, axis2=axis2)
    return host(kernel, "diagonal", [a], [reads], shape, a.dtype, chunks)


def _square_diagonal(block: tuple[int, ...], box: np.ndarray, axis1: int, axis2: int) -> np.ndarray:
    return np.diagonal(box, 0, axis1, axis2)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """Sum a diagonal in the plane of two axes.

    Examples
    --------
    >>> vm.trace(vm.arange(9).reshape(3, 3)).compute()
    np.int64(12)
    """
    return into(diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype), out, "trace")


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Give a matrix with powers of `x` as columns, falling by default.

    Examples
    --------
    >>> vm.vander(vm.asarray([1, 2, 3]), 3).compute()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError(f"vander: x must have one axis, not {x.ndim}")
    n = len(x) if N is None else operator.index(N)
    if n < 0:
        raise ValueError(f"vander: the number of columns must not be negative: {n}")
    rows = cut((len(x),), n)[0]
    kernel = partial(_powers, n=n, increasing=increasing)
    dtype = np.promote_types(x.dtype, int)
    return host(kernel, "vander", [x], [[(0, _bounds(rows))]], (len(x), n), dtype, (rows, (n,)))


def _powers(block: tuple[int, ...], box: np.ndarray, n: int, increasing: bool) -> np.ndarray:
    return np.vander(box, n, increasing)


# Grids


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy", copy: bool = True) -> tuple:
    """Give the coordinates of all points of a grid, an array for each axis.

    Parameters
    ----------
    *xi : array_like
        Coordinates along each axis.
    sparse : bool
        Whether arrays have length 1 along all axes but their own.
    indexing : {"xy", "ij"}
        Whether the first array varies along the second axis, or the first.
    copy
        Accepted for NumPy's sake.

    Examples
    --------
    >>> x, y = vm.meshgrid([0, 1, 2], [5, 6])
    >>> y.compute()
    array([[5, 5, 5],
           [6, 6, 6]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', not {indexing!r}")
    rank = len(xi)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    open_grid = tuple(as_column(ravel(x), axis, rank) for x, axis in zip(xi, order))
    if sparse or not open_grid:
        return open_grid
    return tuple(broadcast_arrays(*open_grid))


def indices(dimensions: Sequence[int], dtype: Any = int, sparse: bool = False, chunks: Any = "auto") -> Any:
    """Give the position of each element along each axis.

    Parameters
    ----------
    dimensions : sequence of int
        Lengths of the axes.
    dtype : dtype
    sparse : bool
        Whether to give one array for each axis, of length 1 along the others, instead of one for all.
    chunks : optional
        As in `from_array`, for the axes that `dimensions` gives.

    Examples
    --------
    >>> vm.indices((2, 3)).compute()[1]
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    shape = tuple(_int_list(tuple(dimensions)))
    if any(n < 0 for n in shape):
        raise ValueError(f"indices: negative dimensions are not allowed: {shape}")
    rank = len(shape)
    chosen = normalize_chunks(chunks, shape, dtype=dtype)
    open_grid = [
        reshape(arange(n).astype(dtype), (1,) * k + (n,) + (1,) * (rank - k - 1)).rechunk({k: chosen[k]}) for k, n in enumerate(shape)
    ]
    if sparse:
        return tuple(open_grid)
    if not shape:
        return zeros((0,), dtype)
    return stack([broadcast_to(x, shape, chosen) for x in open_grid])


def ix_(*args: Any) -> tuple:
    """Give positions along each axis in a form that picks all their crossings: ``x[vm.ix_([0, 2], [1, 3])]``.

    Examples
    --------
    >>> [index.shape for index in vm.ix_([0, 2], [True, False, True])]
    [(2, 1), (1, 2)]
    """
    result = []
    for axis, given in enumerate(args):
        if np.ndim(given) != 1:
            raise ValueError(f"ix_: positions of axis {axis} must have one axis, not {np.ndim(given)}")
        x = asarray(np.asarray(given, np.intp) if not isinstance(given, (ARRAY, np.ndarray)) and not len(given) else given)
        if x.dtype == bool:
            x = asarray(true_positions(x))
        result.append(reshape(x, (1,) * axis + x.shape + (1,) * (len(args) - axis - 1)))
    return tuple(result)


class _Grid:
    """Makes grids by indexing with slices, as NumPy's objects of that name do."""

    def __init__(self, sparse: bool):
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return asarray(np.ogrid[key])
        open_grid = [asarray(x) for x in np.ogrid[key]]
        if self._sparse:
            return tuple(open_grid)
        return stack(broadcast_arrays(*open_grid)) if open_grid else zeros((0,), int)

    def __repr__(self) -> str:
        return "voxmill.ogrid" if self._sparse else "voxmill.mgrid"


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)


def fromfunction(
    function: Callable, shape: Any = None, *, dtype: Any = float, chunks: Any = "auto", like: Any = None, **kwargs: Any
) -> Any:
    """Give an array whose elements a function makes from their positions.

    Parameters
    ----------
    function : callable
        Called for each block, with an array for each axis that says where elements lie along it. Must work element by element.
    shape : tuple of int
    dtype : dtype
        That of the positions. The dtype of the result is that of what the function gives for the first block.
    chunks : optional
        The blocks, as in `from_array`.
    **kwargs
        Passed on to `function`.

    Examples
    --------
    >>> vm.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=int).compute()
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    if shape is None:
        raise TypeError("fromfunction: the shape must be given")
    shape, kernel = tuple(_int_list(shape)), _OnGrid(function, np.dtype(dtype))
    if any(n < 0 for n in shape):
        raise ValueError(f"fromfunction: negative dimensions are not allowed: {shape}")
    limit = BLOCK if chunks == "auto" else None
    lengths = normalize_chunks(chunks, shape, dtype=np.complex128, limit=limit)
    if math.prod(shape):
        return make_blocks(kernel, shape, None, lengths, kwargs)
    sample = kernel(tuple(slice(0, n) for n in shape), **kwargs)
    return zeros(shape, sample.dtype)


class _OnGrid:
    """Calls a function with the positions of a box."""

    def __init__(self, function: Callable, dtype: np.dtype):
        self.function, self.dtype, self.__name__ = function, dtype, name_of(function)

    def __call__(self, box: tuple[slice, ...], **kwargs: Any) -> np.ndarray:
        places = [np.arange(part.start, part.stop).astype(self.dtype) for part in box]
        grid = np.meshgrid(*places, indexing="ij") if places else []
        made = np.asarray(self.function(*grid, **kwargs))
        return made if made.ndim else np.full([part.stop - part.start for part in box], made)


def ravel_multi_index(multi_index: Any, dims: Sequence[int], mode: Any = "raise", order: str = "C") -> Any:
    """Give positions along each axis as positions in the flattened array.

    Parameters
    ----------
    multi_index : sequence of array_like of int
        Positions along each axis; of an array, the first axis counts.
    dims : tuple of int
        Lengths of the axes.
    mode : {"raise", "wrap", "clip"}, or a tuple of these
        What happens to positions outside.
    order : {"C", "F"}

    Examples
    --------
    >>> vm.ravel_multi_index((vm.asarray([0, 1]), vm.asarray([2, 0])), (2, 3)).compute()
    array([2, 3])
    """
    given = multi_index if isinstance(multi_index, tuple) else tuple(multi_index)
    parts = [_whole_numbers(x, "ravel_multi_index") for x in given]
    dims, kernel = tuple(_int_list(dims)), partial(_flat_index, dims=tuple(_int_list(dims)), mode=mode, order=order)
    # NumPy refuses wrong arguments also where there is nothing to do.
    kernel(*[np.zeros(0, np.intp)] * len(parts))
    return elementwise(kernel, *parts, dtype=np.intp, name="ravel_multi_index")


def _flat_index(*parts: np.ndarray, dims: tuple[int, ...], mode: Any, order: str) -> np.ndarray:
    return np.ravel_multi_index(parts, dims, mode, order)


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple:
    """Give positions in the flattened array as positions along each axis.

    Examples
    --------
    >>> [index.compute().tolist() for index in vm.unravel_index(vm.asarray([2, 3]), (2, 3))]
    [[0, 1], [2, 0]]
    """
    x, shape = _whole_numbers(indices, "unravel_index"), tuple(_int_list(shape))
    np.unravel_index(np.zeros(0, np.intp), shape, order)
    return tuple(
        elementwise(_part_of_index, x, dtype=np.intp, name="unravel_index", shape=shape, order=order, axis=k) for k in range(len(shape))
    )


def _part_of_index(x: np.ndarray, shape: tuple[int, ...], order: str, axis: int) -> np.ndarray:
    return np.unravel_index(x, shape, order)[axis]


def _whole_numbers(x: Any, name: str) -> Any:
    x = asarray(x)
    if x.dtype.kind not in "iu":
        raise TypeError(f"{name}: positions must be integers, not {x.dtype}; use astype(int) first")
    return x


__all__ = [
    "diag", "diag_indices", "diag_indices_from", "diagflat", "diagonal", "fromfunction", "indices", "ix_", "mask_indices", "meshgrid", "mgrid",
    "ogrid", "ravel_multi_index", "trace", "tri", "tril", "tril_indices", "tril_indices_from", "triu", "triu_indices",
    "triu_indices_from", "unravel_index", "vander",
]  # fmt: skip
