"""Products of arrays against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peer import VoxmillError

DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"]
DTYPES += ["complex64", "complex128"]
QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind in "ui":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    x = rng.uniform(-2, 2, shape)
    if kind == "c":
        x = x + 1j * rng.uniform(-2, 2, shape)
    return (x > 1) if kind == "b" else x.astype(dtype)


def check(ours, theirs, terms=1):
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if theirs.dtype.kind in "bui":
        np.testing.assert_array_equal(ours, theirs)
        return
    eps = np.finfo(theirs.dtype).eps
    scale = np.abs(theirs.astype("complex128")).max(initial=1e-300)
    assert np.abs(ours.astype("complex128") - theirs).max(initial=0) <= 4 * eps * scale * max(1, terms) ** 0.5


def attempt(peer, *args, **kwargs):
    try:
        return peer(*args, **kwargs)
    except VoxmillError as e:
        if e.kind == "not-found":
            pytest.skip(f"needs an op that this build lacks: {e}")
        raise


@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul_dtypes(peer, dtype):
    for a, b in [((7, 9), (9, 13)), ((9,), (9, 5)), ((6, 9), (9,)), ((9,), (9,)), ((4, 0), (0, 3)), ((2, 3, 9), (9, 17))]:
        if dtype == "float16" and 0 in a:
            continue  # a cast of an empty array, which the reference process cannot do yet
        x, y = values(a, dtype, 1), values(b, dtype, 2)
        check(peer("matmul", x, y), np.matmul(x, y), 9)


@pytest.mark.parametrize("pair", [("uint8", "int16"), ("int32", "float32"), ("bool", "uint8"), ("float32", "complex64")])
def test_matmul_promotes(peer, pair):
    x, y = values((4, 6), pair[0]), values((6, 5), pair[1])
    check(peer("matmul", x, y), np.matmul(x, y), 6)


stack = st.lists(st.integers(1, 3), max_size=2)


@QUICK
@given(stack, stack, st.integers(1, 20), st.integers(1, 20), st.integers(1, 20), st.sampled_from(["float32", "int32", "complex128"]))
def test_matmul_stacks(peer, left, right, m, k, n, dtype):
    try:
        np.broadcast_shapes(left, right)
    except ValueError:
        return
    x, y = values((*left, m, k), dtype), values((*right, k, n), dtype)
    check(peer("matmul", x, y), np.matmul(x, y), k)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("k", [4096, 4097, 20000, 100001])
def test_long_sums_in_blocks(peer, dtype, k):
    x, y = values((3, k), dtype), values((k, 2), dtype)
    check(peer("matmul", x, y), np.matmul(x, y), k)
    check(peer("dot", x[0], y[:, 0]), np.dot(x[0], y[:, 0]), k)


def test_wrong_shapes(peer):
    with pytest.raises(VoxmillError, match="do not fit"):
        peer("matmul", np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(VoxmillError, match="broadcast"):
        peer("matmul", np.ones((2, 3, 3)), np.ones((4, 3, 3)))
    with pytest.raises(VoxmillError, match="at least one axis"):
        peer("matmul", np.ones(()), np.ones((3, 3)))


@pytest.mark.parametrize("dtype", ["float64", "int16", "complex64", "float16", "bool"])
def test_tensordot(peer, dtype):
    cases = [
        ((3, 4, 5), (4, 5, 2), 2),
        ((3, 4), (4,), 1),
        ((3,), (2, 2), 0),
        ((3, 4, 5), (4, 3, 2), [[1, 0], [0, 1]]),
        ((3, 4), (5, 3), [0, -1]),
        ((2, 3, 4, 5), (5, 7, 3, 2), [[0, 1, 3], [3, 2, 0]]),
        ((2, 3), (2, 3), [[0, 1], [0, 1]]),
    ]
    for a, b, axes in cases:
        x, y = values(a, dtype, 1), values(b, dtype, 2)
        check(peer("tensordot", x, y, axes=axes), np.tensordot(x, y, axes), 20)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dot_and_inner(peer, dtype):
    x, y = values((2, 3, 4), dtype, 1), values((5, 4, 6), dtype, 2)
    check(peer("dot", x, y), np.dot(x, y), 4)
    check(peer("dot", x, y[0, :, 0]), np.dot(x, y[0, :, 0]), 4)
    check(peer("inner", x, values((7, 4), dtype, 3)), np.inner(x, values((7, 4), dtype, 3)), 4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_outer_and_vdot(peer, dtype):
    x, y = values((6,), dtype, 1), values((6,), dtype, 2)
    check(peer("outer", x, y), np.outer(x, y))
    check(attempt(peer, "vdot", x, y), np.vdot(x, y), 6)
    x = values((2, 3), dtype, 1)
    check(attempt(peer, "outer", x, y), np.outer(x, y))
    check(attempt(peer, "vdot", x, y), np.vdot(x, y), 6)


def test_single_numbers_are_multiplied(peer):
    x = values((3, 2), "float32")
    check(attempt(peer, "dot", x, np.float32(2)), np.dot(x, np.float32(2)))
    check(attempt(peer, "inner", np.float32(2), x), np.inner(np.float32(2), x))
