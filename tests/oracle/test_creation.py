"""Arrays from nothing, compared with NumPy: every value and dtype must be equal."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peer import VoxmillError
from scipy import stats

DTYPES = ["bool", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64", "complex128"]

many = settings(
    max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape, want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)


shapes = st.lists(st.integers(0, 5), max_size=4)


@many
@given(shapes, st.sampled_from([None, *DTYPES]), st.integers(0, 100))
def test_constants(peer, shape, dtype, value):
    given_dtype = {} if dtype is None else {"dtype": dtype}
    same(peer("zeros", shape=shape, **given_dtype), np.zeros(shape, dtype or float))
    same(peer("ones", shape=shape, **given_dtype), np.ones(shape, dtype or float))
    same(peer("empty", shape=shape, **given_dtype), np.zeros(shape, dtype or float))
    same(peer("full", shape=shape, fill_value=value, **given_dtype), np.full(shape, value, dtype))
    x = np.zeros(shape, "uint16")
    same(peer("zeros_like", x, **given_dtype), np.zeros_like(x, dtype))
    same(peer("ones_like", x, **given_dtype), np.ones_like(x, dtype))
    same(peer("empty_like", x, **given_dtype), np.zeros_like(x, dtype))
    same(peer("full_like", x, fill_value=value, **given_dtype), np.full_like(x, value, dtype))


def test_one_length_is_a_shape(peer):
    same(peer("zeros", shape=3), np.zeros(3))


# Few digits: what is compared is the arithmetic, not how numbers are read from text.
decimals = st.integers(-(10**9), 10**9).map(lambda n: n / 1000)
number = st.one_of(st.integers(-100, 100), st.integers(-(10**5), 10**5).map(lambda n: n / 1000))


@many
@given(number, st.one_of(st.none(), number), number, st.sampled_from([None, *DTYPES]))
def test_arange(peer, start, stop, step, dtype):
    if step == 0 or abs(((start if stop is None else stop - start) / step)) > 5000:
        return
    given_dtype = {} if dtype is None else {"dtype": dtype}
    numpys = (start,) if stop is None else (start, stop, step)
    params = {"start": start} if stop is None else {"start": start, "stop": stop, "step": step}
    try:
        want = np.arange(*numpys, dtype=dtype)
    except (OverflowError, ValueError, TypeError):
        with pytest.raises(VoxmillError):
            peer("arange", **params, **given_dtype)
        return
    same(peer("arange", **params, **given_dtype), want)


@pytest.mark.parametrize("params", [{"start": 5, "stop": 9, "step": 0}, {"start": 0, "stop": "inf"}, {"start": "nan"}])
def test_arange_refuses(peer, params):
    with pytest.raises(VoxmillError):
        peer("arange", **params)


@many
@given(
    st.one_of(st.integers(-100, 100), decimals),
    st.one_of(st.integers(-100, 100), decimals),
    st.integers(0, 300),
    st.booleans(),
    st.sampled_from([None, "int64", "int32", "float32", "float64", "float16", "bool"]),
)
def test_linspace(peer, start, stop, num, endpoint, dtype):
    given_dtype = {} if dtype is None else {"dtype": dtype}
    with np.errstate(over="ignore"):
        want = np.linspace(start, stop, num, endpoint, dtype=dtype)
    same(peer("linspace", start=start, stop=stop, num=num, endpoint=endpoint, **given_dtype), want)


@many
@given(st.integers(0, 9), st.one_of(st.none(), st.integers(0, 9)), st.integers(-12, 12), st.sampled_from(DTYPES))
def test_eye(peer, n, m, k, dtype):
    same(peer("eye", N=n, M=m, k=k, dtype=dtype), np.eye(n, m, k, dtype))


# Random arrays have their own numbers, so that only their distributions can be compared.


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_and_normal_distributions(peer, dtype):
    uniform = peer("random_uniform", shape=[200, 500], low=-2, high=5, dtype=dtype, seed=1)
    assert uniform.dtype == dtype
    assert stats.kstest(uniform.ravel(), stats.uniform(-2, 7).cdf).pvalue > 1e-4
    normal = peer("random_normal", shape=[200, 500], loc=3, scale=2, dtype=dtype, seed=1)
    assert normal.dtype == dtype
    assert stats.kstest(normal.ravel(), stats.norm(3, 2).cdf).pvalue > 1e-4
    assert stats.anderson_ksamp([normal.ravel()[:2000], np.random.default_rng(0).normal(3, 2, 2000)]).pvalue > 1e-3


@pytest.mark.parametrize("lam", [0.3, 4, 9.9, 10, 25, 400])
def test_poisson_distribution(peer, lam):
    counts = peer("random_poisson", shape=100_000, lam=lam, seed=7)
    assert counts.dtype == "int64"
    cut = int(stats.poisson(lam).ppf(0.9999))
    seen = np.bincount(np.minimum(counts, cut), minlength=cut + 1)
    want = stats.poisson(lam).pmf(np.arange(cut + 1)) * counts.size
    want[-1] = counts.size - want[:-1].sum()
    enough = want > 10
    seen, want = np.append(seen[enough], seen[~enough].sum()), np.append(want[enough], want[~enough].sum())
    keep = want > 1
    chi2 = ((seen[keep] - want[keep]) ** 2 / want[keep]).sum()
    assert stats.chi2(keep.sum() - 1).sf(chi2) > 1e-4


def test_integer_distribution(peer):
    values = peer("random_integers", shape=100_000, low=-5, high=6, dtype="int8", seed=3)
    assert values.dtype == "int8" and values.min() == -5 and values.max() == 5
    assert stats.chisquare(np.bincount(values.astype(int) + 5)).pvalue > 1e-4


def test_seeds(peer):
    a, b = (peer("random_uniform", shape=100, seed=s) for s in (1, 2))
    assert (a != b).all()
    same(a, peer("random_uniform", shape=[100], seed=1))
