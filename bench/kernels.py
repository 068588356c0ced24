"""Hand-written numba loops: what an expert would write for one workload. Imports numba; load it lazily."""

from __future__ import annotations

import numba as nb
import numpy as np

jit = nb.njit(parallel=True, fastmath=True, cache=True)
jit_one = nb.njit(fastmath=True, cache=True)


@jit
def moments(x: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation in one pass over the data, in double precision.

    Sums are taken about the first value, so that a large mean does not cancel the digits.
    """
    origin = x[0]
    total = 0.0
    squares = 0.0
    for i in nb.prange(x.size):
        d = np.float64(x[i] - origin)
        total += d
        squares += d * d
    mean = total / x.size
    return origin + mean, np.sqrt(squares / x.size - mean * mean)


@jit
def clipped_sum(x: np.ndarray, mean: np.float32, std: np.float32) -> float:
    total = 0.0
    inverse = np.float32(1.0) / std
    for i in nb.prange(x.size):
        v = (x[i] - mean) * inverse
        total += min(max(v, np.float32(0.0)), np.float32(1.0))
    return total


@jit
def add_planes(slab: np.ndarray, acc: np.ndarray) -> None:
    """acc[y, x] += sum over t of slab[t, y, x], each thread on its own rows."""
    for y in nb.prange(slab.shape[1]):
        for t in range(slab.shape[0]):
            for x in range(slab.shape[2]):
                acc[y, x] += np.uint32(slab[t, y, x])


@jit
def plane_sums(slab: np.ndarray, sums: np.ndarray) -> None:
    """sums[t] = sum of the plane t."""
    for t in nb.prange(slab.shape[0]):
        total = np.uint32(0)
        for y in range(slab.shape[1]):
            for x in range(slab.shape[2]):
                total += np.uint32(slab[t, y, x])
        sums[t] = total


@jit
def power(z: np.ndarray, out: np.ndarray) -> None:
    """out = |z|^2 of complex64, without temporaries."""
    for i in nb.prange(z.shape[0]):
        for j in range(z.shape[1]):
            for k in range(z.shape[2]):
                v = z[i, j, k]
                out[i, j, k] = v.real * v.real + v.imag * v.imag


@jit
def gaussian_plane(x: np.ndarray, wz: np.ndarray, wy: np.ndarray, wx: np.ndarray, out: np.ndarray) -> None:
    """One plane of a separable filter: `x` holds exactly the planes of the halo, borders reflect in y and x."""
    depth, height, width = x.shape
    ry, rx = wy.size // 2, wx.size // 2
    flat = np.zeros((height, width), np.float32)
    for y in nb.prange(height):
        for z in range(depth):
            for i in range(width):
                flat[y, i] += wz[z] * x[z, y, i]
    for y in nb.prange(height):
        row = np.zeros(width + 2 * rx, np.float32)
        for k in range(-ry, ry + 1):
            s = y + k
            s = -s - 1 if s < 0 else (2 * height - s - 1 if s >= height else s)
            for i in range(width):
                row[i + rx] += wy[k + ry] * flat[s, i]
        for i in range(rx):
            row[rx - 1 - i] = row[rx + i]
            row[rx + width + i] = row[rx + width - 1 - i]
        for i in range(width):
            out[y, i] = np.float32(0.0)
        for k in range(2 * rx + 1):
            for i in range(width):
                out[y, i] += wx[k] * row[i + k]
