"""Linear algebra of matrices that are decomposed in pieces, and what comparisons with NumPy on small arrays do not show."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import voxmill as vm
from voxmill import _factors

sys.path.insert(0, str(Path(__file__).parent))

import cases_fft  # noqa: E402
import cases_linalg  # noqa: E402

DTYPES = ["float32", "float64", "complex64", "complex128"]
EPS = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-12, "complex128": 1e-12}


@pytest.fixture
def pieces(monkeypatch):
    """Cut matrices of a few rows already."""
    monkeypatch.setattr(_factors, "WHOLE_BYTES", 4096)


def matrix(rows, columns, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns))
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=(rows, columns))
    return values.astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def test_every_function_is_compared():
    compared = {case.name for case in cases_linalg.CASES + cases_fft.CASES}
    here = {"linalg.LinAlgError", "linalg.svd_compressed", "linalg.tsqr", "linalg.sfqr", "fft.fft_wrap"}
    public = {f"linalg.{name}" for name in vm.linalg.__all__} | {f"fft.{name}" for name in vm.fft.__all__}
    assert public - compared - here == set()


def test_names_of_numpy():
    assert set(np.linalg.__all__) - set(vm.linalg.__all__) == set()
    functions = {name for name in dir(np.fft) if callable(getattr(np.fft, name)) and not name.startswith("_")}
    assert functions - set(vm.fft.__all__) - {"test"} == set()


# Tall matrices


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1000, 5), (513, 7), (3000, 1), (257, 20)])
def test_tall_qr(pieces, shape, dtype):
    a = matrix(*shape, dtype)
    x = vm.from_array(a, chunks=(97, 3))
    assert _factors._is_tall(x)
    q, r = (part.compute() for part in vm.linalg.qr(x))
    eps = EPS[dtype]
    assert q.dtype == r.dtype == dtype
    np.testing.assert_allclose(q @ r, a, atol=eps * 10)
    np.testing.assert_allclose(adjoint(q) @ q, np.eye(shape[1]), atol=eps)
    np.testing.assert_allclose(np.tril(r, -1), 0, atol=eps)
    # Columns of Q are free up to a factor of absolute value 1.
    np.testing.assert_allclose(abs(r), abs(np.linalg.qr(a).R), rtol=1e-3 if eps > 1e-6 else 1e-9, atol=eps * 10)
    np.testing.assert_array_equal(vm.linalg.qr(x, mode="r").compute(), r)


def test_tall_qr_does_not_depend_on_chunks(pieces):
    a = matrix(2000, 6)
    q, r = vm.linalg.qr(a)
    for chunks in [(7, 6), (2000, 1), (1999, 5)]:
        other = vm.linalg.qr(vm.from_array(a, chunks=chunks))
        np.testing.assert_array_equal(other.R.compute(), r.compute())
        np.testing.assert_array_equal(other.Q.compute(), q.compute())


def test_wide_qr(pieces):
    a = matrix(4, 900, "complex128")
    q, r = (part.compute() for part in vm.linalg.qr(vm.from_array(a, chunks=(2, 100))))
    expected = np.linalg.qr(a)
    np.testing.assert_allclose(q, expected.Q, atol=1e-12)
    np.testing.assert_allclose(r, expected.R, atol=1e-12)


def test_tsqr_and_sfqr(pieces):
    a = matrix(600, 4)
    q, r = vm.linalg.tsqr(a)
    np.testing.assert_allclose((q @ r).compute(), a, atol=1e-12)
    u, s, v = vm.linalg.tsqr(a, compute_svd=True)
    np.testing.assert_allclose(((u * s) @ v).compute(), a, atol=1e-12)
    q, r = vm.linalg.sfqr(a.T)
    np.testing.assert_allclose((q @ r).compute(), a.T, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(800, 6), (6, 800)])
def test_long_svd(pieces, shape, dtype):
    a = matrix(*shape, dtype)
    u, s, vh = vm.linalg.svd(vm.from_array(a, chunks=(50, 50)), full_matrices=False)
    expected = np.linalg.svd(a, full_matrices=False)
    assert [x.shape for x in (u, s, vh)] == [x.shape for x in expected]
    assert [x.dtype for x in (u, s, vh)] == [x.dtype for x in expected]
    eps = EPS[dtype]
    np.testing.assert_allclose(s.compute(), expected.S, rtol=eps)
    u, vh = u.compute(), vh.compute()
    np.testing.assert_allclose((u * s.compute()) @ vh, a, atol=eps * 10)
    np.testing.assert_allclose(adjoint(u) @ u, np.eye(6), atol=eps)
    np.testing.assert_allclose(vm.linalg.svdvals(a).compute(), expected.S, rtol=eps)
    np.testing.assert_allclose(vm.linalg.cond(a).compute(), np.linalg.cond(a), rtol=eps * 10)
    np.testing.assert_allclose(vm.linalg.norm(a, 2).compute(), expected.S[0], rtol=eps)
    assert int(vm.linalg.matrix_rank(a)) == 6


def test_signs(pieces):
    a = matrix(500, 5)
    u, s, vh = (x.compute() for x in vm.linalg.svd(a, full_matrices=False, coerce_signs=True))
    assert (vh.sum(axis=1) >= 0).all()
    np.testing.assert_allclose((u * s) @ vh, a, atol=1e-12)
    with pytest.raises(ValueError, match="full_matrices"):
        vm.linalg.svd(a, coerce_signs=True)


@pytest.mark.parametrize("right", [(), (1,), (3,)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_tall_lstsq(pieces, right, dtype):
    a, b = matrix(700, 5, dtype), matrix(700, 3, dtype, seed=1)[:, : (right or (1,))[0]]
    b = b if right else b[:, 0]
    found = vm.linalg.lstsq(vm.from_array(a, chunks=(33, 2)), vm.from_array(b, chunks=100))
    for mine, expected in zip(found, np.linalg.lstsq(a, b)):
        assert mine.shape == np.shape(expected)
        np.testing.assert_allclose(mine.compute(), expected, rtol=1e-10)


def test_tall_lstsq_without_full_rank(pieces):
    a, b = matrix(700, 5), matrix(700, 1, seed=1)[:, 0]
    a[:, 3] = a[:, 1]
    found = vm.linalg.lstsq(a, b)
    expected = np.linalg.lstsq(a, b)
    assert int(found[2]) == expected[2] == 4
    assert found[1].shape == expected[1].shape == (0,)
    np.testing.assert_allclose(found[0].compute(), expected[0], rtol=1e-10)
    np.testing.assert_allclose(found[3].compute(), expected[3], atol=1e-12)


@pytest.mark.parametrize("lower", [False, True])
def test_many_right_sides(pieces, lower):
    a, b = matrix(9, 9) + 9 * np.eye(9), matrix(9, 500)
    np.testing.assert_allclose(vm.linalg.solve(a, vm.from_array(b, chunks=(3, 77))).compute(), np.linalg.solve(a, b), rtol=1e-10)
    triangle = np.tril(a) if lower else np.triu(a)
    found = vm.linalg.solve_triangular(a, b, lower=lower).compute()
    np.testing.assert_allclose(triangle @ found, b, atol=1e-12)
    unit = vm.linalg.solve_triangular(a, b, lower=lower, unit_diagonal=True).compute()
    np.fill_diagonal(triangle, 1)
    np.testing.assert_allclose(triangle @ unit, b, atol=1e-9)


def test_tall_matrices_stay_within_the_memory_limit(monkeypatch):
    monkeypatch.setattr(_factors, "WHOLE_BYTES", 1 << 20)
    x = vm.random.default_rng(0).standard_normal((150_000, 16))
    assert x.nbytes > 18 << 20
    r = vm.linalg.qr(x, mode="r").compute(memory_limit="10 MiB", progress=False)
    gram = (x.T @ x).compute(progress=False)
    np.testing.assert_allclose(r.T @ r, gram, atol=1e-8 * abs(gram).max())
    with vm.config.set(memory_limit="10 MiB"):
        s = vm.linalg.svdvals(x).compute(progress=False)
    np.testing.assert_allclose(s, np.linalg.svdvals(r), rtol=1e-10)


# A few singular values


@pytest.mark.parametrize("iterator", ["power", "QR"])
@pytest.mark.parametrize("compute", [False, True])
def test_svd_compressed(iterator, compute):
    a = matrix(120, 4) @ matrix(4, 90, seed=1)
    u, s, v = vm.linalg.svd_compressed(vm.from_array(a, chunks=50), 4, iterator=iterator, n_power_iter=1, seed=3, compute=compute)
    assert (u.shape, s.shape, v.shape) == ((120, 4), (4,), (4, 90))
    np.testing.assert_allclose(s.compute(), np.linalg.svdvals(a)[:4], rtol=1e-9)
    np.testing.assert_allclose(((u * s) @ v).compute(), a, atol=1e-9)
    assert (v.compute().sum(axis=1) >= -1e-12).all()


def test_svd_compressed_by_seed():
    a = matrix(60, 40)
    first, again, other = (vm.linalg.svd_compressed(a, 3, seed=seed).S.compute() for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    state = vm.random.RandomState(5)
    assert vm.linalg.svd_compressed(a, 3, seed=state).S.shape == (3,)


def test_svd_compressed_errors():
    with pytest.raises(ValueError, match="k must"):
        vm.linalg.svd_compressed(np.ones((4, 3)), 5)
    with pytest.raises(ValueError, match="iterator"):
        vm.linalg.svd_compressed(np.ones((4, 3)), 2, iterator="odd")
    with pytest.raises(ValueError, match="matrix"):
        vm.linalg.svd_compressed(np.ones((4, 3, 2)), 2)


# Other


def test_large_lu():
    import scipy.linalg

    a = matrix(150, 150)
    for mine, expected in zip(vm.linalg.lu(vm.from_array(a, chunks=40)), scipy.linalg.lu(a)):
        np.testing.assert_allclose(mine.compute(), expected, atol=1e-11)
    stack = matrix(12, 4).reshape(3, 4, 4)
    p, lower, upper = vm.linalg.lu(stack)
    np.testing.assert_allclose((p @ lower @ upper).compute(), stack, atol=1e-12)
    p, lower, upper = vm.linalg.lu(np.ones((3, 3)))
    np.testing.assert_allclose((p @ lower @ upper).compute(), np.ones((3, 3)))


@pytest.mark.parametrize(
    "build",
    [
        lambda x: vm.linalg.qr(x).Q,
        lambda x: vm.linalg.svd(x).S,
        lambda x: vm.linalg.norm(x, "nuc"),
        lambda x: vm.linalg.inv(x),
        lambda x: vm.linalg.solve(x, x),
        lambda x: vm.linalg.eigh(x).eigenvectors,
        lambda x: vm.linalg.matrix_rank(x),
        lambda x: vm.einsum("ij,jk,kl->il", x, x, x),
        lambda x: vm.einsum("ii", x),
        lambda x: vm.kron(x, x),
        lambda x: vm.fft.fft2(x),
        lambda x: vm.linalg.svd_compressed(x, 2, seed=0).U,
    ],
)
def test_lazy(build):
    """Nothing is read before somebody asks for the result."""
    calls = []

    def source(box):
        calls.append(box)
        return np.eye(6)[box]

    result = build(vm.from_function(source, (6, 6), dtype=float, chunks=3))
    assert not calls
    result.compute()
    assert calls


def test_errors_when_computed():
    singular = vm.linalg.inv(vm.zeros((2, 3, 3)))
    with pytest.raises(vm.linalg.LinAlgError, match="Singular") as caught:
        singular.compute()
    assert "inv" in "".join(caught.value.__notes__)
    with pytest.raises(vm.linalg.LinAlgError):
        vm.linalg.cholesky(-vm.eye(3)).compute()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vm.linalg.inv(np.ones((2, 3))), vm.linalg.LinAlgError, "inv.*square"),
        (lambda: vm.linalg.det(np.ones(3)), vm.linalg.LinAlgError, "det.*1-dimensional"),
        (lambda: vm.linalg.solve(np.eye(3), np.ones(4)), ValueError, "solve.*3 rows"),
        (lambda: vm.linalg.solve(np.ones((2, 3, 3)), np.ones((4, 3, 1))), ValueError, "broadcast"),
        (lambda: vm.linalg.qr(np.eye(3), mode="odd"), ValueError, "odd"),
        (lambda: vm.linalg.eigh(np.eye(3), UPLO="X"), ValueError, "UPLO"),
        (lambda: vm.linalg.norm(np.ones((2, 2)), "odd"), ValueError, "odd"),
        (lambda: vm.linalg.norm(np.ones((2, 2, 2)), 1), ValueError, "axis="),
        (lambda: vm.linalg.svd(np.ones((2, 2), "float16")), TypeError, "float16"),
        (lambda: vm.linalg.lstsq(np.ones((2, 2)), np.ones(3)), vm.linalg.LinAlgError, "2 rows"),
        (lambda: vm.linalg.matrix_power(np.eye(2), 1.5), TypeError, "1.5"),
        (lambda: vm.linalg.multi_dot([np.eye(2)]), ValueError, "two"),
        (lambda: vm.linalg.pinv(np.eye(2), 1e-3, rtol=1e-3), ValueError, "both"),
        (lambda: vm.linalg.matrix_rank(np.eye(2), 1e-3, rtol=1e-3), ValueError, "both"),
        (lambda: vm.linalg.tensorinv(np.eye(2), 0), ValueError, "ind"),
        (lambda: vm.einsum("ij,jk", np.eye(2)), ValueError, "2 terms"),
        (lambda: vm.einsum("i1", np.eye(2)), ValueError, "'1'"),
        (lambda: vm.einsum("ij->ik", np.eye(2)), ValueError, "'k'"),
        (lambda: vm.einsum("ij->ii", np.eye(2)), ValueError, "twice"),
        (lambda: vm.einsum("ij,jk", np.ones((2, 3)), np.ones((4, 2))), ValueError, "lengths 3 and 4"),
        (lambda: vm.einsum(), ValueError, "at least one array"),
        (lambda: vm.einsum("i", np.ones(2), odd=1), TypeError, "odd"),
        (lambda: vm.fft.fft(np.ones(3), n=0), ValueError, "data points"),
        (lambda: vm.fft.fft(np.ones(3), norm="odd"), ValueError, "odd"),
        (lambda: vm.fft.rfft(np.ones(3, complex)), TypeError, "real"),
        (lambda: vm.fft.fftn(np.ones((3, 3)), s=(2,), axes=(0, 1)), ValueError, "different lengths"),
        (lambda: vm.fft.fftfreq(2.5), ValueError, "integer"),
        (lambda: vm.fft.fftfreq(0), ZeroDivisionError, "n nor d"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_einsum_path():
    shapes = [(8, 2), (2, 9), (9, 3)]
    arrays = [np.ones(shape) for shape in shapes]
    lazy = [vm.ones(shape) for shape in shapes]
    assert vm.einsum_path("ij,jk,kl->il", *lazy) == np.einsum_path("ij,jk,kl->il", *arrays)
    lists = [part for x, names in zip(lazy, ([0, 1], [1, 2], [2, 3])) for part in (x, names)]
    assert vm.einsum_path(*lists, [0, 3])[0] == np.einsum_path("ij,jk,kl->il", *arrays)[0]
    huge = vm.ones((10**6, 10**6))
    assert vm.einsum_path("ij,jk", huge, huge)[0] == ["einsum_path", (0, 1)]


def test_einsum_of_many_arrays():
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (4, 5), (5, 3), (3,), (4, 3)]
    arrays = [rng.integers(-5, 5, shape) for shape in shapes]
    path = ["einsum_path", (0, 1, 2), (0, 1, 2)]
    for optimize in [False, True, "optimal", path]:
        found = vm.einsum("ij,jk,kl,l,ml->im", *arrays, optimize=optimize)
        np.testing.assert_array_equal(found.compute(), np.einsum("ij,jk,kl,l,ml->im", *arrays))


def test_einsum_half_precision():
    """Sums of half precision are added up in single, as NumPy does."""
    x = np.ones(5000, "float16")
    assert vm.einsum("i->", x).compute() == 5000
    assert vm.einsum("i,i->", x, x).compute() == 5000
    assert vm.einsum("i->", x).dtype == np.float16


def test_products_larger_than_the_memory_limit():
    x = vm.ones((3_000_000, 4), dtype="float64")
    with vm.config.set(memory_limit="32 MiB"):
        found = vm.einsum("ij,ik->jk", x, x).compute(progress=False)
    np.testing.assert_array_equal(found, np.full((4, 4), 3e6))


def test_diagonal_reads_squares_only():
    seen = []

    def source(box):
        seen.append(box)
        return np.zeros([part.stop - part.start for part in box])

    x = vm.from_function(source, (4096, 4096), dtype=float, chunks=512)
    assert vm.einsum("ii->", x).compute() == 0
    assert all(rows == columns for rows, columns in seen)


def test_out():
    a = np.arange(6.0).reshape(2, 3)
    out = vm.zeros((2, 2))
    assert vm.einsum("ij,kj->ik", a, a, out=out) is out
    np.testing.assert_array_equal(out.compute(), a @ a.T)
    target = np.zeros((2, 3), complex)
    vm.fft.fft(a, out=target)
    np.testing.assert_allclose(target, np.fft.fft(a))


def test_fft_wrap():
    import scipy.fft

    a = np.random.default_rng(0).normal(size=(5, 6, 4))
    x = vm.from_array(a, chunks=(2, 3, 3))
    dct = vm.fft.fft_wrap(scipy.fft.dct)
    np.testing.assert_allclose(dct(x, axis=1).compute(), scipy.fft.dct(a, axis=1))
    np.testing.assert_allclose(dct(x, n=9).compute(), scipy.fft.dct(a, n=9))
    dctn = vm.fft.fft_wrap(scipy.fft.dctn)
    np.testing.assert_allclose(dctn(x, axis=(0, 2)).compute(), scipy.fft.dctn(a, axes=(0, 2)))
    np.testing.assert_allclose(vm.fft.fft_wrap(np.fft.rfft2)(x).compute(), np.fft.rfft2(a))
    half = vm.fft.fft_wrap(np.fft.fft, dtype="complex64")
    assert half(x).dtype == half(x).compute().dtype == np.complex64


def test_numpy_dispatch():
    """NumPy's own functions find these."""
    a = np.arange(9.0).reshape(3, 3) + np.eye(3)
    x = vm.from_array(a, chunks=2)
    for call in (np.linalg.inv, np.linalg.norm, np.linalg.qr, np.fft.fft, lambda y: np.einsum("ij->i", y), lambda y: np.kron(y, y)):
        found = call(x)
        first = found[0] if isinstance(found, tuple) else found
        assert isinstance(first, vm.Array)
        expected = call(a)
        np.testing.assert_allclose(first.compute(), expected[0] if isinstance(expected, tuple) else expected, rtol=1e-12)
