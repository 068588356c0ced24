"""Products of arrays and linear algebra."""

from __future__ import annotations

import numpy as np
from differential import ALL, COMPLEX, FLOATS, REAL, Case, arrays
from hypothesis import strategies as st

ELSEWHERE: dict[str, str] = {"einsum_path": "test_linalg.py"}

SAFE = 1e-6
COMPLEX_PRODUCT = 1e-15
"""A complex product is a sum of two products: NumPy rounds it once or twice, as the machine's instructions have it."""

LAPACK = (*FLOATS, *COMPLEX, "int32", "bool")
PLAIN = ("float32", "float64", "complex128", "int64", "uint8", "bool")


def lengths(draw, n, least=0, longest=5):
    return [draw(st.integers(least, longest)) for _ in range(n)]


# Products


def draw_dot(draw):
    ranks = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    k, n = lengths(draw, 2)
    a = (*lengths(draw, ranks[0] - 1), k)[: ranks[0]] if ranks[0] else ()
    b = (*lengths(draw, max(ranks[1] - 2, 0)), k, n) if ranks[1] > 1 else (k,) * ranks[1]
    return (draw(arrays(ALL, shape=a)), draw(arrays(ALL, shape=b))), {}


def draw_inner(draw):
    k = draw(st.integers(0, 5))
    shapes = [(*lengths(draw, draw(st.integers(0, 2))), k) if draw(st.integers(0, 5)) else () for _ in range(2)]
    return tuple(draw(arrays(ALL, shape=shape)) for shape in shapes), {}


def draw_vdot(draw):
    a = draw(arrays(ALL))
    shape = a.shape if draw(st.booleans()) else (a.size,)
    return (a, draw(arrays(ALL, shape=shape))), {}


def draw_outer(draw):
    return (draw(arrays(ALL, ranks=(0, 1, 2), longest=4)), draw(arrays(ALL, ranks=(0, 1, 2), longest=4))), {}


def draw_stacks(a_core, b_core):
    """Draw two stacks whose last axes have lengths by letters, and whose first ones broadcast."""

    def draw_two(draw):
        sizes = {letter: draw(st.integers(0, 5)) for letter in sorted(set(a_core + b_core))}
        stack = lengths(draw, draw(st.integers(0, 2)), longest=3)
        shapes = []
        for core in (a_core, b_core):
            own = [n if draw(st.integers(0, 3)) else 1 for n in stack[draw(st.integers(0, len(stack))) :]]
            shapes.append((*own, *(sizes[letter] for letter in core)))
        if draw(st.integers(0, 19)) == 0:
            shapes[1] = (*shapes[1][:-1], shapes[1][-1] + 2)
        return tuple(draw(arrays(ALL, shape=shape)) for shape in shapes), {}

    return draw_two


def draw_matmul(draw):
    kind = draw(st.sampled_from([("ij", "jk"), ("j", "jk"), ("ij", "j"), ("j", "j")]))
    if "j" in kind:
        sizes = {letter: draw(st.integers(0, 5)) for letter in "ijk"}
        return tuple(draw(arrays(ALL, shape=tuple(sizes[c] for c in core))) for core in kind), {}
    return draw_stacks(*kind)(draw)


def draw_vecdot(draw):
    a, b = draw_stacks("i", "i")(draw)[0]
    if a.ndim == b.ndim == 2 and a.shape == b.shape and draw(st.booleans()):
        return (a, b), {"axis": draw(st.integers(-2, 1))}
    return (a, b), {}


def draw_tensordot(draw):
    n = draw(st.integers(0, 2))
    shared = lengths(draw, n, 0, 4)
    a, b = lengths(draw, draw(st.integers(0, 2)), 0, 4), lengths(draw, draw(st.integers(0, 2)), 0, 4)
    if draw(st.booleans()):
        return (draw(arrays(ALL, shape=(*a, *shared))), draw(arrays(ALL, shape=(*shared, *b)))), {"axes": n}
    first = draw(st.permutations([*enumerate(a), *((-1 - k, s) for k, s in enumerate(shared))]))
    second = draw(st.permutations([*enumerate(b), *((-1 - k, s) for k, s in enumerate(shared))]))
    axes = tuple([[k for k, (label, _) in enumerate(side) if label == -1 - j][0] for j in range(n)] for side in (first, second))
    pair = tuple(draw(arrays(ALL, shape=tuple(s for _, s in side))) for side in (first, second))
    return pair, {"axes": (axes[0][0], axes[1][0]) if n == 1 and draw(st.booleans()) else axes}


def draw_kron(draw):
    return (draw(arrays(ALL, ranks=(0, 1, 2), longest=4)), draw(arrays(ALL, ranks=(0, 1, 2), longest=4))), {}


def draw_einsum(draw):
    """Draw letters for up to three arrays, with repeated letters, ellipses, axes of length 1, and mistakes now and then."""
    sizes = {letter: draw(st.integers(0, 4)) for letter in "abcdE"}
    dots = lengths(draw, draw(st.integers(0, 2)), 1, 3)
    terms, operands = [], []
    for _ in range(draw(st.integers(1, 3))):
        letters = draw(st.lists(st.sampled_from("abcdE"), max_size=3))
        once = {letter: 1 if draw(st.integers(0, 9)) == 0 else sizes[letter] for letter in letters}
        shape = [once[letter] for letter in letters]
        place = draw(st.one_of(st.none(), st.integers(0, len(letters))))
        if place is not None:
            shape[place:place] = dots[draw(st.integers(0, len(dots))) :]
            letters[place:place] = ["..."]
        terms.append("".join(letters))
        operands.append(draw(arrays(PLAIN, shape=tuple(shape), low=-9, high=9)))
    text = ",".join(terms)
    if draw(st.booleans()):
        letters = sorted(set(text) - set(".,"))
        chosen = draw(st.permutations(letters))[: draw(st.integers(0, len(letters)))]
        text += "->" + ("..." if draw(st.integers(0, 5)) else "") + "".join(chosen)
    kwargs = {"optimize": draw(st.sampled_from([False, True, "greedy", "optimal"]))}
    # For a single array, NumPy gives a view of it where it can, and forgets the dtype.
    if len(operands) > 1 and draw(st.integers(0, 5)) == 0:
        kwargs["dtype"] = draw(st.sampled_from(["float64", "complex128", "int32"]))
    return (text, *operands), kwargs


def draw_einsum_lists(draw):
    i, j, k = lengths(draw, 3, 0, 4)
    a, b = draw(arrays(PLAIN, shape=(i, j))), draw(arrays(PLAIN, shape=(j, k)))
    choice = draw(st.integers(0, 3))
    if choice == 0:
        return (a, [0, 1], b, [1, 2], [2, 0]), {}
    if choice == 1:
        return (a, [0, 1], b, [1, 2]), {}
    if choice == 2:
        return (a, [3, Ellipsis], [Ellipsis, 3]), {}
    return (a, [0, 1], b, [1, Ellipsis], [0, Ellipsis]), {}


def numpy_einsum(*operands, **kwargs):
    """NumPy's einsum, all at once: its own paths lose the dtype of wrapped integers on the way."""
    kwargs.pop("optimize", None)
    return np.einsum(*operands, **kwargs)


# Matrices


def draw_matrix(dtypes=LAPACK, square=False, least=1, stack=2, **extra):
    """Draw a matrix, or a stack, and keyword arguments by strategies."""

    def draw_one(draw):
        m, n = lengths(draw, 2, least, 6)
        shape = (*lengths(draw, draw(st.integers(0, stack)), 0, 3), m, m if square and draw(st.integers(0, 15)) else n)
        kwargs = {name: draw(strategy) for name, strategy in extra.items()}
        return (draw(arrays(dtypes, shape=shape, low=-5, high=5)),), kwargs

    return draw_one


def draw_definite(draw):
    (a,), _ = draw_matrix((*FLOATS, *COMPLEX), square=True)(draw)
    if a.shape[-1] == a.shape[-2] and draw(st.integers(0, 9)):
        a = a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(a.shape[-1], dtype=a.dtype)
    return (a,), {"upper": draw(st.booleans())}


def draw_hermitian(extra=True, values=False):
    def draw_one(draw):
        (a,), _ = draw_matrix(square=True)(draw)
        if values and a.shape[-1] == a.shape[-2]:
            a = a + np.conj(np.swapaxes(a, -1, -2))
        return (a,), {"UPLO": draw(st.sampled_from("LUlu"))} if extra else {"hermitian": True}

    return draw_one


def draw_equations(draw):
    n, k = lengths(draw, 2, 1, 5)
    stack = lengths(draw, draw(st.integers(0, 2)), 0, 3)
    a = draw(arrays(LAPACK, shape=(*stack, n, n if draw(st.integers(0, 15)) else n + 1), low=-5, high=5))
    shape = draw(st.sampled_from([(n,), (n, k), (*stack, n, k), (n + 1, k), ()]))
    return (a, draw(arrays(LAPACK, shape=shape, low=-5, high=5))), {}


def draw_triangular(draw):
    n, k = lengths(draw, 2, 1, 5)
    a = draw(arrays((*FLOATS, *COMPLEX), shape=(n, n), low=1, high=3))
    b = draw(arrays((*FLOATS, *COMPLEX), shape=draw(st.sampled_from([(n,), (n, k)])), low=-5, high=5))
    return (a, b), {"lower": draw(st.booleans())}


def solve_triangular(a, b, lower):
    import scipy.linalg

    return scipy.linalg.solve_triangular(a, b, lower=lower)


def draw_lstsq(draw):
    m, n, k = lengths(draw, 3, 1, 6)
    a = draw(arrays((*FLOATS, *COMPLEX, "int32"), shape=(m, n), low=-5, high=5))
    if n > 1 and draw(st.integers(0, 4)) == 0:
        a[:, 0] = a[:, 1]
    b = draw(arrays((*FLOATS, *COMPLEX, "int32"), shape=draw(st.sampled_from([(m,), (m, k), (m + 1,)])), low=-5, high=5))
    return (a, b), {"rcond": draw(st.sampled_from([None, 1e-3]))}


def draw_norm(draw):
    a = draw(arrays((*REAL, *COMPLEX, "bool"), low=1, high=9))
    axis = draw(st.one_of(st.none(), st.integers(-3, 2), st.tuples(st.integers(-3, 2), st.integers(-3, 2))))
    order = draw(st.sampled_from([None, "fro", "nuc", "f", "odd", 0, 1, 2, 3, 0.5, 2.5, -1, -2, -3, np.inf, -np.inf]))
    return (a,), {"ord": order, "axis": axis, "keepdims": draw(st.booleans())}


def draw_vector_norm(draw):
    a = draw(arrays((*REAL, *COMPLEX), low=1, high=9))
    axis = draw(st.one_of(st.none(), st.integers(-2, 1), st.just((0, 1))))
    return (a,), {"ord": draw(st.sampled_from([0, 1, 2, 3, 0.5, -1, np.inf, -np.inf])), "axis": axis, "keepdims": draw(st.booleans())}


def draw_matrix_norm(draw):
    (a,), _ = draw_matrix()(draw)
    order = draw(st.sampled_from(["fro", "nuc", 1, 2, -1, -2, np.inf, -np.inf, 3]))
    return (a,), {"ord": order, "keepdims": draw(st.booleans())}


def draw_rank(draw):
    (a,), _ = draw_matrix()(draw)
    if a.shape[-1] > 1 and draw(st.booleans()):
        a[..., 0] = a[..., 1]
    way = draw(st.integers(0, 3))
    kwargs = [{}, {"tol": 1e-3}, {"rtol": 1e-3}, {"tol": np.full(a.shape[:-2], 0.5)}][way]
    return (a,), kwargs


def draw_pinv(draw):
    (a,), _ = draw_matrix((*FLOATS, *COMPLEX))(draw)
    way = draw(st.integers(0, 4))
    kwargs = [{}, {"rcond": 1e-3}, {"rtol": 1e-3}, {"rtol": None}, {"rcond": np.full(a.shape[:-2], 1e-3)}][way]
    return (a,), kwargs


def draw_multi_dot(draw):
    sizes = lengths(draw, draw(st.integers(2, 5)), 0, 4)
    factors = [draw(arrays(("float64", "int64", "complex128"), shape=pair, low=-3, high=3)) for pair in zip(sizes, sizes[1:])]
    if draw(st.booleans()):
        factors[0] = draw(arrays("float64", shape=(sizes[1],)))
    if draw(st.booleans()) and len(factors) > 1:
        factors[-1] = draw(arrays("float64", shape=(sizes[-2],)))
    return (factors,), {}


def draw_power(draw):
    (a,), _ = draw_matrix(("float64", "complex64", "int64"), square=True, stack=1)(draw)
    return (a,), {"n": draw(st.integers(-3, 6))}


def draw_cross(draw):
    stack = lengths(draw, draw(st.integers(0, 2)), 0, 3)
    n = 3 if draw(st.integers(0, 9)) else 2
    pair = [draw(arrays(("float64", "int32", "complex64"), shape=(*stack, n))) for _ in range(2)]
    # Whole numbers: where products cancel, the rounding of complex ones would be all that is left.
    return tuple(np.trunc(x.real) + 1j * np.trunc(x.imag) if x.dtype.kind == "c" else x for x in pair), {}


def draw_tensors(draw):
    m, n = lengths(draw, 2, 1, 3)
    a = draw(arrays("float64", shape=(m, n, m * n), low=-5, high=5))
    return (a.transpose(2, 0, 1) if draw(st.booleans()) else a.reshape(m * n, m, n), draw(arrays("float64", shape=(m * n,)))), {}


def draw_tensorinv(draw):
    m, n = lengths(draw, 2, 1, 3)
    return (draw(arrays("float64", shape=(m, n, m * n), low=-5, high=5)),), {"ind": 2}


def complex_of(function):
    """NumPy's eigenvalues as complex numbers: its dtype depends on whether any has an imaginary part."""

    def call(a):
        made = function(a)
        kind = np.result_type(np.asarray(a).dtype if np.asarray(a).dtype.kind in "fc" else float, np.complex64)
        return made.astype(kind) if isinstance(made, np.ndarray) else tuple(part.astype(kind) for part in made)

    return call


def scipy_lu(a):
    import scipy.linalg

    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("not square")
    p, lower, upper = scipy.linalg.lu(a)
    return p.real, lower, upper


def vectors(draw):
    return tuple(draw(arrays(ALL, ranks=(1, 1, 1, 2))) for _ in range(2)), {}


CASES = [
    Case("dot", draw_dot, rtol=SAFE),
    Case("inner", draw_inner, rtol=SAFE),
    Case("vdot", draw_vdot, rtol=SAFE),
    Case("outer", draw_outer, rtol=COMPLEX_PRODUCT),
    Case("matmul", draw_matmul, rtol=SAFE),
    Case("tensordot", draw_tensordot, rtol=SAFE),
    Case("vecdot", draw_vecdot, rtol=SAFE),
    Case("matvec", draw_stacks("ij", "j"), rtol=SAFE),
    Case("vecmat", draw_stacks("i", "ij"), rtol=SAFE),
    Case("kron", draw_kron, rtol=COMPLEX_PRODUCT),
    Case("einsum", draw_einsum, numpy_einsum, rtol=SAFE),
    Case("einsum", draw_einsum_lists, rtol=SAFE),
    Case("linalg.matmul", draw_matmul, rtol=SAFE),
    Case("linalg.vecdot", draw_vecdot, rtol=SAFE),
    Case("linalg.tensordot", draw_tensordot, rtol=SAFE),
    Case("linalg.outer", vectors, rtol=COMPLEX_PRODUCT),
    Case("linalg.cross", draw_cross),
    Case("linalg.multi_dot", draw_multi_dot, rtol=SAFE),
    Case("linalg.matrix_power", draw_power, rtol=SAFE),
    Case("linalg.matrix_transpose", draw_matrix(ALL, least=0)),
    Case("linalg.diagonal", draw_matrix(ALL, least=0, offset=st.integers(-7, 7))),
    Case("linalg.trace", draw_matrix(ALL, least=0, offset=st.integers(-7, 7), dtype=st.sampled_from([None, "float64"])), rtol=SAFE),
    Case("linalg.norm", draw_norm, rtol=SAFE),
    Case("linalg.vector_norm", draw_vector_norm, rtol=SAFE),
    Case("linalg.matrix_norm", draw_matrix_norm, rtol=SAFE),
    Case("linalg.cond", draw_matrix(square=True, p=st.sampled_from([None, 1, 2, -2, np.inf, "fro"])), rtol=SAFE),
    Case("linalg.qr", draw_matrix(least=0, mode=st.sampled_from(["reduced", "complete", "r", "raw", "odd"])), rtol=SAFE),
    Case("linalg.svd", draw_matrix(least=0, full_matrices=st.booleans(), compute_uv=st.booleans()), rtol=SAFE),
    Case("linalg.svd", draw_hermitian(extra=False, values=True), rtol=SAFE),
    Case("linalg.svdvals", draw_matrix(), rtol=SAFE),
    Case("linalg.solve", draw_equations, rtol=SAFE),
    Case("linalg.solve_triangular", draw_triangular, solve_triangular, rtol=SAFE),
    Case("linalg.lstsq", draw_lstsq, rtol=SAFE),
    Case("linalg.inv", draw_matrix(square=True, least=0), rtol=SAFE),
    Case("linalg.pinv", draw_pinv, rtol=SAFE),
    Case("linalg.cholesky", draw_definite, rtol=SAFE),
    Case("linalg.det", draw_matrix(square=True, least=0), rtol=SAFE),
    Case("linalg.slogdet", draw_matrix(square=True, least=0), rtol=SAFE),
    Case("linalg.matrix_rank", draw_rank),
    Case("linalg.eigh", draw_hermitian(), rtol=SAFE),
    Case("linalg.eigvalsh", draw_hermitian(), rtol=SAFE),
    Case("linalg.eig", draw_matrix(square=True), complex_of(np.linalg.eig), rtol=SAFE),
    Case("linalg.eigvals", draw_matrix(square=True), complex_of(np.linalg.eigvals), rtol=SAFE),
    Case("linalg.lu", draw_matrix((*FLOATS, *COMPLEX), square=True, stack=0), scipy_lu, rtol=SAFE),
    Case("linalg.tensorsolve", draw_tensors, rtol=SAFE),
    Case("linalg.tensorinv", draw_tensorinv, rtol=SAFE),
]
