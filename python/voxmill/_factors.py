"""Factors of matrices, and equations solved with them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from voxmill._chunks import even
from voxmill._core import axis_in, call
from voxmill._create import asarray
from voxmill._matrices import (
    WHOLE_BYTES,
    EighResult,
    EigResult,
    QRResult,
    SlogdetResult,
    SVDResult,
    _adjoint,
    _Call,
    _complex,
    _floating,
    _largest,
    _matrix,
    _real,
    _several,
    _square,
    _stacked,
    matmul,
)

# Tall matrices: each piece of rows by itself, then what is left of them


def _is_large(x: Any) -> bool:
    return x.ndim == 2 and x.nbytes > WHOLE_BYTES


def _piece(columns: int, itemsize: int) -> int:
    """Rows of a piece: enough that what is left of pieces is at most a quarter of them. Follows from the shape alone."""
    return max(WHOLE_BYTES // max(columns * itemsize, 1), 4 * columns, 1)


def _is_tall(x: Any) -> bool:
    """True if a matrix is worth cutting into pieces of rows."""
    return _is_large(x) and x.shape[0] >= 2 * _piece(x.shape[1], x.dtype.itemsize)


def _left_of_pieces(x: Any) -> tuple[Any, tuple, tuple]:
    """Give the triangles of all pieces of a tall matrix, one below the other, and the rows of both."""
    from voxmill._calls import BOX, UserCall
    from voxmill._host import host

    m, n = x.shape
    rows = even(m, _piece(n, x.dtype.itemsize))
    left = tuple(min(length, n) for length in rows)
    user = UserCall(_Call("qr", mode="r"), [BOX], {}, "qr")
    triangles = host(user, "qr", [x], [[(0, _ends(rows)), (None, [(0, n)])]], (sum(left), n), x.dtype, (left, (n,)))
    return triangles, rows, left


def _ends(lengths: Sequence[int]) -> list[tuple[int, int]]:
    ends = np.cumsum([0, *lengths]).tolist()
    return list(zip(ends[:-1], ends[1:]))


def _triangle(x: Any) -> Any:
    """Give R of a matrix's QR decomposition."""
    while _is_tall(x):
        x, _, _ = _left_of_pieces(x)
    m, n = x.shape
    return _stacked("qr", _Call("qr", mode="r"), [x], [2], (min(m, n), n), x.dtype)


def _same_values(x: Any) -> Any:
    """Give a smaller matrix with the same singular values, if the matrix is tall or wide."""
    if x.ndim == 2 and _is_tall(x):
        return _triangle(x)
    return _triangle(x.T) if x.ndim == 2 and _is_tall(x.T) else x


class _Rows:
    """Rows of Q: those of a piece times those of what was left."""

    __name__ = "qr"

    def __call__(self, piece: np.ndarray, left: np.ndarray) -> np.ndarray:
        return np.linalg.qr(piece).Q @ left


def _tall_qr(x: Any) -> tuple[Any, Any]:
    """Give Q and R. Each piece is decomposed again for its rows of Q, so that nothing of the size of `x` is kept."""
    from voxmill._calls import BOX, UserCall
    from voxmill._host import host

    if not _is_tall(x):
        m, n = x.shape
        k = min(m, n)
        q, r = _several("qr", _Call("qr"), [x], [2], [(m, k), (k, n)], [x.dtype, x.dtype])
        return q, r
    triangles, rows, left = _left_of_pieces(x)
    inner, r = _tall_qr(triangles)
    m, n = x.shape
    reads = [[(0, _ends(rows)), (None, [(0, n)])], [(0, _ends(left)), (None, [(0, n)])]]
    user = UserCall(_Rows(), [BOX, BOX], {}, "qr")
    return host(user, "qr", [x, inner], reads, (m, n), x.dtype, (rows, (n,))), r


def tsqr(data: Any, compute_svd: bool = False, _max_vchunk_size: Any = None) -> tuple:
    """QR decomposition of a matrix with many more rows than columns, or its singular values; as `qr` and `svd`.

    Examples
    --------
    >>> q, r = vm.linalg.tsqr(vm.ones((1000, 2)))
    >>> q.shape, r.shape
    ((1000, 2), (2, 2))
    """
    return tuple(svd(data, full_matrices=False)) if compute_svd else tuple(qr(data))


def sfqr(data: Any, name: Any = None) -> tuple:
    """QR decomposition of a matrix with many more columns than rows; as `qr`.

    Examples
    --------
    >>> q, r = vm.linalg.sfqr(vm.ones((2, 1000)))
    >>> q.shape, r.shape
    ((2, 2), (2, 1000))
    """
    return tuple(qr(data))


def qr(a: Any, mode: str = "reduced") -> Any:
    """Factor matrices into an orthonormal and an upper triangular one.

    A matrix with many more rows than columns is decomposed in pieces of rows, in bounded memory (TSQR: Q and R are those of NumPy up
    to the signs of columns of Q and rows of R); one with many more columns than rows by its first columns. Other matrices, and each
    matrix of a stack, must fit into memory.

    Parameters
    ----------
    a : array_like
        A matrix, or a stack of matrices in the last two axes.
    mode : {"reduced", "complete", "r", "raw"}
        What is given: Q and R with min(rows, columns) columns and rows, all columns and rows, R alone, or LAPACK's own form.

    Examples
    --------
    >>> q, r = vm.linalg.qr(vm.random.default_rng(0).random((100, 3)))
    >>> (abs(q.T @ q - vm.eye(3)) < 1e-12).all().compute()
    np.True_
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode {mode!r}; there are 'reduced', 'complete', 'r' and 'raw'")
    a = _matrix(a, "qr")
    m, n = a.shape[-2:]
    k = min(m, n)
    if mode == "raw":
        return tuple(_several("qr", _Call("qr", mode="raw"), [a], [2], [(n, m), (k,)], [a.dtype, a.dtype]))
    if mode == "r":
        return _triangle(a) if _is_tall(a) else _stacked("qr", _Call("qr", mode="r"), [a], [2], (k, n), a.dtype)
    if mode == "complete":
        return QRResult(*_several("qr", _Call("qr", mode="complete"), [a], [2], [(m, m), (m, n)], [a.dtype, a.dtype]))
    if _is_tall(a):
        return QRResult(*_tall_qr(a))
    if _is_large(a) and n >= 2 * m:
        from voxmill._shape import concatenate

        q, r = _tall_qr(a[:, :m])
        return QRResult(q, concatenate([r, matmul(_adjoint(q), a[:, m:])], axis=1))
    return QRResult(*_several("qr", _Call("qr"), [a], [2], [(m, k), (k, n)], [a.dtype, a.dtype]))


# Singular values


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False, *, coerce_signs: bool = False) -> Any:
    """Singular value decomposition: ``a = (u * s) @ vh``.

    With `full_matrices` false, a matrix with many more rows than columns (or the other way round) is decomposed in bounded memory,
    by way of its QR decomposition. Other matrices, and each matrix of a stack, must fit into memory.

    Parameters
    ----------
    a : array_like
        A matrix, or a stack of matrices in the last two axes.
    full_matrices : bool
        True for square `u` and `vh`, False for min(rows, columns) columns and rows. Dask gives the latter.
    compute_uv : bool
        False for the singular values alone.
    hermitian : bool
        True if `a` equals its conjugate transpose, which is faster.
    coerce_signs : bool
        True to choose signs so that the entries of each row of `vh` have a sum that is not negative, which makes them reproducible.

    Examples
    --------
    >>> u, s, vh = vm.linalg.svd(vm.ones((1000, 3)), full_matrices=False)
    >>> s.compute().round(6)
    array([54.772256,  0.      ,  0.      ])
    """
    if not compute_uv:
        return svdvals(a) if not hermitian else _hermitian_values(a)
    if hermitian:
        a = _square(a, "svd")
    a = _matrix(a, "svd")
    m, n = a.shape[-2:]
    k = min(m, n)
    if not hermitian and not full_matrices and _is_tall(a):
        q, r = _tall_qr(a)
        inner, s, vh = svd(r, full_matrices=False)
        u = matmul(q, inner)
    elif not hermitian and not full_matrices and a.ndim == 2 and _is_tall(a.T):
        v, s, uh = svd(_adjoint(a), full_matrices=False)
        u, vh = _adjoint(uh), _adjoint(v)
    else:
        shapes = [(m, m if full_matrices else k), (k,), (n if full_matrices else k, n)]
        function = _Call("svd", full_matrices=full_matrices, hermitian=hermitian)
        u, s, vh = _several("svd", function, [a], [2], shapes, [a.dtype, _real(a.dtype), a.dtype])
    if coerce_signs:
        u, vh = _with_signs(u, vh)
    return SVDResult(u, s, vh)


def _with_signs(u: Any, vh: Any) -> tuple[Any, Any]:
    k = min(u.shape[-1], vh.shape[-2])
    sums = call("sum", (vh[..., :k, :].real,), {"axis": [-1], "keepdims": True})
    signs = call("where", (sums < 0, -1.0, 1.0)).astype(_real(vh.dtype))
    if u.shape[-1] != k or vh.shape[-2] != k:
        raise ValueError("coerce_signs needs full_matrices=False")
    return u * signs.mT, vh * signs


def _hermitian_values(a: Any) -> Any:
    a = _square(a, "svd")
    return _stacked("svd", _Call("svd", compute_uv=False, hermitian=True), [a], [2], (a.shape[-1],), _real(a.dtype))


def svdvals(x: Any, /) -> Any:
    """Give the singular values of matrices, largest first.

    Examples
    --------
    >>> vm.linalg.svdvals([[3.0, 0.0], [0.0, 4.0]]).compute()
    array([4., 3.])
    """
    x = _same_values(_matrix(x, "svdvals"))
    return _stacked("svdvals", _Call("svdvals"), [x], [2], (min(x.shape[-2:]),), _real(x.dtype))


def svd_compressed(
    a: Any,
    k: int,
    iterator: str = "power",
    n_power_iter: int = 0,
    n_oversamples: int = 10,
    seed: Any = None,
    compute: bool = False,
    coerce_signs: bool = True,
) -> Any:
    """Give the largest singular values and their vectors, approximately, of a matrix of any size (Halko et al., 2011).

    Parameters
    ----------
    a : array_like
        A matrix. It is read once for each product with it: ``2 + 2 * n_power_iter`` times.
    k : int
        How many singular values.
    iterator : {"power", "QR"}
        How products with `a` are repeated; "QR" makes columns orthonormal after each one, which is more exact for `n_power_iter`
        above 1.
    n_power_iter : int
        How often products with `a` are repeated: more are more exact where singular values decay slowly.
    n_oversamples : int
        How many columns to work with beside the `k`.
    seed : int, Generator or RandomState, optional
        For the random columns that `a` is multiplied with.
    compute : bool
        True to compute products as they are needed, and keep these in memory.
    coerce_signs : bool
        As in `svd`.

    Examples
    --------
    >>> x = vm.ones((2000, 1000))
    >>> u, s, v = vm.linalg.svd_compressed(x, 2, seed=0)
    >>> s.compute().round(3)
    array([1414.214,    0.   ])
    """
    a = _matrix(a, "svd_compressed")
    if a.ndim != 2:
        raise ValueError(f"svd_compressed takes a matrix, not an array of {a.ndim} axes")
    if iterator not in ("power", "QR"):
        raise ValueError(f"iterator {iterator!r} is not known; there are 'power' and 'QR'")
    k = operator.index(k)
    if not 0 < k <= min(a.shape):
        raise ValueError(f"k must be between 1 and {min(a.shape)}, not {k}")
    basis = _range_of(a, min(k + n_oversamples, *a.shape), iterator, n_power_iter, seed, compute)
    small = _kept(matmul(_adjoint(basis), a), compute)
    u, s, vh = svd(small, full_matrices=False)
    u, s, vh = matmul(basis, u[:, :k]), s[:k], vh[:k]
    if coerce_signs:
        u, vh = _with_signs(u, vh)
    return SVDResult(u, s, vh)


def _kept(x: Any, compute: bool) -> Any:
    return x.persist() if compute else x


def _range_of(a: Any, width: int, iterator: str, repeats: int, seed: Any, compute: bool) -> Any:
    """Give orthonormal columns that span nearly what the largest singular vectors do."""
    from voxmill.random import default_rng

    # With as many columns as the matrix has, they span all of it.
    columns = default_rng(seed).standard_normal((a.shape[1], width)).astype(a.dtype)
    product = _kept(matmul(a, columns), compute)
    for _ in range(repeats):
        if iterator == "QR":
            product = qr(_kept(matmul(_adjoint(a), qr(product).Q), compute)).Q
        else:
            product = _kept(matmul(_adjoint(a), product), compute)
        product = _kept(matmul(a, product), compute)
    return qr(product).Q


# Equations


def solve(a: Any, b: Any, sym_pos: bool | None = None, assume_a: str = "gen") -> Any:
    """Solve ``a @ x = b``. The matrix must fit into memory; columns of `b` are solved in pieces.

    Parameters
    ----------
    a : array_like
        A square matrix, or a stack of them.
    b : array_like
        A vector if it has one axis, else a matrix, or a stack of matrices.
    sym_pos, assume_a
        Accepted for Dask's sake.

    Examples
    --------
    >>> vm.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).compute()
    array([1. , 0.5])
    """
    return _solved("solve", _Call("solve"), a, b)


def _solved(name: str, function: Callable, a: Any, b: Any) -> Any:
    a, b = _square(a, name), _floating(asarray(b), name)
    if b.ndim == 0:
        raise LinAlgError(f"{name}: b has no axes; it must be a vector or a matrix")
    n = a.shape[-1]
    if b.shape[0 if b.ndim == 1 else -2] != n:
        raise ValueError(f"{name}: matrices of {n} rows do not go with b of shape {b.shape}")
    dtype = np.result_type(a.dtype, b.dtype)
    if b.ndim == 1:
        columns = call("expand_dims", (b,), {"axis": [1]})
        return call("squeeze", (_solved_columns(name, function, a, columns, dtype),), {"axis": [-1]})
    return _solved_columns(name, function, a, b, dtype)


def _solved_columns(name: str, function: Callable, a: Any, b: Any, dtype: np.dtype) -> Any:
    if b.ndim > 2 or a.ndim > 2 or b.nbytes <= WHOLE_BYTES:
        return _stacked(name, function, [a, b], [2, 2], b.shape[-2:], dtype)
    from voxmill._calls import BOX, UserCall
    from voxmill._host import Reads, host

    n, columns = b.shape
    width = max(WHOLE_BYTES // max(n * dtype.itemsize, 1), n // 4, 1)
    chunks = ((n,), even(columns, width))
    whole: Reads = [(None, [(0, n)]), (None, [(0, n)])]
    part: Reads = [(None, [(0, n)]), (1, _ends(chunks[1]))]
    return host(UserCall(function, [BOX, BOX], {}, name), name, [a, b], [whole, part], b.shape, dtype, chunks)


class _Triangular:
    """Solves with one triangle of a matrix."""

    __name__ = "solve_triangular"

    def __init__(self, lower: bool, unit: bool):
        self.lower, self.unit = lower, unit

    def __call__(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        # With zeros below the diagonal, elimination has nothing to do, and rows are never exchanged.
        upper = np.triu(a[..., ::-1, ::-1]) if self.lower else np.triu(a)
        if self.unit:
            upper[..., range(a.shape[-1]), range(a.shape[-1])] = 1
        if self.lower:
            return np.linalg.solve(upper, b[..., ::-1, :])[..., ::-1, :]
        return np.linalg.solve(upper, b)


def solve_triangular(a: Any, b: Any, lower: bool = False, *, unit_diagonal: bool = False) -> Any:
    """Solve ``a @ x = b`` with the upper, or lower, triangle of `a`.

    Examples
    --------
    >>> vm.linalg.solve_triangular([[2.0, 1.0], [9.0, 4.0]], [4.0, 8.0]).compute()
    array([1., 2.])
    """
    return _solved("solve_triangular", _Triangular(lower, unit_diagonal), a, b)


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple:
    """Give `x` with the smallest norm of ``b - a @ x``. Computes now: whether there are residuals depends on the rank of `a`.

    A matrix with many more rows than columns is read once, in bounded memory.

    Parameters
    ----------
    a : array_like
        A matrix.
    b : array_like
        A vector, or a matrix of several right sides.
    rcond : float, optional
        Singular values below so many times the largest one count as zero; by default the precision times the longer side of `a`.

    Returns
    -------
    x, residuals, rank, s
        The solution, the sums of squares of ``b - a @ x`` (empty unless the rank is full and there are more rows than columns),
        the rank, and the singular values of `a`.

    Examples
    --------
    >>> x, residuals, rank, s = vm.linalg.lstsq(vm.ones((4, 1)), vm.arange(4))
    >>> x.compute()
    array([1.5])
    """
    a, b = _floating(asarray(a), "lstsq"), _floating(asarray(b), "lstsq")
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise LinAlgError(f"lstsq takes a matrix and one or two axes of right sides, not {a.ndim} and {b.ndim} axes")
    if a.shape[0] != b.shape[0]:
        raise LinAlgError(f"lstsq: a has {a.shape[0]} rows, b has {b.shape[0]}")
    dtype = np.result_type(a.dtype, b.dtype)
    if rcond is None:
        rcond = np.finfo(dtype).eps * max(a.shape)
    rows = a.shape[0]
    pair = _shrunk(a, b, dtype)
    with np.errstate(all="ignore"):
        x, residuals, rank, s = np.linalg.lstsq(*pair, rcond=rcond)
    if rows <= a.shape[1] or rank < a.shape[1]:
        residuals = residuals[:0]
    return asarray(x), asarray(residuals), asarray(rank), asarray(s)


def _shrunk(a: Any, b: Any, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Compute a small problem with the same solution, residuals and singular values."""
    from voxmill._run import compute_exprs
    from voxmill._shape import concatenate

    columns = b if b.ndim == 2 else b.reshape(-1, 1)
    both = concatenate([a.astype(dtype), columns.astype(dtype)], axis=1)
    if not _is_tall(both):
        whole = compute_exprs([a._expr, b._expr])
        return whole[0], whole[1]
    # The triangle of [a b] holds that of a, and b in the basis of its columns; below, what no column reaches.
    triangle = np.asarray(_triangle(both))
    left, right = triangle[:, : a.shape[1]], triangle[:, a.shape[1] :]
    return left, right if b.ndim == 2 else right[:, 0]


def inv(a: Any) -> Any:
    """Give the inverse of square matrices.

    Examples
    --------
    >>> vm.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).compute()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = _square(a, "inv")
    return _stacked("inv", _Call("inv"), [a], [2], a.shape[-2:], a.dtype)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """Give the Moore-Penrose inverse of matrices.

    Parameters
    ----------
    a : array_like
        A matrix, or a stack of them.
    rcond : float or array_like, optional
        Singular values below so many times the largest one count as zero; 1e-15 by default, as in NumPy.
    hermitian : bool
        True if `a` equals its conjugate transpose.
    rtol : float or array_like, optional
        The same under the name of the array API; None is the precision times the longer side.

    Examples
    --------
    >>> vm.linalg.pinv([[2.0], [0.0]]).compute()
    array([[0.5, 0. ]])
    """
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    a = _matrix(a, "pinv")
    m, n = a.shape[-2:]
    limit = 1e-15 if rcond is None else rcond
    if rtol is not np._NoValue:
        limit = max(m, n) * np.finfo(a.dtype).eps if rtol is None else rtol
    return _stacked("pinv", _Pinv(hermitian), [a, asarray(limit)], [2, 0], (n, m), a.dtype)


class _Pinv:
    """`numpy.linalg.pinv` with a limit for each matrix."""

    __name__ = "pinv"

    def __init__(self, hermitian: bool):
        self.hermitian = hermitian

    def __call__(self, a: np.ndarray, rcond: np.ndarray) -> np.ndarray:
        return np.linalg.pinv(a, rcond, self.hermitian)


def cholesky(a: Any, /, *, upper: bool = False, lower: bool | None = None) -> Any:
    """Factor Hermitian, positive definite matrices into a triangular one and its conjugate transpose.

    Parameters
    ----------
    a : array_like
        A square matrix, or a stack of them; one triangle is read.
    upper : bool
        True for the upper triangular factor.
    lower : bool, optional
        The opposite of `upper`, as Dask calls it. Without either, the factor is lower triangular as in NumPy; Dask's is upper.

    Examples
    --------
    >>> vm.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).compute()
    array([[2., 0.],
           [1., 1.]])
    """
    a = _square(a, "cholesky")
    if lower is not None:
        upper = not lower
    return _stacked("cholesky", _Call("cholesky", upper=bool(upper)), [a], [2], a.shape[-2:], a.dtype)


def det(a: Any) -> Any:
    """Give the determinant of square matrices.

    Examples
    --------
    >>> vm.linalg.det([[2.0, 1.0], [0.0, 3.0]]).compute()
    np.float64(6.0)
    """
    a = _square(a, "det")
    return _stacked("det", _Call("det"), [a], [2], (), a.dtype)


def slogdet(a: Any) -> Any:
    """Give the sign of the determinant of square matrices and the logarithm of its absolute value.

    Examples
    --------
    >>> sign, logarithm = vm.linalg.slogdet(vm.eye(3) * -1)
    >>> sign.compute(), logarithm.compute()
    (np.float64(-1.0), np.float64(0.0))
    """
    a = _square(a, "slogdet")
    return SlogdetResult(*_several("slogdet", _Call("slogdet"), [a], [2], [(), ()], [a.dtype, _real(a.dtype)]))


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Give the number of singular values of matrices that are not zero.

    Parameters
    ----------
    A : array_like
        A matrix, or a stack of them.
    tol : float or array_like, optional
        Singular values up to this count as zero.
    hermitian : bool
        True if `A` equals its conjugate transpose.
    rtol : float or array_like, optional
        The same as a part of the largest singular value; the precision times the longer side by default.

    Examples
    --------
    >>> vm.linalg.matrix_rank(vm.ones((4, 4))).compute()
    np.int64(1)
    """
    A = asarray(A)
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return (A != 0).any().astype(np.int64)
    values = _hermitian_values(A) if hermitian else svdvals(A)
    if tol is None:
        small = max(A.shape[-2:]) * np.finfo(values.dtype).eps if rtol is None else rtol
        limit = _largest(values, (values.ndim - 1,), True) * asarray(small)[..., None]
    else:
        limit = asarray(tol)[..., None]
    return call("count_nonzero", (values > limit,), {"axis": [-1]})


# Eigenvalues


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Give the eigenvalues and eigenvectors of Hermitian matrices, which must fit into memory.

    Parameters
    ----------
    a : array_like
        A square matrix, or a stack of them.
    UPLO : {"L", "U"}
        Which triangle is read.

    Examples
    --------
    >>> values, vectors = vm.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.compute()
    array([1., 2.])
    """
    UPLO = _triangle_name(UPLO)
    a = _square(a, "eigh")
    shapes = [a.shape[-1:], a.shape[-2:]]
    return EighResult(*_several("eigh", _Call("eigh", UPLO=UPLO), [a], [2], shapes, [_real(a.dtype), a.dtype]))


def _triangle_name(name: str) -> str:
    if str(name).upper() not in ("L", "U"):
        raise ValueError(f"UPLO argument must be 'L' or 'U', not {name!r}")
    return name.upper()


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Give the eigenvalues of Hermitian matrices, smallest first.

    Examples
    --------
    >>> vm.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).compute()
    array([1., 2.])
    """
    UPLO = _triangle_name(UPLO)
    a = _square(a, "eigvalsh")
    return _stacked("eigvalsh", _Call("eigvalsh", UPLO=UPLO), [a], [2], a.shape[-1:], _real(a.dtype))


def eig(a: Any) -> Any:
    """Give the eigenvalues and eigenvectors of square matrices. Always complex: NumPy's dtype depends on the values.

    Examples
    --------
    >>> values, vectors = vm.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> values.compute()
    array([0.+1.j, 0.-1.j])
    """
    a = _square(a, "eig")
    dtype = _complex(a.dtype)
    return EigResult(*_several("eig", _Finite("eig"), [a], [2], [a.shape[-1:], a.shape[-2:]], [dtype, dtype]))


def eigvals(a: Any) -> Any:
    """Give the eigenvalues of square matrices. Always complex: NumPy's dtype depends on the values.

    Examples
    --------
    >>> vm.linalg.eigvals([[0.0, 1.0], [-1.0, 0.0]]).compute()
    array([0.+1.j, 0.-1.j])
    """
    a = _square(a, "eigvals")
    return _stacked("eigvals", _Finite("eigvals", _complex(a.dtype)), [a], [2], a.shape[-1:], _complex(a.dtype))


class _Finite(_Call):
    """A function of `numpy.linalg` whose result is cast, since its dtype depends on values."""

    def __init__(self, name: str, dtype: Any = None):
        super().__init__(name)
        self.dtype = dtype

    def __call__(self, *boxes: np.ndarray) -> Any:
        made = super().__call__(*boxes)
        return made if self.dtype is None else made.astype(self.dtype)


# Other factors and equations


def lu(a: Any) -> tuple[Any, Any, Any]:
    """Factor a square matrix, which must fit into memory: ``a = p @ l @ u``, with rows exchanged by `p`.

    Examples
    --------
    >>> p, l, u = vm.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> u.compute()
    array([[4., 4.],
           [0., 1.]])
    """
    a = _square(a, "lu")
    shape = a.shape[-2:]
    p, lower, upper = _several("lu", _Lu(), [a], [2], [shape] * 3, [_real(a.dtype), a.dtype, a.dtype])
    return p, lower, upper


class _Lu:
    """Elimination with exchange of rows, in strips of columns: most of the work is products of matrices."""

    __name__ = "lu"
    width = 64

    def __call__(self, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        done = [self.one(matrix) for matrix in a.reshape(-1, *a.shape[-2:])]
        parts = [np.array([entry[k] for entry in done]).reshape(a.shape) for k in range(3)]
        return parts[0], parts[1], parts[2]

    def one(self, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        a, n = a.copy(), len(a)
        rows = np.arange(n)
        for begin in range(0, n, self.width):
            end = min(begin + self.width, n)
            self._strip(a, rows, begin, end)
            strip = np.tril(a[begin:end, begin:end], -1) + np.eye(end - begin, dtype=a.dtype)
            a[begin:end, end:] = _Triangular(True, True)(strip, a[begin:end, end:])
            a[end:, end:] -= a[end:, begin:end] @ a[begin:end, end:]
        p = np.zeros((n, n), a.real.dtype)
        p[rows, range(n)] = 1
        return p, np.tril(a, -1) + np.eye(n, dtype=a.dtype), np.triu(a)

    def _strip(self, a: np.ndarray, rows: np.ndarray, begin: int, end: int) -> None:
        for k in range(begin, end):
            # LAPACK compares complex numbers so, too.
            pivot = k + int(np.argmax(abs(a[k:, k].real) + abs(a[k:, k].imag)))
            if pivot != k:
                a[[k, pivot]] = a[[pivot, k]]
                rows[[k, pivot]] = rows[[pivot, k]]
            if a[k, k] != 0:
                a[k + 1 :, k] /= a[k, k]
                a[k + 1 :, k + 1 : end] -= np.outer(a[k + 1 :, k], a[k, k + 1 : end])


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Solve ``tensordot(a, x, x.ndim) = b``.

    Examples
    --------
    >>> vm.linalg.tensorsolve(vm.eye(4).reshape(2, 2, 2, 2), vm.ones((2, 2))).shape
    (2, 2)
    """
    a, b = asarray(a), asarray(b)
    if axes is not None:
        last = [axis_in(axis, a.ndim) for axis in axes]
        a = a.transpose([k for k in range(a.ndim) if k not in last] + last)
    shape = a.shape[b.ndim :]
    if a.size != math.prod(shape) ** 2:
        raise LinAlgError(f"tensorsolve: a of shape {a.shape} is not square for b of {b.ndim} axes")
    return solve(a.reshape(-1, math.prod(shape)), b.reshape(-1)).reshape(shape)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """Give the inverse of an array for ``tensordot(a, x, ind)``.

    Examples
    --------
    >>> vm.linalg.tensorinv(vm.eye(6).reshape(2, 3, 6), ind=2).shape
    (6, 2, 3)
    """
    a = asarray(a)
    if ind <= 0:
        raise ValueError(f"ind must be positive, not {ind}")
    n = math.prod(a.shape[ind:])
    return inv(a.reshape(n, -1)).reshape(a.shape[ind:] + a.shape[:ind])
