"""Random arrays, as in `numpy.random` and `dask.array.random`: functions of a seed and of the place of each element.

The numbers do not depend on chunks, threads or on which part of an array is computed. Uniform, normal, integer and Poisson numbers come
from ops of the engine (Philox4x32-10), and what is a function of these (exponential, Weibull, ...) from their inverse distribution
functions. All others are drawn by NumPy, brick by brick: bricks follow from the shape alone, and each has a stream of its own. These
may change with NumPy's version, as NumPy's own streams do. The numbers are never those that NumPy draws with the same seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._create import asarray
from voxmill._generator import Generator


def default_rng(seed: Any = None) -> Generator:
    """Give a generator of random arrays.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence, Generator, optional
        Where the numbers begin; something else each time if it is not given. A generator is given back as it is.

    Examples
    --------
    >>> first = vm.random.default_rng(7).random(3)
    >>> again = vm.random.default_rng(7).random(3, chunks=1)
    >>> bool((first == again).all())
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


class RandomState(Generator):
    """Makes random arrays under NumPy's and Dask's older names; otherwise as `Generator`.

    Examples
    --------
    >>> vm.random.RandomState(3).randint(0, 10, size=(2, 2)).shape
    (2, 2)
    """

    def seed(self, seed: Any = None) -> None:
        """Begin again, from a seed."""
        with self._lock:
            self._begin(seed)

    def random_sample(self, size: Any = None, chunks: Any = "auto") -> Any:
        """Give numbers that are equally likely in [0, 1)."""
        return self.random(size, chunks=chunks)

    sample = ranf = random_sample

    def rand(self, *dims: int, chunks: Any = "auto") -> Any:
        """Give numbers that are equally likely in [0, 1), with a shape given number by number."""
        return self.random(dims, chunks=chunks)

    def randn(self, *dims: int, chunks: Any = "auto") -> Any:
        """Give standard normal numbers, with a shape given number by number."""
        return self.standard_normal(dims, chunks=chunks)

    def randint(self, low: Any, high: Any = None, size: Any = None, chunks: Any = "auto", dtype: Any = int) -> Any:
        """Give integers that are equally likely from `low` up to `high`, which is left out."""
        return self.integers(low, high, size, dtype, chunks=chunks)

    def random_integers(self, low: Any, high: Any = None, size: Any = None, chunks: Any = "auto") -> Any:
        """Give integers that are equally likely from `low` to `high`, both included; from 1 on with `low` alone."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, endpoint=True, chunks=chunks)

    def tomaxint(self, size: Any = None, chunks: Any = "auto") -> Any:
        """Give integers that are equally likely from 0 to the largest int64."""
        return self.integers(0, np.iinfo(np.int64).max, size, endpoint=True, chunks=chunks)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, chunks: Any = "auto") -> Any:  # type: ignore[override]
        """Choose elements of a one-dimensional array, or numbers below an integer."""
        if not isinstance(a, (int, np.integer)) and asarray(a).ndim != 1:
            raise ValueError("choice: a must be 1-dimensional, or an integer")
        return super().choice(a, size, replace, p, chunks=chunks)

    def multivariate_normal(  # type: ignore[override]
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, chunks: Any = "auto"
    ) -> Any:
        """Give vectors of a normal distribution with these means and covariances, along a new last axis."""
        return super().multivariate_normal(mean, cov, size, check_valid, tol, chunks=chunks)

    def standard_exponential(self, size: Any = None, chunks: Any = "auto") -> Any:  # type: ignore[override]
        """Give numbers of the exponential distribution with mean 1."""
        return super().standard_exponential(size, chunks=chunks)

    def standard_normal(self, size: Any = None, chunks: Any = "auto") -> Any:  # type: ignore[override]
        """Give numbers of the normal distribution with mean 0 and standard deviation 1."""
        return super().standard_normal(size, chunks=chunks)

    def standard_gamma(self, shape: Any, size: Any = None, chunks: Any = "auto") -> Any:  # type: ignore[override]
        """Give numbers of the gamma distribution with scale 1."""
        return super().standard_gamma(shape, size, chunks=chunks)

    def random(self, size: Any = None, chunks: Any = "auto") -> Any:  # type: ignore[override]
        """Give numbers that are equally likely in [0, 1)."""
        return super().random(size, chunks=chunks)


_state = RandomState()

seed = _state.seed
beta = _state.beta
binomial = _state.binomial
bytes = _state.bytes
chisquare = _state.chisquare
choice = _state.choice
dirichlet = _state.dirichlet
exponential = _state.exponential
f = _state.f
gamma = _state.gamma
geometric = _state.geometric
gumbel = _state.gumbel
hypergeometric = _state.hypergeometric
integers = _state.integers
laplace = _state.laplace
logistic = _state.logistic
lognormal = _state.lognormal
logseries = _state.logseries
multinomial = _state.multinomial
multivariate_hypergeometric = _state.multivariate_hypergeometric
multivariate_normal = _state.multivariate_normal
negative_binomial = _state.negative_binomial
noncentral_chisquare = _state.noncentral_chisquare
noncentral_f = _state.noncentral_f
normal = _state.normal
pareto = _state.pareto
permutation = _state.permutation
permuted = _state.permuted
poisson = _state.poisson
power = _state.power
rand = _state.rand
randint = _state.randint
randn = _state.randn
random = _state.random
random_integers = _state.random_integers
random_sample = _state.random_sample
ranf = _state.ranf
rayleigh = _state.rayleigh
sample = _state.sample
shuffle = _state.shuffle
standard_cauchy = _state.standard_cauchy
standard_exponential = _state.standard_exponential
standard_gamma = _state.standard_gamma
standard_normal = _state.standard_normal
standard_t = _state.standard_t
tomaxint = _state.tomaxint
triangular = _state.triangular
uniform = _state.uniform
vonmises = _state.vonmises
wald = _state.wald
weibull = _state.weibull
zipf = _state.zipf

__all__ = [
    "Generator", "RandomState", "beta", "binomial", "bytes", "chisquare", "choice", "default_rng", "dirichlet", "exponential", "f", "gamma",
    "geometric", "gumbel", "hypergeometric", "integers", "laplace", "logistic", "lognormal", "logseries", "multinomial",
    "multivariate_hypergeometric", "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto",
    "permutation", "permuted", "poisson", "power", "rand", "randint", "randn", "random", "random_integers", "random_sample", "ranf",
    "rayleigh", "sample", "seed", "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal", "standard_t",
    "tomaxint", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
]  # fmt: skip
