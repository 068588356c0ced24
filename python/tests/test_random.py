"""Random arrays: distributions against scipy's, independence of chunks, seeds and streams, parameters and mistakes."""

from __future__ import annotations

import copy
import inspect
import math
import pickle

import numpy as np
import pytest
import voxmill as vm
from scipy import stats

SIDE = 150
"""Distributions are seen in arrays of this many rows and columns."""

CONTINUOUS = [
    ("random", (), stats.uniform()),
    ("uniform", (-2, 3), stats.uniform(-2, 5)),
    ("standard_normal", (), stats.norm()),
    ("normal", (2, 3), stats.norm(2, 3)),
    ("lognormal", (0.5, 0.7), stats.lognorm(0.7, scale=math.exp(0.5))),
    ("standard_exponential", (), stats.expon()),
    ("exponential", (3,), stats.expon(scale=3)),
    ("rayleigh", (2,), stats.rayleigh(scale=2)),
    ("weibull", (1.7,), stats.weibull_min(1.7)),
    ("pareto", (3,), stats.lomax(3)),
    ("power", (2.5,), stats.powerlaw(2.5)),
    ("laplace", (1, 2), stats.laplace(1, 2)),
    ("logistic", (1, 2), stats.logistic(1, 2)),
    ("gumbel", (1, 2), stats.gumbel_r(1, 2)),
    ("standard_cauchy", (), stats.cauchy()),
    ("triangular", (-1, 0.5, 3), stats.triang(1.5 / 4, -1, 4)),
    ("triangular", (0, 0, 1), stats.triang(0, 0, 1)),
    ("triangular", (0, 1, 1), stats.triang(1, 0, 1)),
    ("beta", (2, 3), stats.beta(2, 3)),
    ("chisquare", (5,), stats.chi2(5)),
    ("f", (5, 7), stats.f(5, 7)),
    ("gamma", (2, 3), stats.gamma(2, scale=3)),
    ("standard_gamma", (2.5,), stats.gamma(2.5)),
    ("standard_t", (5,), stats.t(5)),
    ("vonmises", (0.5, 2), stats.vonmises(2, loc=0.5)),
    ("wald", (2, 3), stats.invgauss(2 / 3, scale=3)),
    ("noncentral_chisquare", (3, 2), stats.ncx2(3, 2)),
    ("noncentral_f", (5, 7, 2), stats.ncf(5, 7, 2)),
]

DISCRETE = [
    ("integers", (3, 17), stats.randint(3, 17)),
    ("integers", (5,), stats.randint(0, 5)),
    ("poisson", (4.5,), stats.poisson(4.5)),
    ("poisson", (40,), stats.poisson(40)),
    ("binomial", (10, 0.3), stats.binom(10, 0.3)),
    ("geometric", (0.2,), stats.geom(0.2)),
    ("geometric", (0.7,), stats.geom(0.7)),
    ("hypergeometric", (20, 30, 15), stats.hypergeom(50, 20, 15)),
    ("logseries", (0.6,), stats.logser(0.6)),
    ("negative_binomial", (5, 0.4), stats.nbinom(5, 0.4)),
    ("zipf", (3,), stats.zipf(3)),
]

VECTORS = [
    ("dirichlet", ([1, 2, 3],)),
    ("multinomial", (20, [0.2, 0.3, 0.5])),
    ("multivariate_normal", ([1, 2], [[2, 0.5], [0.5, 1]])),
    ("multivariate_hypergeometric", ([5, 6, 7], 9)),
    ("choice", (7,)),
    ("choice", ([3, 1, 4, 1.5],)),
]

CALLS = [(name, args) for name, args, _ in CONTINUOUS + DISCRETE] + VECTORS


def ids(rows):
    return [f"{row[0]}{row[1]}" for row in rows]


def draw(name, args, size, seed=11, **kwargs):
    return getattr(vm.random.default_rng(seed), name)(*args, size=size, **kwargs)


# Distributions


@pytest.mark.parametrize(("name", "args", "distribution"), CONTINUOUS, ids=ids(CONTINUOUS))
def test_continuous(name, args, distribution):
    values = draw(name, args, (SIDE, SIDE)).compute()
    assert values.dtype == np.float64
    if name == "vonmises":
        # scipy's distribution is centred at its location, these angles lie in [-pi, pi].
        values = np.where(values < 0.5 - np.pi, values + 2 * np.pi, values)[:20]
    assert stats.kstest(values.ravel(), distribution.cdf).pvalue > 1e-3
    if np.isfinite(distribution.var()):
        assert abs(values.mean() - distribution.mean()) < 5 * distribution.std() / math.sqrt(values.size)


@pytest.mark.parametrize(("name", "args", "distribution"), DISCRETE, ids=ids(DISCRETE))
def test_discrete(name, args, distribution):
    values = draw(name, args, (SIDE, SIDE)).compute()
    assert values.dtype == np.int64
    assert (distribution.pmf(np.unique(values)) > 0).all()
    numbers = np.arange(values.min(), values.max() + 1)
    expected = distribution.pmf(numbers) * values.size
    counts = np.bincount((values - values.min()).ravel(), minlength=len(numbers))
    often = expected > 10
    chi2 = ((counts - expected)[often] ** 2 / expected[often]).sum()
    assert stats.chi2(often.sum()).sf(chi2) > 1e-3
    if np.isfinite(distribution.var()):
        assert abs(values.mean() - distribution.mean()) < 5 * distribution.std() / SIDE


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_single_precision(name):
    args, distribution = {
        "random": ((), stats.uniform()),
        "standard_normal": ((), stats.norm()),
        "standard_exponential": ((), stats.expon()),
        "standard_gamma": ((2.0,), stats.gamma(2)),
    }[name]
    values = draw(name, args, (SIDE, SIDE), dtype="float32").compute()
    assert values.dtype == np.float32
    assert stats.kstest(values.ravel(), distribution.cdf).pvalue > 1e-3
    with pytest.raises(TypeError, match="dtype"):
        draw(name, args, 3, dtype="int32")


def test_neighbours_are_independent():
    """Also across the bricks that NumPy draws from streams of their own, and from one call to the next."""
    rng = vm.random.default_rng(5)
    for name, args in [("random", ()), ("normal", ()), ("beta", (2, 2)), ("gamma", (3,))]:
        first, second = (getattr(rng, name)(*args, size=(600, 600)).compute() for _ in range(2))
        flat = first.ravel()
        for lag in (1, 2, 255, 256, 257, 600, 65536):
            assert abs(np.corrcoef(flat[:-lag], flat[lag:])[0, 1]) < 5 / math.sqrt(flat.size - lag)
        assert abs(np.corrcoef(flat, second.ravel())[0, 1]) < 5 / math.sqrt(flat.size)
        assert len(np.unique(flat)) > 0.999 * flat.size


def test_extreme_parameters():
    rng = vm.random.default_rng(0)
    assert rng.geometric(1.0, 100).compute().tolist() == [1] * 100
    assert (rng.geometric(1e-300, 100).compute() > 1 << 62).all()
    assert (rng.exponential(0, 10).compute() == 0).all()
    assert (rng.weibull(0, 10).compute() == 0).all()
    assert (rng.normal(3, 0, 10).compute() == 3).all()
    assert np.isfinite(rng.standard_cauchy(100_000).compute()).all()
    assert np.isfinite(rng.logistic(size=100_000).compute()).all()
    assert np.isfinite(rng.gumbel(size=100_000).compute()).all()
    assert np.isfinite(rng.laplace(size=100_000).compute()).all()


# Chunks, seeds and streams


@pytest.mark.parametrize(("name", "args"), CALLS, ids=ids(CALLS))
def test_chunks_do_not_matter(name, args):
    size = (290, 310)
    whole = draw(name, args, size).compute()
    x = draw(name, args, size, chunks=(100, 77, 1)[: 2 + (whole.ndim > 2)])
    assert x.chunks[:2] == ((100, 100, 90), (77, 77, 77, 77, 2))
    with vm.config.set(random_tiles=7):
        np.testing.assert_array_equal(x.compute(), whole)
    np.testing.assert_array_equal(x[13:290:50, 250:260].compute(), whole[13:290:50, 250:260])


@pytest.mark.parametrize(("name", "args"), CALLS, ids=ids(CALLS))
def test_seeds(name, args):
    rng = vm.random.default_rng(3)
    first, second = (getattr(rng, name)(*args, size=50).compute() for _ in range(2))
    assert (first != second).any()
    again = vm.random.default_rng(3)
    np.testing.assert_array_equal(getattr(again, name)(*args, size=50).compute(), first)
    np.testing.assert_array_equal(getattr(again, name)(*args, size=50).compute(), second)
    assert (draw(name, args, 50, seed=4).compute() != first).any()


def test_lazy_arrays_stay_what_they_are():
    rng = vm.random.default_rng(3)
    x = rng.random(5)
    first = x.compute()
    rng.random(5).compute()
    np.testing.assert_array_equal(x.compute(), first)


def test_numbers_are_kept_between_versions():
    """A seed that somebody wrote down gives the same numbers later."""
    rng = vm.random.default_rng(1)
    np.testing.assert_allclose(rng.random(2).compute(), PINNED["random"], rtol=1e-15)
    np.testing.assert_allclose(rng.normal(size=2).compute(), PINNED["normal"], rtol=1e-12)
    assert rng.integers(0, 1000, 3).compute().tolist() == PINNED["integers"]
    np.testing.assert_allclose(rng.exponential(size=2).compute(), PINNED["exponential"], rtol=1e-12)


PINNED = {
    "random": [0.04750591271703675, 0.4289542927107205],
    "normal": [-0.6734939174104349, 0.5926669131877278],
    "integers": [792, 28, 166],
    "exponential": [1.1303896983080697, 0.6416910494522776],
}


@pytest.mark.parametrize(
    "seed", [0, 2**100, [1, 2, 3], np.array([4, 5]), np.int64(7), np.random.SeedSequence(8), np.random.Philox(9), np.random.default_rng(1)]
)
def test_kinds_of_seeds(seed):
    assert 0 <= float(vm.random.default_rng(copy.deepcopy(seed)).random()) < 1


def test_seed_sequences_and_none():
    one, two = (vm.random.default_rng(np.random.SeedSequence(8)).random(3).compute() for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert (vm.random.default_rng().random(3).compute() != vm.random.default_rng().random(3).compute()).all()
    rng = vm.random.default_rng(1)
    assert vm.random.default_rng(rng) is rng
    for seed in (-1, "text", 1.5):
        with pytest.raises((ValueError, TypeError)):
            vm.random.default_rng(seed)


def test_spawn():
    rng = vm.random.default_rng(3)
    one, two = rng.spawn(2)
    numbers = [g.random(100).compute() for g in (rng, one, two, *vm.random.default_rng(3).spawn(1))]
    np.testing.assert_array_equal(numbers[1], numbers[3])
    assert len(np.unique(np.concatenate(numbers[:3]))) == 300


def test_pickle():
    rng = vm.random.default_rng(3)
    rng.random(2)
    other = pickle.loads(pickle.dumps(rng))
    np.testing.assert_array_equal(other.random(4).compute(), rng.random(4).compute())
    x = rng.gamma(2, size=(3, 3))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).compute(), x.compute())
    assert "calls=" in repr(rng)


def test_many_threads_get_different_arrays():
    from concurrent.futures import ThreadPoolExecutor

    rng = vm.random.default_rng(3)
    with ThreadPoolExecutor(8) as pool:
        arrays = list(pool.map(lambda _: rng.random(), range(200)))
    assert len({float(x) for x in arrays}) == 200


# Shapes and parameters


@pytest.mark.parametrize(("name", "args"), [call for call in CALLS if call[0] != "choice"], ids=ids([c for c in CALLS if c[0] != "choice"]))
def test_sizes(name, args):
    tail = getattr(np.random.default_rng(0), name)(*args).shape if (name, args) in VECTORS else ()
    for size, shape in [
        (None, ()),
        (4, (4,)),
        ((), ()),
        ((2, 0), (2, 0)),
        ([2, 3], (2, 3)),
        (np.int64(2), (2,)),
        ((1, 1, 1, 2), (1, 1, 1, 2)),
    ]:
        x = draw(name, args, size)
        assert x.shape == x.compute().shape == shape + tail
    with pytest.raises(ValueError):
        draw(name, args, (-1, 2))


@pytest.mark.parametrize(("name", "args", "distribution"), CONTINUOUS + DISCRETE, ids=ids(CONTINUOUS + DISCRETE))
def test_array_parameters(name, args, distribution):
    """Parameters may be arrays, lazy or not, that broadcast."""
    if not args:
        return
    rows = np.array([args[0], args[0]])[:, None]
    rest = args[1:]
    for first in (rows, vm.from_array(rows, chunks=1)):
        assert draw(name, (first, *rest), None).shape == (2, 1)
        x = draw(name, (first, *rest), (2, 20000), chunks=(1, 999))
        values = x.compute()
        if name != "vonmises":
            for row in values:
                assert abs(np.median(row) - distribution.median()) <= max(0.1 * distribution.std(), 1) if x.dtype == int else True
                if x.dtype == float:
                    assert stats.kstest(row, distribution.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(draw(name, (rows, *rest), (2, 300), chunks=7).compute(), draw(name, (rows, *rest), (2, 300)).compute())
    with pytest.raises(ValueError, match="broadcast"):
        draw(name, (rows, *rest), (3, 4))


def test_images_as_parameters():
    """Photon noise: the expected count of each pixel is an image."""
    image = vm.from_array(np.linspace(0, 50, 10_000).reshape(100, 100), chunks=33)
    values = vm.random.default_rng(1).poisson(image).compute()
    assert values[0, 0] == 0
    assert stats.pearsonr(values.ravel(), np.asarray(image).ravel()).statistic > 0.9
    assert abs((values - np.asarray(image)).mean()) < 0.3


WRONG = [
    ("normal", (0, -1)), ("lognormal", (0, -1)), ("exponential", (-1,)), ("rayleigh", (-1,)), ("weibull", (-1,)), ("pareto", (0,)),
    ("power", (0,)), ("laplace", (0, -1)), ("logistic", (0, -1)), ("gumbel", (0, -1)), ("triangular", (2, 1, 3)), ("triangular", (1, 1, 1)),
    ("geometric", (0,)), ("geometric", (1.5,)), ("poisson", (-1,)), ("poisson", (np.nan,)), ("beta", (0, 1)), ("binomial", (-1, 0.5)),
    ("binomial", (5, 1.5)), ("chisquare", (0,)), ("f", (1, 0)), ("gamma", (-1,)), ("gamma", (1, -1)), ("hypergeometric", (-1, 2, 1)),
    ("hypergeometric", (1, 1, 3)), ("logseries", (1.5,)), ("negative_binomial", (0, 0.5)), ("noncentral_chisquare", (0, 1)),
    ("noncentral_f", (1, 1, -1)), ("standard_gamma", (-1,)), ("standard_t", (0,)), ("vonmises", (0, -1)), ("wald", (0, 1)), ("zipf", (1,)),
    ("dirichlet", ([-1, 2],)), ("multinomial", (5, [1.2, 0.1])), ("multinomial", (-5, [0.5, 0.5])), ("integers", (5, 5)),
    ("integers", (0,)), ("integers", ([1, 5], [3, 2])), ("integers", (0, 2**63 + 1)), ("uniform", (0, np.inf)),
    ("exponential", ("a",)), ("normal", (None,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), WRONG, ids=ids(WRONG))
def test_wrong_parameters(name, args):
    """What NumPy refuses is refused at the call, with the same kind of exception."""
    with pytest.raises((ValueError, TypeError, OverflowError)) as expected:
        getattr(np.random.default_rng(0), name)(*args, size=3 if np.ndim(args[0]) == 0 else None)
    with pytest.raises(expected.type):
        getattr(vm.random.default_rng(0), name)(*args, size=3 if np.ndim(args[0]) == 0 else None)


def test_wrong_lazy_parameters():
    """Lazy parameters are seen when they are computed."""
    x = vm.random.default_rng(0).gamma(vm.asarray([1.0, -1.0]))
    with pytest.raises(ValueError, match="shape < 0"):
        x.compute()


# Integers


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integer_types(dtype):
    rng = vm.random.default_rng(0)
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = rng.integers(low, high, 50_000, dtype=dtype, endpoint=True).compute()
    assert values.dtype == dtype
    middle = (int(low) + int(high)) / 2
    assert abs(values.astype(float).mean() - middle) < (high - low) * 0.01
    if np.dtype(dtype).itemsize == 1:
        assert len(np.unique(values)) == high - low + 1
    with pytest.raises(ValueError):
        rng.integers(low, high + 1, 3, dtype=dtype, endpoint=True)
    with pytest.raises(TypeError):
        rng.integers(0, 5, 3, dtype=float)


def test_integer_bounds():
    rng = vm.random.default_rng(0)
    assert set(rng.integers(3, size=1000).compute()) == {0, 1, 2}
    assert set(rng.integers(2, 4, 1000, endpoint=True).compute()) == {2, 3, 4}
    assert set(rng.integers(-1, 1, 1000).compute()) == {-1, 0}
    values = rng.integers([0, 10, 100], [5, 20, 101], size=(1000, 3)).compute()
    assert values.min(axis=0).tolist() == [0, 10, 100] and values.max(axis=0).tolist() == [4, 19, 100]


# Choosing and reordering


def test_choice():
    rng = vm.random.default_rng(0)
    values = rng.choice([10, 20, 30], size=(100, 100), p=[0.5, 0.5, 0]).compute()
    assert values.dtype == np.int64 and set(values.ravel()) == {10, 20}
    assert abs((values == 10).mean() - 0.5) < 0.03
    lazy = vm.arange(50, chunks=7) * 2.0
    assert (rng.choice(lazy, 500).compute() % 2 == 0).all()
    table = np.arange(12).reshape(3, 4)
    assert rng.choice(table, 5, axis=1).shape == (3, 5)
    columns = rng.choice(vm.from_array(table, chunks=2), (2, 6), axis=1).compute()
    assert columns.shape == (3, 2, 6)
    np.testing.assert_array_equal(columns[1] - columns[0], np.full((2, 6), 4))
    assert rng.choice(5).compute().shape == ()


def test_choice_without_replacement():
    rng = vm.random.default_rng(0)
    values = rng.choice(1000, 1000, replace=False).compute()
    np.testing.assert_array_equal(np.sort(values), np.arange(1000))
    assert (values != np.arange(1000)).any()
    few = rng.choice(10**12, 5, replace=False, chunks=2)
    assert few.chunks == ((2, 2, 1),) and len(set(few.compute())) == 5
    rows = rng.choice(vm.arange(20).reshape(5, 4), 3, replace=False)
    assert rows.shape == (3, 4)
    weighted = rng.choice(4, 2, replace=False, p=[0.5, 0.5, 0, 0], shuffle=False).compute()
    assert sorted(weighted) == [0, 1]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((0, 3), {}),
        (([], 3), {}),
        ((5, 6), {"replace": False}),
        ((3, 2), {"p": [0.5, 0.6, 0.7]}),
        ((3, 2), {"p": [0.5, 0.5]}),
        ((3, 2), {"p": [1.5, -0.5, 0]}),
        ((np.ones(()), 2), {}),
        ((np.ones((2, 2)), 2), {"axis": 2}),
    ],
)
def test_wrong_choice(args, kwargs):
    with pytest.raises((ValueError, TypeError)):
        vm.random.default_rng(0).choice(*args, **kwargs)


def test_permutation():
    rng = vm.random.default_rng(0)
    order = rng.permutation(1000, chunks=100)
    assert order.numblocks == (10,)
    np.testing.assert_array_equal(np.sort(order.compute()), np.arange(1000))
    table = np.arange(60).reshape(5, 12)
    for axis in (0, 1, -1):
        moved = rng.permutation(vm.from_array(table, chunks=4), axis=axis).compute()
        np.testing.assert_array_equal(np.sort(moved, axis=axis), table)
        assert (moved != table).any()
    with pytest.raises(IndexError):
        rng.permutation(table, axis=2)


def test_shuffle():
    x = vm.arange(100, chunks=9)
    assert vm.random.default_rng(0).shuffle(x) is None
    assert (x.compute() != np.arange(100)).any()
    np.testing.assert_array_equal(np.sort(x.compute()), np.arange(100))
    with pytest.raises(TypeError, match="permutation"):
        vm.random.default_rng(0).shuffle([1, 2, 3])


def test_permuted():
    table = np.arange(200).reshape(10, 20)
    x = vm.from_array(table, chunks=7)
    rows = vm.random.default_rng(0).permuted(x, axis=1)
    np.testing.assert_array_equal(np.sort(rows.compute(), axis=1), table)
    assert len({tuple(row % 20) for row in rows.compute()}) == 10
    np.testing.assert_array_equal(rows.compute(), vm.random.default_rng(0).permuted(table, axis=1).compute())
    everything = vm.random.default_rng(0).permuted(x).compute()
    np.testing.assert_array_equal(np.sort(everything.ravel()), np.arange(200))
    out = vm.zeros((10, 20), dtype=int)
    assert vm.random.default_rng(0).permuted(x, axis=1, out=out) is out
    np.testing.assert_array_equal(out.compute(), rows.compute())


# Vectors


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method):
    mean, cov = [1, -2, 3], np.array([[2, 0.5, 0], [0.5, 1, -0.3], [0, -0.3, 0.7]])
    values = vm.random.default_rng(0).multivariate_normal(mean, cov, (200, 200), method=method).compute().reshape(-1, 3)
    np.testing.assert_allclose(values.mean(axis=0), mean, atol=0.04)
    np.testing.assert_allclose(np.cov(values.T), cov, atol=0.05)


def test_wrong_covariances():
    rng = vm.random.default_rng(0)
    with pytest.warns(RuntimeWarning, match="positive"):
        rng.multivariate_normal([0, 0], [[1, 2], [2, 1]])
    with pytest.raises(ValueError, match="positive"):
        rng.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="raise")
    rng.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="ignore")
    for args, kwargs in [(([0], np.eye(2)), {}), (([0, 0], np.eye(2)), {"method": "odd"}), (([0, 0], np.eye(2)), {"check_valid": "odd"})]:
        with pytest.raises(ValueError):
            rng.multivariate_normal(*args, **kwargs)


def test_shares_and_counts():
    rng = vm.random.default_rng(0)
    shares = rng.dirichlet([1, 2, 5], size=(100, 100)).compute()
    np.testing.assert_allclose(shares.sum(axis=-1), 1)
    np.testing.assert_allclose(shares.mean(axis=(0, 1)), [1 / 8, 2 / 8, 5 / 8], atol=0.01)
    counts = rng.multinomial(50, [0.1, 0.2, 0.7], size=20_000).compute()
    assert (counts.sum(axis=1) == 50).all()
    np.testing.assert_allclose(counts.mean(axis=0), [5, 10, 35], atol=0.2)
    taken = rng.multivariate_hypergeometric([10, 20, 30], 12, size=5000, method="count").compute()
    assert (taken.sum(axis=1) == 12).all()
    np.testing.assert_allclose(taken.mean(axis=0), [2, 4, 6], atol=0.2)


def test_bytes():
    first, second = (vm.random.default_rng(0).bytes(100) for _ in range(2))
    assert first == second and isinstance(first, bytes) and len(first) == 100


def test_out():
    rng = vm.random.default_rng(0)
    for name, args in [("random", ()), ("standard_normal", ()), ("standard_exponential", ()), ("standard_gamma", (2.0,))]:
        out = vm.zeros((3, 4))
        assert getattr(rng, name)(*args, out=out) is out
        assert (out.compute() != 0).all()
        target = np.zeros(5)
        getattr(rng, name)(*args, out=target)
        assert (target != 0).all()


# Older names


def test_random_state():
    state = vm.random.RandomState(4)
    first = state.random_sample((2, 3), chunks=1)
    assert first.numblocks == (2, 3)
    state.seed(4)
    np.testing.assert_array_equal(state.random_sample((2, 3)).compute(), first.compute())
    assert state.rand(2, 3).shape == state.randn(2, 3).shape == (2, 3)
    assert set(state.randint(3, size=100).compute()) == {0, 1, 2}
    assert set(state.random_integers(3, size=100).compute()) == {1, 2, 3}
    assert state.tomaxint(3).compute().min() >= 0
    assert state.normal(5, 0, (2, 2), 1).numblocks == (2, 2)
    assert state.standard_normal(4, 2).numblocks == state.standard_gamma(1, 4, 2).numblocks == (2,)
    assert state.choice(5, 4, True, None, 2).numblocks == (2,)
    assert state.multivariate_normal([0], [[1]], 4).shape == (4, 1)
    with pytest.raises(ValueError, match="1-dimensional"):
        state.choice(np.ones((2, 2)))


def test_functions_of_the_module():
    vm.random.seed(9)
    first = [getattr(vm.random, name)(*args, size=5).compute() for name, args in CALLS]
    vm.random.seed(9)
    again = [getattr(vm.random, name)(*args, size=5).compute() for name, args in CALLS]
    for one, other in zip(first, again):
        np.testing.assert_array_equal(one, other)
    assert all(hasattr(vm.random, name) for name in vm.random.__all__)


def test_names_of_others():
    """All names of NumPy's generator, and of Dask's module, are there."""
    numpy_names = {name for name in dir(np.random.Generator) if not name.startswith("_")} - {"bit_generator"}
    assert numpy_names - set(dir(vm.random.Generator)) == set()
    da = pytest.importorskip("dask.array")
    public = {name for name in dir(da.random.RandomState) if not name.startswith("_")}
    assert public - set(dir(vm.random.RandomState)) == set()
    functions = {name for name in public if hasattr(da.random, name)} | {"default_rng", "Generator", "RandomState"}
    assert functions - set(vm.random.__all__) == set()
    for name in public & set(dir(vm.random.RandomState)):
        theirs = [p for p in inspect.signature(getattr(da.random.RandomState, name)).parameters if p not in ("kwargs", "args")]
        ours = list(inspect.signature(getattr(vm.random.RandomState, name)).parameters)
        assert ours[: len(theirs)] == theirs, name
