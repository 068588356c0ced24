"""What random generators draw from: fixed bricks of elements, and checks of parameters."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from voxmill._chunks import normalize_chunks
from voxmill._core import ARRAY, call, wrap
from voxmill._create import _shape, asarray

BRICK = 1 << 16
"""Elements that are drawn together by NumPy."""

LEAST = 2.0**-60
"""Added to numbers from [0, 1), it makes 0 positive and leaves all but the smallest as they are; none becomes 1."""


class _Draw:
    """Draws the numbers of a brick from a stream of its own."""

    def __init__(self, name: str, seed: int, bricks: tuple, args: list, kwargs: dict):
        self.name, self.seed, self.bricks, self.args, self.kwargs = name, seed, bricks, args, kwargs

    def __call__(self, block: tuple[int, ...], *boxes: np.ndarray) -> Any:
        from voxmill._calls import BOX

        number = 0
        for k, lengths in zip(block, self.bricks):
            number = number * len(lengths) + k
        # Streams are 2**64 blocks of numbers apart.
        stream = np.random.Generator(np.random.Philox(key=self.seed, counter=number << 64))
        rest = iter(boxes)
        args = [next(rest) if arg is BOX else arg for arg in self.args]
        shape = tuple(lengths[k] for k, lengths in zip(block, self.bricks))
        return getattr(stream, self.name)(*args, size=shape, **self.kwargs)


class _Steps:
    """Gives the number of the step that a number from [0, 1) falls into."""

    __name__ = "choice"

    def __init__(self, below: np.ndarray):
        self.below = below

    def __call__(self, unit: np.ndarray) -> np.ndarray:
        return self.below.searchsorted(unit, side="right").astype(np.int64)


class _Take:
    """Picks positions of an axis."""

    def __init__(self, axis: int):
        self.axis = axis

    def __call__(self, block: tuple[int, ...], source: np.ndarray, places: np.ndarray) -> np.ndarray:
        return np.take(source, places, axis=self.axis)


class _Reorder:
    """Puts rows into the order that random numbers have."""

    def __init__(self, axis: int):
        self.axis = axis

    def __call__(self, block: tuple[int, ...], rows: np.ndarray, unit: np.ndarray) -> np.ndarray:
        return np.take_along_axis(rows, np.argsort(unit, axis=self.axis, kind="stable"), axis=self.axis)


def _picked(source: Any, places: Any, axis: int) -> Any:
    """Give the elements of an array, which is read whole, at lazy positions of an axis."""
    from voxmill._host import Reads, host
    from voxmill._index import _bounds

    others = math.prod(n for k, n in enumerate(source.shape) if k != axis)
    bricks = _bricks(places.shape, others)
    shape = source.shape[:axis] + places.shape + source.shape[axis + 1 :]
    chunks = tuple((n,) for n in source.shape[:axis]) + bricks + tuple((n,) for n in source.shape[axis + 1 :])
    whole: Reads = [(None, [(0, n)]) for n in source.shape]
    parts: Reads = [(axis + k, _bounds(lengths)) for k, lengths in enumerate(bricks)]
    return host(_Take(axis), "choice", [source, places], [whole, parts], shape, source.dtype, chunks)


def _rows(x: Any, unit: Any, axis: int) -> Any:
    from voxmill._host import Reads, host
    from voxmill._index import _bounds

    wanted = tuple(n if k == axis else "auto" for k, n in enumerate(x.shape))
    chunks = normalize_chunks(wanted, x.shape, dtype=np.complex128, limit=1 << 23)
    reads: Reads = [(k, _bounds(lengths)) for k, lengths in enumerate(chunks)]
    return host(_Reorder(axis), "permuted", [x, unit], [reads, reads], x.shape, x.dtype, chunks)


def _bricks(shape: tuple[int, ...], each: int = 1) -> tuple[tuple[int, ...], ...]:
    """Cut a shape into boxes of at most `BRICK` elements, near to cubes: part of what the numbers are, so never to be changed."""
    from voxmill._chunks import even

    left = max(BRICK // max(each, 1), 1)
    sides = {}
    for done, k in enumerate(sorted(range(len(shape)), key=lambda k: shape[k])):
        even_side = max(round(left ** (1 / (len(shape) - done))), 1)
        sides[k] = max(min(shape[k], even_side), 1)
        left = max(left // sides[k], 1)
    return tuple(even(n, sides[k]) for k, n in enumerate(shape))


def _parameters(name: str, size: Any, *given: Any, **kwargs: Any) -> tuple:
    """Check parameters; give the shape of the result, and the parameters as floats and arrays of floats."""
    shapes = [asarray(value).shape if isinstance(value, ARRAY) else np.shape(value) for value in given]
    own = np.broadcast_shapes(*shapes)
    shape = own if size is None else _shape(size)
    if np.broadcast_shapes(shape, own) != shape:
        raise ValueError(f"{name}: parameters of shape {own} do not broadcast to size {shape}")
    if not any(isinstance(value, ARRAY) for value in given):
        # NumPy says what is wrong with a parameter, without drawing a number; bounds of integers it sees only when it draws.
        getattr(np.random.default_rng(0), name)(*given, size=own if name == "integers" else (0, *own), **kwargs)
    floats = [float(v) if not isinstance(v, ARRAY) and not s else asarray(v).astype(float) for v, s in zip(given, shapes)]
    return (shape, *floats)


def _size(size: Any, out: Any = None) -> tuple[int, ...]:
    if size is None:
        return () if out is None else out.shape
    return _shape(size)


def _is_number(value: Any) -> bool:
    return not isinstance(value, ARRAY) and np.ndim(value) == 0


def _float(dtype: Any, name: str) -> np.dtype:
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise TypeError(f"{name}: Unsupported dtype {kind}; there are float32 and float64")
    return kind


def _map(name: str, x: Any) -> Any:
    return call(name, (x,))


def _chunked(x: Any, chunks: Any) -> Any:
    return wrap(x._expr.with_chunks(normalize_chunks(chunks, x.shape, dtype=x.dtype)))


def _root_of(cov: np.ndarray, method: str, check_valid: str, tol: float) -> np.ndarray:
    """Give a matrix that makes independent normal numbers ones with these covariances, from the right."""
    if method not in ("svd", "eigh", "cholesky"):
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    if method == "cholesky":
        return np.linalg.cholesky(cov).T
    values, vectors = np.linalg.eigh(cov)
    if check_valid != "ignore":
        symmetric = np.allclose(cov, cov.T, rtol=tol, atol=tol)
        if not symmetric or (values < -tol * max(abs(values).max(initial=0), 1)).any():
            message = "covariance is not symmetric positive-semidefinite."
            if check_valid == "raise":
                raise ValueError(message)
            warnings.warn(message, RuntimeWarning, stacklevel=3)
    return np.sqrt(values.clip(0))[:, None] * vectors.T


def _sequence(seed: Any) -> np.random.SeedSequence:
    """Give where the numbers of a seed begin. Generators of NumPy are asked for a number."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, (ARRAY, np.ndarray)):
        seed = np.asarray(seed).tolist()
    if isinstance(seed, np.random.Generator):
        seed = seed.bit_generator
    if isinstance(seed, np.random.BitGenerator):
        seed = int(seed.random_raw())
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(0, 2**63, dtype=np.int64))
    return np.random.SeedSequence(seed)
