"""Fourier transforms, as in `numpy.fft`. Axes may be chunked or not."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voxmill._assign import into
from voxmill._chunks import normalize_chunks
from voxmill._core import axis_in, call, dtype_name, wrap
from voxmill._create import asarray

NORMS = ("backward", "ortho", "forward")


def _along(name: str, a: Any, n: int | None, axis: int, norm: str | None, out: Any = None) -> Any:
    """Transform along one axis."""
    x = asarray(a)
    axis = axis_in(axis, x.ndim)
    length = operator.index(n) if n is not None else (x.shape[axis] - 1) * 2 if name in ("irfft", "hfft") else x.shape[axis]
    if length < 1:
        raise ValueError(f"{name}: invalid number of FFT data points ({length}) specified; it must be at least 1")
    if norm is not None and norm not in NORMS:
        raise ValueError(f'{name}: invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if name in ("rfft", "ihfft") and x.dtype.kind == "c":
        raise TypeError(f"{name} takes real values, not {x.dtype}; use fft, or x.real")
    return into(out, call(name, (x,), {"n": length, "axis": axis, "norm": norm or "backward"}), name)


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """Discrete Fourier transform along an axis.

    Parameters
    ----------
    a : array_like
    n : int, optional
        Length of the transform: a longer axis is cut off, a shorter one filled up with zeros.
    axis : int
        The axis to transform. It may be chunked; a task reads all of it, and as many rows as fit.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is divided by the length: the inverse one, both by its square root, or the forward one.
    out : Array or numpy.ndarray, optional
        Where to put the result, as in NumPy.

    Returns
    -------
    Array
        complex64 for single precision, else complex128.

    Examples
    --------
    >>> vm.fft.fft(vm.ones(4)).real.compute()
    array([4., 0., 0., 0.])
    """
    return _along("fft", a, n, axis, norm, out)


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `fft`.

    Examples
    --------
    >>> vm.fft.ifft([4, 0, 0, 0]).real.compute()
    array([1., 1., 1., 1.])
    """
    return _along("ifft", a, n, axis, norm, out)


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """Fourier transform of real values: the first half, which the other one follows from.

    Examples
    --------
    >>> vm.fft.rfft(vm.ones(4)).real.compute()
    array([4., 0., 0.])
    """
    return _along("rfft", a, n, axis, norm, out)


def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `rfft`; the result has the even length ``2 * (m - 1)`` unless `n` is given.

    Examples
    --------
    >>> vm.fft.irfft([4, 0, 0]).compute()
    array([1., 1., 1., 1.])
    """
    return _along("irfft", a, n, axis, norm, out)


def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """Real spectrum of a signal with Hermitian symmetry, given by its first half.

    Examples
    --------
    >>> vm.fft.hfft([1, 0, 0]).compute()
    array([1., 1., 1., 1.])
    """
    return _along("hfft", a, n, axis, norm, out)


def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `hfft`.

    Examples
    --------
    >>> vm.fft.ihfft(vm.ones(4)).real.compute()
    array([1., 0., 0.])
    """
    return _along("ihfft", a, n, axis, norm, out)


# Several axes


def _lengths(name: str, x: Any, s: Sequence[int] | None, axes: Sequence[int] | None) -> tuple[list[int], list[int]]:
    """Give the lengths of transforms and their axes."""
    if s is not None and axes is None:
        message = f"{name}: axes should be given where s is; the last {len(s)} axes are transformed"
        warnings.warn(message, DeprecationWarning, stacklevel=4)
        axes = range(-len(s), 0)
    axes = list(range(x.ndim)) if axes is None else [axis_in(axis, x.ndim) for axis in axes]
    given = [-1] * len(axes) if s is None else list(s)
    if len(given) != len(axes):
        raise ValueError(f"{name}: Shape and axes have different lengths: s has {len(given)} entries, axes has {len(axes)}")
    lengths = [x.shape[axis] if n is None or n == -1 else operator.index(n) for n, axis in zip(given, axes)]
    if s is None and axes and name.startswith("irfft"):
        lengths[-1] = (lengths[-1] - 1) * 2
    return lengths, axes


def _over(name: str, a: Any, s: Any, axes: Any, norm: str | None, out: Any, each: str, last: str | None = None) -> Any:
    """Transform along several axes; `last` is another transform for the last one, which halves or doubles it."""
    x = asarray(a)
    lengths, axes = _lengths(name, x, s, axes)
    steps = [(each, n, axis) for n, axis in zip(lengths, axes)]
    if last is not None:
        if not axes:
            raise IndexError(f"{name} needs at least one axis")
        steps[-1] = (last, *steps[-1][1:])
    for step, n, axis in steps if last == "irfft" else reversed(steps):
        x = _along(step, x, n, axis, norm)
    return into(out, x, name)


def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """Fourier transform along two axes, the last ones by default.

    Examples
    --------
    >>> vm.fft.fft2(vm.ones((2, 2))).real.compute()
    array([[4., 0.],
           [0., 0.]])
    """
    return _over("fft2", a, s, axes, norm, out, "fft")


def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `fft2`.

    Examples
    --------
    >>> vm.fft.ifft2([[4, 0], [0, 0]]).compute().real
    array([[1., 1.],
           [1., 1.]])
    """
    return _over("ifft2", a, s, axes, norm, out, "ifft")


def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """Fourier transform along several axes.

    Parameters
    ----------
    a : array_like
    s : list of int, optional
        Length of the transform along each of the axes; -1 for that of the array.
    axes : list of int, optional
        The axes to transform, all by default. They may be chunked: one axis after the other is transformed, in bounded memory.
    norm : {"backward", "ortho", "forward"}, optional
        As in `fft`.
    out : Array or numpy.ndarray, optional
        Where to put the result, as in NumPy.

    Examples
    --------
    >>> vm.fft.fftn(vm.ones((2, 2, 2))).real.sum().compute()
    np.float64(8.0)
    """
    return _over("fftn", a, s, axes, norm, out, "fft")


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `fftn`.

    Examples
    --------
    >>> vm.fft.ifftn(vm.fft.fftn(vm.ones((2, 2, 2)))).real.sum().compute()
    np.float64(8.0)
    """
    return _over("ifftn", a, s, axes, norm, out, "ifft")


def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """Fourier transform of real values along two axes: half of the last one.

    Examples
    --------
    >>> vm.fft.rfft2(vm.ones((4, 4))).shape
    (4, 3)
    """
    return _over("rfft2", a, s, axes, norm, out, "fft", "rfft")


def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `rfft2`.

    Examples
    --------
    >>> vm.fft.irfft2(vm.fft.rfft2(vm.ones((2, 4)))).shape
    (2, 4)
    """
    return _over("irfft2", a, s, axes, norm, out, "ifft", "irfft")


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """Fourier transform of real values along several axes: half of the last one.

    Examples
    --------
    >>> vm.fft.rfftn(vm.ones((4, 4, 4))).shape
    (4, 4, 3)
    """
    return _over("rfftn", a, s, axes, norm, out, "fft", "rfft")


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """Inverse of `rfftn`.

    Examples
    --------
    >>> vm.fft.irfftn(vm.fft.rfftn(vm.ones((2, 2, 4)))).shape
    (2, 2, 4)
    """
    return _over("irfftn", a, s, axes, norm, out, "ifft", "irfft")


# Frequencies and places


def _frequencies(name: str, n: int, d: float, dtype: Any, chunks: Any, device: Any) -> Any:
    if not isinstance(n, (int, np.integer)):
        raise ValueError(f"{name}: n should be an integer, not {n!r}")
    if n < 0:
        raise ValueError(f"{name}: n must be at least 1, not {n}")
    if n * d == 0:
        raise ZeroDivisionError(f"{name}: neither n nor d may be 0, they are {n} and {d}")
    if device not in (None, "cpu"):
        raise ValueError(f"{name}: there is no device {device!r}, only 'cpu'")
    result = call(name, (), {"n": int(n), "d": float(d)})
    result = wrap(result._expr.with_chunks(normalize_chunks(chunks, result.shape, dtype=result.dtype)))
    return result if dtype is None else call("astype", (result,), {"dtype": dtype_name(dtype)})


def fftfreq(n: int, d: float = 1.0, device: Any = None, *, dtype: Any = None, chunks: Any = "auto") -> Any:
    """Frequencies of the values of a Fourier transform of length `n`, with samples at distance `d`.

    Examples
    --------
    >>> vm.fft.fftfreq(4).compute()
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return _frequencies("fftfreq", n, d, dtype, chunks, device)


def rfftfreq(n: int, d: float = 1.0, device: Any = None, *, dtype: Any = None, chunks: Any = "auto") -> Any:
    """Frequencies of the values of a Fourier transform of `n` real samples at distance `d`.

    Examples
    --------
    >>> vm.fft.rfftfreq(4).compute()
    array([0.  , 0.25, 0.5 ])
    """
    return _frequencies("rfftfreq", n, d, dtype, chunks, device)


def _shifted(x: Any, axes: Any, back: bool) -> Any:
    x = asarray(x)
    chosen = range(x.ndim) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    places = [axis_in(axis, x.ndim) for axis in chosen]
    halves = [x.shape[axis] // 2 for axis in places]
    if not places:
        return x
    return call("roll", (x,), {"shift": [-n if back else n for n in halves], "axis": places})


def fftshift(x: Any, axes: Any = None) -> Any:
    """Move the frequency 0 to the middle of axes, all by default.

    Examples
    --------
    >>> vm.fft.fftshift(vm.arange(5)).compute()
    array([3, 4, 0, 1, 2])
    """
    return _shifted(x, axes, False)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Undo `fftshift`.

    Examples
    --------
    >>> vm.fft.ifftshift([3, 4, 0, 1, 2]).compute()
    array([0, 1, 2, 3, 4])
    """
    return _shifted(x, axes, True)


# Transforms of others


def fft_wrap(fft_func: Callable, kind: str | None = None, dtype: Any = None) -> Callable:
    """Give a function of another library that transforms axes, such as `scipy.fft.dct`, as one of lazy arrays.

    The axes that it transforms are whole in each block, whatever the chunks are.

    Parameters
    ----------
    fft_func : callable
        Called as ``fft_func(block, n=, axis=)``, or with ``s=, axes=`` if its name ends in "2" or "n".
    kind : str, optional
        Which transform of NumPy it is like; its own name by default.
    dtype : dtype, optional
        Element type of the result; seen from a call with a few elements by default.

    Examples
    --------
    >>> transform = vm.fft.fft_wrap(np.fft.rfft)
    >>> transform(vm.ones((2, 4))).shape
    (2, 3)
    """
    name = str(kind or getattr(fft_func, "__name__", "fft"))
    nd = name[-1] in "2n"

    def transform(a: Any, n: Any = None, axis: Any = None) -> Any:
        x = asarray(a)
        if nd:
            default = (-2, -1) if name[-1] == "2" else range(x.ndim)
            axes = [axis_in(k, x.ndim) for k in (default if axis is None else axis)]
            options = {"s": n, "axes": tuple(axes)}
        else:
            axes = [axis_in(-1 if axis is None else axis, x.ndim)]
            options = {"n": n, "axis": axes[0]}
        return _whole(fft_func, name, x, axes, {key: value for key, value in options.items() if value is not None}, dtype)

    transform.__name__ = name
    transform.__doc__ = f"`{name}` of another library, over blocks that have the transformed axes whole."
    return transform


def _whole(function: Callable, name: str, x: Any, axes: list[int], options: dict, dtype: Any) -> Any:
    from voxmill._along import map_whole

    # A call on zeros of the least size says what comes out; it costs what one row of the transform does.
    sample = np.asarray(function(np.zeros([n if k in axes else 1 for k, n in enumerate(x.shape)], x.dtype), **options))
    lengths = {axis: sample.shape[axis] for axis in axes}
    kind = sample.dtype if dtype is None else np.dtype(dtype)
    return map_whole(_Cast(function, options, kind), x, axes, kind, lengths, name=name)


class _Cast:
    """A transform with its arguments, in a dtype that was asked for."""

    def __init__(self, function: Callable, options: dict, dtype: np.dtype):
        self.function, self.options, self.dtype = function, options, dtype

    def __call__(self, box: np.ndarray) -> np.ndarray:
        return np.asarray(self.function(box, **self.options)).astype(self.dtype, copy=False)


__all__ = [
    "fft", "fft2", "fft_wrap", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2",
    "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
