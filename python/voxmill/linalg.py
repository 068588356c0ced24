"""Linear algebra, as in `numpy.linalg`: stacks of matrices block by block, tall matrices in bounded memory, others on what fits."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from voxmill import _einsum
from voxmill._assign import into
from voxmill._core import axes_in, call
from voxmill._create import asarray
from voxmill._factors import (
    _same_values,
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    lu,
    matrix_rank,
    pinv,
    qr,
    sfqr,
    slogdet,
    solve,
    solve_triangular,
    svd,
    svd_compressed,
    svdvals,
    tensorinv,
    tensorsolve,
    tsqr,
)
from voxmill._matrices import _Call, _fold, _largest, _matrix, _real, _smallest, _square, _stacked, matmul


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Multiply arrays and sum over the given axes.

    Examples
    --------
    >>> vm.linalg.tensordot(vm.ones((2, 3)), vm.ones((2, 3)), axes=2).compute()
    np.float64(6.0)
    """
    from voxmill._reduce import tensordot as over_axes

    return over_axes(x1, x2, axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Sum the products of vectors along an axis, those of `x1` conjugated.

    Examples
    --------
    >>> vm.linalg.vecdot([1j, 2], [1j, 2]).compute()
    np.complex128(5+0j)
    """
    return _einsum.vecdot(x1, x2, axis=axis)


def matrix_transpose(x: Any, /) -> Any:
    """Give the array with its last two axes exchanged.

    Examples
    --------
    >>> vm.linalg.matrix_transpose(vm.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose needs at least two axes, not {x.ndim}")
    return x.mT


def outer(x1: Any, x2: Any, /) -> Any:
    """Give all products of an element of one vector and an element of another.

    Examples
    --------
    >>> vm.linalg.outer([1, 2], [3, 4]).compute()
    array([[3, 4],
           [6, 8]])
    """
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"linalg.outer takes one-dimensional arrays, not {x1.ndim} and {x2.ndim} axes; see voxmill.outer")
    return call("outer", (x1, x2))


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Give the vectors that are perpendicular to two vectors of three elements.

    Examples
    --------
    >>> vm.linalg.cross([1, 0, 0], [0, 1, 0]).compute()
    array([0, 0, 1])
    """
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"linalg.cross takes vectors of three elements, not {x1.shape[axis]} and {x2.shape[axis]}")
    import voxmill

    return voxmill.cross(x1, x2, axis=axis)  # type: ignore[attr-defined]


def multi_dot(arrays: Sequence, *, out: Any = None) -> Any:
    """Multiply several matrices in the order that takes the least work; the first and the last may be vectors.

    Examples
    --------
    >>> vm.linalg.multi_dot([vm.ones((2, 9)), vm.ones((9, 9)), vm.ones(9)]).compute()
    array([81., 81.])
    """
    factors = [asarray(x) for x in arrays]
    if len(factors) < 2:
        raise ValueError("multi_dot expects at least two arrays.")
    for k, x in enumerate(factors):
        if x.ndim != 2 and not (x.ndim == 1 and k in (0, len(factors) - 1)):
            raise LinAlgError(f"multi_dot: array {k} has {x.ndim} axes; all must be matrices, the first and last may be vectors")
    row, column = factors[0].ndim == 1, factors[-1].ndim == 1
    if row:
        factors[0] = factors[0].reshape(1, -1)
    if column:
        factors[-1] = factors[-1].reshape(-1, 1)
    result = _chain(factors, _cheapest([x.shape[0] for x in factors] + [factors[-1].shape[1]]), 0, len(factors) - 1)
    return into(out, result.reshape(result.shape[int(row) : 2 - int(column)]) if row or column else result, "multi_dot")


def _cheapest(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Say where to split each run of matrices, for the fewest multiplications."""
    n = len(sizes) - 1
    cost = {(k, k): 0 for k in range(n)}
    split = {}
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            ways = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], split[i, j] = min(ways)
    return split


def _chain(factors: list, split: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return factors[i]
    k = split[i, j]
    return call("dot", (_chain(factors, split, i, k), _chain(factors, split, k + 1, j)))


def matrix_power(a: Any, n: int) -> Any:
    """Multiply a square matrix `n` times with itself; its inverse for negative `n`.

    Examples
    --------
    >>> vm.linalg.matrix_power([[1, 1], [0, 1]], 5).compute()
    array([[1, 5],
           [0, 1]])
    """
    a = asarray(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise LinAlgError(f"matrix_power: the last two axes must be square, the array has shape {a.shape}")
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"matrix_power: the exponent must be an integer, not {n!r}") from None
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        from voxmill._create import eye

        return call("broadcast_to", (eye(a.shape[-1], dtype=a.dtype),), {"shape": list(a.shape)})
    result, square = None, a
    while n:
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
        square = matmul(square, square) if n else square
    return result


# Parts of matrices


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Give a diagonal of the last two axes.

    Examples
    --------
    >>> vm.linalg.diagonal(vm.arange(9).reshape(3, 3), offset=1).compute()
    array([1, 5])
    """
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    rows, columns = x.shape[-2:]
    top, left = max(-offset, 0), max(offset, 0)
    n = max(min(rows - top, columns - left), 0)
    square = x[..., top : top + n, left : left + n] if n else x[..., :0, :0]
    return _einsum.diagonal_of(square, x.ndim - 2, x.ndim - 1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Sum a diagonal of the last two axes.

    Examples
    --------
    >>> vm.linalg.trace(vm.eye(4)).compute()
    np.float64(4.0)
    """
    return diagonal(x, offset=offset).sum(axis=-1, dtype=dtype)


# Norms


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of a vector or a matrix.

    Parameters
    ----------
    x : array_like
    ord : number, inf, -inf, "fro" or "nuc", optional
        Which norm; for vectors the 2-norm by default, for matrices Frobenius'.
    axis : int or pair of int, optional
        The axis that vectors lie along, or the two of matrices. By default the array is a vector or a matrix as a whole; without
        `ord`, it may have any number of axes.
    keepdims : bool
        Whether these axes stay, with length 1.

    Examples
    --------
    >>> vm.linalg.norm([3.0, 4.0]).compute()
    np.float64(5.0)
    """
    x = asarray(x)
    if x.dtype.kind not in "fc":
        x = x.astype(float)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (_is_number(ord, 2) and x.ndim == 1):
            return _root(_squares(x, tuple(range(x.ndim)), keepdims))
        axes = tuple(range(x.ndim))
    else:
        axes = axes_in(tuple(axis) if isinstance(axis, (tuple, list)) else axis, x.ndim)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes, keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    raise ValueError(f"Improper number of dimensions to norm: {len(axes)}; pass axis=, one for vectors and two for matrices")


def _is_number(ord: Any, value: float) -> bool:
    return not isinstance(ord, str) and ord is not None and ord == value


def _root(x: Any) -> Any:
    return call("sqrt", (x,))


def _squares(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    squares = call("square", (x,))
    if x.dtype.kind == "c":
        squares = call("square", (x.real,)) + call("square", (x.imag,))
    return _fold("sum", squares, axes, keepdims)


def _vector_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order {ord!r} for vectors")
    if ord is None or ord == 2:
        return _root(_squares(x, axes, keepdims))
    if ord == np.inf:
        return _largest(abs(x), axes, keepdims)
    if ord == -np.inf:
        return _smallest(abs(x), axes, keepdims)
    if ord == 0:
        return _fold("sum", (x != 0).astype(_real(x.dtype)), axes, keepdims)
    if ord == 1:
        return _fold("sum", abs(x), axes, keepdims)
    ord = float(ord) if not isinstance(ord, int) else ord
    kind = _real(x.dtype).type
    return _fold("sum", abs(x) ** kind(ord), axes, keepdims) ** kind(1 / ord)


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    row, column = axes
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        return _root(_squares(x, axes, keepdims))
    if ord == "nuc" or _is_number(ord, 2) or _is_number(ord, -2):
        values = svdvals(call("moveaxis", (x,), {"source": [row, column], "destination": [-2, -1]}))
        fold = {"nuc": partial(_fold, "sum"), 2: _largest, -2: _smallest}[ord]
        result = fold(values, (values.ndim - 1,), False)
        return call("expand_dims", (result,), {"axis": sorted(axes)}) if keepdims else result
    if isinstance(ord, str) or ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"Invalid norm order {ord!r} for matrices")
    inner, other = (row, column) if abs(ord) == 1 else (column, row)
    sums = _fold("sum", abs(x), (inner,), True)
    result = (_largest if ord > 0 else _smallest)(sums, (other,), True)
    return result if keepdims else call("squeeze", (result,), {"axis": sorted(axes)})


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norm of vectors along some axes; of all elements as one vector by default.

    Examples
    --------
    >>> vm.linalg.vector_norm(vm.ones((4, 4)), ord=1).compute()
    np.float64(16.0)
    """
    x = asarray(x)
    if x.dtype.kind not in "fc":
        x = x.astype(float)
    axes = axes_in(list(axis) if isinstance(axis, (tuple, list)) else axis, x.ndim)
    return _vector_norm(x, ord, axes, keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of the matrices in the last two axes.

    Examples
    --------
    >>> vm.linalg.matrix_norm(vm.eye(4)).compute()
    np.float64(2.0)
    """
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_norm needs at least two axes, not {x.ndim}")
    return norm(x, ord=ord, axis=(-2, -1), keepdims=keepdims)


def cond(x: Any, p: Any = None) -> Any:
    """Condition number of matrices: by their singular values, or by any norm of the matrix and its inverse.

    Examples
    --------
    >>> vm.linalg.cond([[2.0, 0.0], [0.0, 1.0]]).compute()
    np.float64(2.0)
    """
    x = asarray(x)
    if 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or _is_number(p, 2) or _is_number(p, -2):
        x = _same_values(_matrix(x, "cond"))
    else:
        x = _square(x, "cond")
    return _stacked("cond", _Call("cond", p), [x], [2], (), _real(x.dtype))


__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "lu", "matmul",
    "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "sfqr", "slogdet",
    "solve", "solve_triangular", "svd", "svd_compressed", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "tsqr", "vecdot",
    "vector_norm",
]  # fmt: skip
