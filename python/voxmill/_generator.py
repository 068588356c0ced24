"""The random generator: NumPy's methods for lazy arrays."""

from __future__ import annotations

import math
import operator
import threading
from typing import Any

import numpy as np

from voxmill._assign import into
from voxmill._core import ARRAY, axis_in, call, dtype_name
from voxmill._create import asarray
from voxmill._draws import (
    LEAST,
    _bricks,
    _chunked,
    _Draw,
    _float,
    _is_number,
    _map,
    _parameters,
    _picked,
    _root_of,
    _rows,
    _sequence,
    _size,
    _Steps,
)


class Generator:
    """Makes random arrays. The same seed and the same order of calls give the same numbers.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence, optional
        Where the numbers begin; something else each time if it is not given.

    Notes
    -----
    `size` is the shape of the result; by default that of the parameters, which may be arrays that broadcast. `chunks` are the declared
    chunks of the result, as in `voxmill.from_array`; they do not change the numbers. Parameters that are lazy arrays are checked
    block by block, or not at all where numbers come from an inverse distribution function: wrong ones then give NaN.

    Examples
    --------
    >>> rng = vm.random.default_rng(42)
    >>> x = rng.normal(10, 2, size=(1000, 1000), chunks=(100, 1000))
    >>> round(float(x.mean()), 1), round(float(x.std()), 1)
    (10.0, 2.0)
    """

    def __init__(self, seed: Any = None):
        self._lock = threading.Lock()
        self._begin(seed)

    def _begin(self, seed: Any) -> None:
        # Without a seed, the beginning is chosen when it is needed: importing this module need not import NumPy's.
        self._root = None if seed is None else _sequence(seed)
        self._calls = 0

    def _next(self) -> int:
        """Give the seed of the next array."""
        root = self._rooted()
        with self._lock:
            number = self._calls
            self._calls += 1
        # The first number keeps these apart from the generators that `spawn` makes.
        key = (*root.spawn_key, 1 << 32, number)
        return int(np.random.SeedSequence(root.entropy, spawn_key=key).generate_state(1, np.uint64)[0])

    def _rooted(self) -> np.random.SeedSequence:
        with self._lock:
            if self._root is None:
                self._root = np.random.SeedSequence()
            return self._root

    def __getstate__(self) -> dict:
        return {"_root": self._rooted(), "_calls": self._calls}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"voxmill.random.{type(self).__name__}(entropy={self._rooted().entropy}, calls={self._calls})"

    def spawn(self, n_children: int) -> list[Generator]:
        """Give generators whose numbers are independent of this one's and of each other.

        Examples
        --------
        >>> [rng.random(2).shape for rng in vm.random.default_rng(1).spawn(2)]
        [(2,), (2,)]
        """
        return [type(self)(child) for child in self._rooted().spawn(n_children)]

    def bytes(self, length: int) -> Any:
        """Give random bytes.

        Examples
        --------
        >>> len(vm.random.default_rng(1).bytes(5))
        5
        """
        return self.integers(0, 256, length, np.uint8).compute().tobytes()

    # Uniform numbers

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers that are equally likely in [0, 1).

        Examples
        --------
        >>> x = vm.random.default_rng(1).random((4, 4), dtype="float32")
        >>> bool((x >= 0).all() & (x < 1).all())
        True
        """
        return into(out, _chunked(self._unit(_size(size, out), _float(dtype, "random")), chunks), "random")

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers that are equally likely in [low, high).

        Examples
        --------
        >>> x = vm.random.default_rng(1).uniform(-1, 1, 1000)
        >>> bool((abs(x) <= 1).all())
        True
        """
        shape, low, high = _parameters("uniform", size, low, high)
        if isinstance(low, float) and isinstance(high, float):
            return _chunked(self._op("uniform", shape, low=low, high=high), chunks)
        return _chunked(low + (high - low) * self._unit(shape), chunks)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False, chunks: Any = "auto"
    ) -> Any:
        """Give integers that are equally likely from `low` up to `high`, which is left out unless `endpoint` is true.

        With `low` alone, they begin at 0.

        Examples
        --------
        >>> x = vm.random.default_rng(1).integers(1, 7, size=10_000)
        >>> int(x.min()), int(x.max())
        (1, 6)
        """
        kind = np.dtype(dtype)
        if high is None:
            low, high = 0, low
        if not (_is_number(low) and _is_number(high)):
            return self._drawn("integers", (low, high), size, chunks, kind, dtype=kind, endpoint=endpoint)
        # NumPy says what is wrong with the bounds.
        np.random.default_rng(0).integers(low, high, dtype=kind, endpoint=endpoint)
        shape = _size(size)
        low, high = math.ceil(low), math.floor(high) + 1 if endpoint else math.ceil(high)
        if high - low > 0xFFFF_FFFF_FFFF_FFFF:
            return self._drawn("integers", (low, high - 1), size, chunks, kind, dtype=kind, endpoint=True)
        made = np.dtype(np.uint8) if kind.kind == "b" else kind
        result = self._op("integers", shape, low=low, high=high, dtype=dtype_name(made))
        return _chunked(result if made == kind else result != 0, chunks)

    # Normal numbers and what is made of them

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the normal distribution with mean 0 and standard deviation 1.

        Examples
        --------
        >>> vm.random.default_rng(1).standard_normal((2, 3)).shape
        (2, 3)
        """
        kind = _float(dtype, "standard_normal")
        return into(out, _chunked(self._op("normal", _size(size, out), dtype=dtype_name(kind)), chunks), "standard_normal")

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of a normal distribution.

        Parameters
        ----------
        loc, scale : float or array_like
            Mean and standard deviation.

        Examples
        --------
        >>> x = vm.random.default_rng(1).normal(5, 2, size=(500, 500))
        >>> round(float(x.mean()), 1), round(float(x.std()), 1)
        (5.0, 2.0)
        """
        shape, loc, scale = _parameters("normal", size, loc, scale)
        if isinstance(loc, float) and isinstance(scale, float):
            return _chunked(self._op("normal", shape, loc=loc, scale=scale), chunks)
        return _chunked(loc + scale * self._op("normal", shape), chunks)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers whose logarithm has a normal distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).lognormal(0, 1, size=(2, 3)).shape
        (2, 3)
        """
        shape, mean, sigma = _parameters("lognormal", size, mean, sigma)
        return _chunked(_map("exp", mean + sigma * self._op("normal", shape)), chunks)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
        chunks: Any = "auto",
    ) -> Any:
        """Give vectors of a normal distribution with these means and covariances, along a new last axis.

        Examples
        --------
        >>> vm.random.default_rng(1).multivariate_normal([0, 1], [[1, 0.5], [0.5, 1]], size=100).shape
        (100, 2)
        """
        mean, cov = np.asarray(mean, float), np.asarray(cov, float)
        if mean.ndim != 1 or cov.shape != (len(mean), len(mean)):
            raise ValueError(f"multivariate_normal: mean of shape {mean.shape} and cov of shape {cov.shape}; they must be (n,) and (n, n)")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        factor = _root_of(cov, method, check_valid, tol)
        normal = self._op("normal", (*_size(size), len(mean)))
        return _chunked(call("matmul", (normal, asarray(factor))) + mean, chunks)

    # What is made of uniform numbers, by the inverse of the distribution function

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None, chunks: Any = "auto"
    ) -> Any:
        """Give numbers of the exponential distribution with mean 1.

        Examples
        --------
        >>> vm.random.default_rng(1).standard_exponential((2, 3)).shape
        (2, 3)
        """
        made = self._exponential(_size(size, out), _float(dtype, "standard_exponential"))
        return into(out, _chunked(made, chunks), "standard_exponential")

    def exponential(self, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the exponential distribution with mean `scale`.

        Examples
        --------
        >>> round(float(vm.random.default_rng(1).exponential(3, size=100_000).mean()), 1)
        3.0
        """
        shape, scale = _parameters("exponential", size, scale)
        return _chunked(scale * self._exponential(shape), chunks)

    def rayleigh(self, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Rayleigh distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).rayleigh(2, size=(2, 3)).shape
        (2, 3)
        """
        shape, scale = _parameters("rayleigh", size, scale)
        return _chunked(scale * _map("sqrt", 2.0 * self._exponential(shape)), chunks)

    def weibull(self, a: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Weibull distribution with shape `a` and scale 1.

        Examples
        --------
        >>> vm.random.default_rng(1).weibull(1.5, size=(2, 3)).shape
        (2, 3)
        """
        shape, a = _parameters("weibull", size, a)
        if isinstance(a, float) and a == 0:
            return _chunked(self._exponential(shape) * 0.0, chunks)
        return _chunked(self._exponential(shape) ** (1 / a), chunks)

    def pareto(self, a: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Pareto II (Lomax) distribution with shape `a`.

        Examples
        --------
        >>> vm.random.default_rng(1).pareto(3, size=(2, 3)).shape
        (2, 3)
        """
        shape, a = _parameters("pareto", size, a)
        return _chunked(_map("expm1", self._exponential(shape) / a), chunks)

    def power(self, a: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers in [0, 1] with density ``a * x**(a - 1)``.

        Examples
        --------
        >>> vm.random.default_rng(1).power(2, size=(2, 3)).shape
        (2, 3)
        """
        shape, a = _parameters("power", size, a)
        return _chunked(self._open(shape) ** (1 / a), chunks)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Laplace distribution: exponential on both sides of `loc`.

        Examples
        --------
        >>> vm.random.default_rng(1).laplace(0, 1, size=(2, 3)).shape
        (2, 3)
        """
        shape, loc, scale = _parameters("laplace", size, loc, scale)
        unit = self._open(shape)
        return _chunked(loc + scale * call("where", (unit < 0.5, _map("log", 2.0 * unit), -_map("log", 2.0 - 2.0 * unit))), chunks)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the logistic distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).logistic(0, 1, size=(2, 3)).shape
        (2, 3)
        """
        shape, loc, scale = _parameters("logistic", size, loc, scale)
        unit = self._open(shape)
        return _chunked(loc + scale * (_map("log", unit) - _map("log1p", -unit)), chunks)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Gumbel distribution, which largest values have.

        Examples
        --------
        >>> vm.random.default_rng(1).gumbel(0, 1, size=(2, 3)).shape
        (2, 3)
        """
        shape, loc, scale = _parameters("gumbel", size, loc, scale)
        return _chunked(loc - scale * _map("log", -_map("log", self._open(shape))), chunks)

    def standard_cauchy(self, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Cauchy distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).standard_cauchy((2, 3)).shape
        (2, 3)
        """
        return _chunked(_map("tan", math.pi * (self._open(_size(size)) - 0.5)), chunks)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers whose density rises from `left` to `mode` and falls to `right`.

        Examples
        --------
        >>> vm.random.default_rng(1).triangular(0, 1, 3, size=(2, 3)).shape
        (2, 3)
        """
        shape, left, mode, right = _parameters("triangular", size, left, mode, right)
        unit, width = self._unit(shape), right - left
        rising = left + _map("sqrt", unit * (width * (mode - left)))
        falling = right - _map("sqrt", (1.0 - unit) * (width * (right - mode)))
        return _chunked(call("where", (unit * width <= mode - left, rising, falling)), chunks)

    def geometric(self, p: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give the number of trials up to the first success, of probability `p`.

        Examples
        --------
        >>> vm.random.default_rng(1).geometric(0.3, size=(2, 3)).shape
        (2, 3)
        """
        shape, p = _parameters("geometric", size, p)
        log = math.log1p(-p) if isinstance(p, float) and p < 1 else -math.inf if isinstance(p, float) else _map("log1p", -p)
        trials = _map("ceil", -self._exponential(shape) / log)
        # The last float below 2**63 stands for all that no int64 can hold, as in NumPy.
        return _chunked(call("clip", (trials,), {"min": 1.0, "max": np.nextafter(2.0**63, 0).item()}).astype(np.int64), chunks)

    def poisson(self, lam: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give counts of the Poisson distribution.

        Parameters
        ----------
        lam : float or array_like
            Expected count: an image, for example, to see it with the noise of counted photons.

        Examples
        --------
        >>> round(float(vm.random.default_rng(1).poisson(4, size=100_000).mean()), 1)
        4.0
        """
        shape, value = _parameters("poisson", size, lam)
        if isinstance(value, float):
            return _chunked(self._op("poisson", shape, lam=value), chunks)
        return self._drawn("poisson", (lam,), size, chunks, np.int64)

    # What NumPy draws

    def beta(self, a: Any, b: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the beta distribution, in [0, 1].

        Examples
        --------
        >>> vm.random.default_rng(1).beta(2, 3, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("beta", (a, b), size, chunks)

    def binomial(self, n: Any, p: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give how many of `n` trials succeed, each with probability `p`.

        Examples
        --------
        >>> round(float(vm.random.default_rng(1).binomial(10, 0.3, size=100_000).mean()), 1)
        3.0
        """
        return self._drawn("binomial", (n, p), size, chunks, np.int64)

    def chisquare(self, df: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give sums of squares of `df` standard normal numbers.

        Examples
        --------
        >>> vm.random.default_rng(1).chisquare(5, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("chisquare", (df,), size, chunks)

    def f(self, dfnum: Any, dfden: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the F distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).f(5, 7, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("f", (dfnum, dfden), size, chunks)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the gamma distribution.

        Examples
        --------
        >>> round(float(vm.random.default_rng(1).gamma(2, 3, size=100_000).mean()), 1)
        6.0
        """
        return self._drawn("gamma", (shape, scale), size, chunks)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give how many good ones are among `nsample` that are taken out of `ngood` and `nbad`.

        Examples
        --------
        >>> vm.random.default_rng(1).hypergeometric(20, 30, 15, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("hypergeometric", (ngood, nbad, nsample), size, chunks, np.int64)

    def logseries(self, p: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the logarithmic series distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).logseries(0.6, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("logseries", (p,), size, chunks, np.int64)

    def negative_binomial(self, n: Any, p: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give the number of failures before `n` successes, each of probability `p`.

        Examples
        --------
        >>> vm.random.default_rng(1).negative_binomial(5, 0.4, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("negative_binomial", (n, p), size, chunks, np.int64)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the noncentral chi-square distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).noncentral_chisquare(3, 2, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("noncentral_chisquare", (df, nonc), size, chunks)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the noncentral F distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).noncentral_f(5, 7, 2, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("noncentral_f", (dfnum, dfden, nonc), size, chunks)

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the gamma distribution with scale 1.

        Examples
        --------
        >>> vm.random.default_rng(1).standard_gamma(2.5, size=(2, 3)).shape
        (2, 3)
        """
        kind = _float(dtype, "standard_gamma")
        size = out.shape if size is None and out is not None else size
        return into(out, self._drawn("standard_gamma", (shape,), size, chunks, kind, dtype=kind), "standard_gamma")

    def standard_t(self, df: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of Student's t distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).standard_t(5, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("standard_t", (df,), size, chunks)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give angles of the von Mises distribution, in [-pi, pi].

        Examples
        --------
        >>> vm.random.default_rng(1).vonmises(0, 2, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("vonmises", (mu, kappa), size, chunks)

    def wald(self, mean: Any, scale: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the inverse Gaussian distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).wald(2, 3, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("wald", (mean, scale), size, chunks)

    def zipf(self, a: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers of the Zipf distribution.

        Examples
        --------
        >>> vm.random.default_rng(1).zipf(3, size=(2, 3)).shape
        (2, 3)
        """
        return self._drawn("zipf", (a,), size, chunks, np.int64)

    def dirichlet(self, alpha: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give vectors of shares that add up to 1, along a new last axis.

        Examples
        --------
        >>> vm.random.default_rng(1).dirichlet([1, 2, 3], size=4).sum(axis=1).compute()
        array([1., 1., 1., 1.])
        """
        alpha = np.asarray(alpha, float)
        return self._vectors("dirichlet", (alpha,), size, chunks, len(np.atleast_1d(alpha)), np.float64)

    def multinomial(self, n: Any, pvals: Any, size: Any = None, chunks: Any = "auto") -> Any:
        """Give how often each outcome comes in `n` trials, along a new last axis.

        Examples
        --------
        >>> vm.random.default_rng(1).multinomial(20, [0.5, 0.5], size=3).sum(axis=1).compute()
        array([20, 20, 20])
        """
        pvals = np.asarray(pvals, float)
        if pvals.ndim != 1:
            raise ValueError(f"multinomial: pvals must have one axis, not {pvals.ndim}")
        return self._vectors("multinomial", (operator.index(n), pvals), size, chunks, len(pvals), np.int64)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: int, size: Any = None, method: str = "marginals", chunks: Any = "auto"
    ) -> Any:
        """Give how many of each color are among `nsample` that are taken, along a new last axis.

        Examples
        --------
        >>> vm.random.default_rng(1).multivariate_hypergeometric([5, 6, 7], 9, size=(2, 3)).shape
        (2, 3, 3)
        """
        colors = np.asarray(colors)
        given = (colors, nsample)
        return self._vectors("multivariate_hypergeometric", given, size, chunks, len(np.atleast_1d(colors)), np.int64, method=method)

    # Choosing and reordering

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True, chunks: Any = "auto"
    ) -> Any:
        """Choose elements of an array, or numbers below an integer.

        Parameters
        ----------
        a : int or array_like
            What to choose from: numbers from 0 on, or positions of an axis of an array.
        size : int or tuple of int, optional
            How many.
        replace : bool
            Whether an element may be chosen more than once. If not, positions are chosen at the call.
        p : array_like, optional
            Probability of each element; all are equally likely by default.
        axis : int
            The axis of `a`.
        shuffle : bool
            False to leave elements that are chosen once in any order, which is faster.

        Examples
        --------
        >>> x = vm.random.default_rng(1).choice([10, 20, 30], size=1000)
        >>> sorted(set(x.compute().tolist()))
        [10, 20, 30]
        """
        source = None if isinstance(a, (int, np.integer)) else asarray(a)
        if source is not None and source.ndim == 0:
            raise ValueError("choice: a must be an integer, or an array with at least one axis")
        axis = 0 if source is None else axis_in(axis, source.ndim)
        n = int(a) if source is None else source.shape[axis]
        p = None if p is None else np.asarray(p, float)
        # NumPy says what is wrong with the arguments.
        shape = _size(size)
        np.random.default_rng(0).choice(n, size=0 if 0 in shape else 1, p=p)
        if not replace:
            found = self._stream().choice(n, size=shape, replace=False, p=p, shuffle=shuffle)
            places = asarray(np.asarray(found))
            return _chunked(places if source is None else source[(slice(None),) * axis + (np.asarray(found),)], chunks)
        if p is None:
            places = self._op("integers", shape, low=0, high=max(n, 1), dtype="int64")
        else:
            places = self._weighted(shape, p)
        return _chunked(places if source is None else _picked(source, places, axis), chunks)

    def _weighted(self, shape: tuple[int, ...], p: np.ndarray) -> Any:
        from voxmill._along import elementwise

        below = np.cumsum(p)
        below /= below[-1]
        return elementwise(_Steps(below), self._unit(shape), dtype=np.int64, name="choice")

    def permutation(self, x: Any, axis: int = 0, chunks: Any = "auto") -> Any:
        """Give the numbers below an integer, or the elements of an array along an axis, in random order.

        The order itself is kept in memory.

        Examples
        --------
        >>> sorted(vm.random.default_rng(1).permutation(5).compute().tolist())
        [0, 1, 2, 3, 4]
        """
        if isinstance(x, (int, np.integer)):
            return _chunked(asarray(self._stream().permutation(int(x))), chunks)
        x = asarray(x)
        axis = axis_in(axis, x.ndim)
        order = self._stream().permutation(x.shape[axis])
        result = x[(slice(None),) * axis + (order,)]
        return result if isinstance(chunks, str) and chunks == "auto" else result.rechunk(chunks)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Reorder an array along an axis, in place.

        Examples
        --------
        >>> x = vm.arange(5)
        >>> vm.random.default_rng(1).shuffle(x)
        >>> sorted(x.compute().tolist())
        [0, 1, 2, 3, 4]
        """
        if not isinstance(x, ARRAY):
            raise TypeError(f"shuffle changes arrays of voxmill in place, not {type(x).__name__}; use permutation")
        x._expr = self.permutation(x, axis)._expr

    def permuted(self, x: Any, axis: int | None = None, out: Any = None) -> Any:
        """Reorder each row along an axis by itself; all elements, if there is no axis.

        Examples
        --------
        >>> vm.random.default_rng(1).permuted(vm.arange(6).reshape(2, 3), axis=1).sum(axis=1).compute()
        array([ 3, 12])
        """
        x = asarray(x)
        if axis is None:
            return into(out, self.permutation(x.reshape(-1)).reshape(x.shape), "permuted")
        return into(out, _rows(x, self._unit(x.shape), axis_in(axis, x.ndim)), "permuted")

    # How numbers are made

    def _op(self, name: str, shape: tuple[int, ...], **params: Any) -> Any:
        return call(f"random_{name}", (), {"shape": list(shape), "seed": self._next(), **params})

    def _unit(self, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
        """Numbers in [0, 1)."""
        return self._op("uniform", shape, dtype=dtype_name(dtype))

    def _open(self, shape: tuple[int, ...]) -> Any:
        """Numbers in (0, 1)."""
        return self._op("uniform", shape, low=LEAST, high=1.0)

    def _exponential(self, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
        return -_map("log1p", -self._unit(shape, dtype))

    def _stream(self) -> np.random.Generator:
        """A generator of NumPy, for what is drawn as a whole."""
        return np.random.Generator(np.random.Philox(key=self._next()))

    def _drawn(self, name: str, given: tuple, size: Any, chunks: Any, kind: Any = np.float64, **kwargs: Any) -> Any:
        """Let NumPy draw numbers, brick by brick."""
        from voxmill._calls import BOX, _axis_reads
        from voxmill._host import host

        shape = _parameters(name, size, *given, **kwargs)[0]
        bricks = _bricks(shape)
        inputs, args, reads = [], [], []
        for value in given:
            if _is_number(value):
                args.append(value)
                continue
            x = asarray(value)
            lead = len(shape) - x.ndim
            reads.append([_axis_reads(bricks[lead + k], n, lead + k) for k, n in enumerate(x.shape)])
            inputs.append(x)
            args.append(BOX)
        draw = _Draw(name, self._next(), bricks, args, kwargs)
        return _chunked(host(draw, name, inputs, reads, shape, kind, bricks), chunks)

    def _vectors(self, name: str, given: tuple, size: Any, chunks: Any, n: int, dtype: Any, **kwargs: Any) -> Any:
        """Let NumPy draw vectors of `n` numbers, brick by brick."""
        from voxmill._host import host

        getattr(np.random.default_rng(0), name)(*given, size=0, **kwargs)
        shape = _size(size)
        bricks = _bricks(shape, n)
        draw = _Draw(name, self._next(), bricks, list(given), kwargs)
        return _chunked(host(draw, name, [], [], (*shape, n), dtype, (*bricks, (n,))), chunks)
