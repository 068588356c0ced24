"""Matrices in blocks."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from voxmill import _einsum
from voxmill._chunks import normalize_chunks
from voxmill._core import call
from voxmill._create import asarray

EigResult = namedtuple("EigResult", ["eigenvalues", "eigenvectors"])
EighResult = namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
QRResult = namedtuple("QRResult", ["Q", "R"])
SlogdetResult = namedtuple("SlogdetResult", ["sign", "logabsdet"])
SVDResult = namedtuple("SVDResult", ["U", "S", "Vh"])

WHOLE_BYTES = 32 << 20
"""Matrices up to this size are given to LAPACK as they are; taller ones go there in pieces of about this size."""


# Matrices in blocks


def _matrix(x: Any, name: str, least: int = 2) -> Any:
    """Give an array of a float type that LAPACK knows."""
    x = asarray(x)
    if x.ndim < least:
        raise LinAlgError(f"{name}: {x.ndim}-dimensional array given, it must be at least {least}-dimensional")
    return _floating(x, name)


def _floating(x: Any, name: str) -> Any:
    if x.dtype.itemsize == 2 and x.dtype.kind not in "iu":
        raise TypeError(f"{name}: array type {x.dtype} is unsupported in linalg; cast to float32 first")
    return x if x.dtype.kind in "fc" else x.astype(float)


def _square(x: Any, name: str) -> Any:
    x = _matrix(x, name)
    if x.shape[-1] != x.shape[-2]:
        raise LinAlgError(f"{name}: the last two axes must be square, not {x.shape[-2:]}")
    return x


def _real(dtype: np.dtype) -> np.dtype:
    return np.dtype({"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name))


def _complex(dtype: np.dtype) -> np.dtype:
    return np.result_type(dtype, np.complex64)


def _stacked(name: str, function: Callable, inputs: Sequence, cores: Sequence[int], made: tuple[int, ...], dtype: Any) -> Any:
    """Call a function of NumPy over blocks of stacks: the last `cores[k]` axes of input `k` are whole, the others broadcast.

    `made` are the lengths of the axes that the function gives for one entry of the stack.
    """
    from voxmill._calls import BOX, UserCall, _axis_reads
    from voxmill._host import host

    stacks = [x.shape[: x.ndim - core] for x, core in zip(inputs, cores)]
    try:
        stack = np.broadcast_shapes(*stacks)
    except ValueError:
        raise ValueError(f"{name}: stacks of shapes {stacks} do not broadcast") from None
    entry = 16 * max(math.prod(made), *(math.prod(x.shape[x.ndim - core :]) for x, core in zip(inputs, cores)), 1)
    lengths = normalize_chunks("auto", stack, dtype=np.uint8, limit=max((1 << 23) // entry, 1)) if stack else ()
    reads = []
    for x, core, own in zip(inputs, cores, stacks):
        lead = len(stack) - len(own)
        axes = [_axis_reads(lengths[lead + k], n, lead + k) for k, n in enumerate(own)]
        reads.append(axes + [(None, [(0, n)]) for n in x.shape[x.ndim - core :]])
    chunks = (*lengths, *((n,) for n in made))
    user = UserCall(function, [BOX] * len(inputs), {}, name)
    return host(user, name, inputs, reads, (*stack, *made), dtype, chunks)


class _Packed:
    """Puts several results of a function, for each entry of a stack, one behind the other."""

    def __init__(self, function: Callable, dtype: np.dtype, cores: Sequence[int]):
        self.function, self.dtype, self.cores = function, np.dtype(dtype), cores
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *boxes: np.ndarray) -> np.ndarray:
        flat = []
        for part, core in zip(self.function(*boxes), self.cores):
            cut = np.ndim(part) - core
            flat.append(np.reshape(part, (*np.shape(part)[:cut], math.prod(np.shape(part)[cut:]))))
        return np.concatenate(flat, axis=-1).astype(self.dtype, copy=False)


def _several(name: str, function: Callable, inputs: Sequence, cores: Sequence[int], made: Sequence[tuple], dtypes: Sequence) -> list:
    """Give several results of a function over stacks, which is called once for all of them."""
    together = np.result_type(*dtypes)
    sizes = [math.prod(shape) for shape in made]
    packed = _Packed(function, together, [len(shape) for shape in made])
    flat = _stacked(name, packed, inputs, cores, (sum(sizes),), together)
    stack, begin, results = flat.shape[:-1], 0, []
    for shape, size, dtype in zip(made, sizes, dtypes):
        part = flat[..., begin : begin + size].reshape((*stack, *shape))
        if together.kind == "c" and np.dtype(dtype).kind != "c":
            part = part.real
        results.append(part.astype(dtype))
        begin += size
    return results


class _Call:
    """A function of `numpy.linalg` with its arguments."""

    def __init__(self, name: str, *args: Any, **kwargs: Any):
        self.__name__, self.args, self.kwargs = name, args, kwargs

    def __call__(self, *boxes: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            return getattr(np.linalg, self.__name__)(*boxes, *self.args, **self.kwargs)


def _adjoint(x: Any) -> Any:
    return _einsum._conjugated(x).mT


# Products


def matmul(x1: Any, x2: Any, /) -> Any:
    """Multiply matrices, or stacks of them.

    Examples
    --------
    >>> vm.linalg.matmul(vm.ones((2, 3)), vm.ones((3, 2))).compute()
    array([[3., 3.],
           [3., 3.]])
    """
    return call("matmul", (asarray(x1), asarray(x2)))


def _fold(name: str, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return call(name, (x,), {"axis": list(axes), "keepdims": keepdims})


def _largest(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Give the largest of values that are not negative; 0 where there are none, as in NumPy."""
    none = any(x.shape[axis] == 0 for axis in axes)
    return _fold("sum" if none else "max", x, axes, keepdims)


def _smallest(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if any(x.shape[axis] == 0 for axis in axes):
        raise ValueError(f"norm: there is no smallest value along axes of length 0, the array has shape {x.shape}")
    return _fold("min", x, axes, keepdims)
