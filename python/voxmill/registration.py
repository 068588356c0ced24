"""Bringing images into line, as in `skimage.registration`; and the steps of stacks of slices."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from voxmill import _interpolation as interpolation
from voxmill import fft
from voxmill._blocks import map_blocks
from voxmill._core import axes_in, axis_in
from voxmill._create import arange, asarray
from voxmill._reduce import tensordot
from voxmill._generated import absolute, maximum
from voxmill._generated import argmax
from voxmill._run import compute, persist
from voxmill._shape import moveaxis, stack

__all__ = ["align_stack", "centroid", "phase_cross_correlation", "recentre"]

_KEPT = 1 << 28
"""Spectra of up to this many bytes are kept in memory between the steps."""


def phase_cross_correlation(
    reference_image: Any,
    moving_image: Any,
    *,
    upsample_factor: int = 1,
    space: str = "real",
    disambiguate: bool = False,
    reference_mask: Any = None,
    moving_mask: Any = None,
    overlap_ratio: float = 0.3,
    normalization: str | None = "phase",
    progress: Any = None,
    **limits: Any,
) -> tuple[np.ndarray, float, float]:
    """Find how far an image is shifted against another, as `skimage.registration.phase_cross_correlation` does.

    Images may be larger than memory. The result is computed at once.

    Parameters
    ----------
    reference_image, moving_image : array_like
        Of the same shape.
    upsample_factor : int
        Shifts are found to within one of this many parts of an element, by products of matrices around the whole-element shift.
    space : {"real", "fourier"}
        What is given: images, or their Fourier transforms.
    disambiguate : bool
        The shift is known up to the length of each axis; find which way it goes by comparing the parts that overlap.
    reference_mask, moving_mask, overlap_ratio
        Not supported.
    normalization : {"phase", None}
        Whether all frequencies count the same.
    progress : bool, optional
        Whether to show a progress bar.
    **limits
        As in `voxmill.config`, for this call.

    Returns
    -------
    shift : numpy.ndarray
        By which `moving_image` has to be moved, for each axis; the argument of `voxmill.ndimage.shift`.
    error : float
    phasediff : float

    Examples
    --------
    >>> image = np.zeros((8, 8))
    >>> image[2:4, 3:6] = 1
    >>> shift, error, phase = vm.registration.phase_cross_correlation(image, np.roll(image, (1, -2), (0, 1)))
    >>> shift
    array([-1.,  2.])
    """
    if reference_mask is not None or moving_mask is not None:
        raise NotImplementedError("phase_cross_correlation: masks are not supported; fill what is masked with a constant first")
    if normalization not in ("phase", None):
        raise ValueError("phase_cross_correlation: normalization must be either phase or None")
    reference, moving = asarray(reference_image), asarray(moving_image)
    if reference.shape != moving.shape:
        raise ValueError(f"phase_cross_correlation: images must be same shape, not {reference.shape} and {moving.shape}")
    if reference.ndim == 0 or reference.size == 0:
        raise ValueError(f"phase_cross_correlation: there is nothing to compare in images of shape {reference.shape}")
    images = (reference, moving)
    if space.lower() == "real":
        reference, moving = fft.fftn(reference), fft.fftn(moving)
    elif space.lower() != "fourier":
        raise ValueError('phase_cross_correlation: space argument must be "real" or "fourier"')
    if reference.nbytes <= _KEPT:
        reference, moving = persist(reference, moving, progress=progress, **limits)
    product = reference * moving.conj()
    if normalization == "phase":
        eps = np.finfo(product.real.dtype).eps
        product = (product / maximum(absolute(product), 100 * eps)).astype(product.dtype)
    correlation = fft.ifftn(product)
    if reference.nbytes <= _KEPT:
        product, correlation = persist(product, correlation, progress=progress, **limits)
    at, amplitude, other = compute(
        argmax(absolute(correlation)), (absolute(reference) ** 2).sum(), (absolute(moving) ** 2).sum(), progress=progress, **limits
    )
    shape = np.array(reference.shape)
    place = np.unravel_index(int(at), reference.shape)
    shift = np.array(place).astype(product.real.dtype)
    wrapped = shift > np.trunc(shape / 2)
    shift[wrapped] -= shape[wrapped]
    if upsample_factor == 1:
        best = complex(np.asarray(correlation[place].compute(progress=progress, **limits)))
        amplitude, other = amplitude / reference.size, other / reference.size
    else:
        shift, best = _refined(product, shift, upsample_factor, progress, limits)
    shift[shape == 1] = 0
    if np.isnan(best) or np.isnan(amplitude) or np.isnan(other):
        raise ValueError("phase_cross_correlation: NaN values found, please remove them first")
    if disambiguate:
        pair = images if space.lower() == "real" else tuple(fft.ifftn(spectrum).real for spectrum in images)
        shift = _real_shift(*pair, shift, {"progress": progress, **limits})
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(np.abs(1.0 - (best * best.conjugate()).real / (np.float64(amplitude) * np.float64(other))))
    return shift, float(error), float(np.arctan2(best.imag, best.real))


def _refined(product: Any, shift: np.ndarray, factor: int, progress: Any, limits: dict[str, Any]) -> tuple[np.ndarray, complex]:
    """Give the shift to parts of an element: the correlation around the whole-element shift, on a finer grid, by products of matrices."""
    kind = shift.dtype.type
    shift = np.round(shift * kind(factor)) / kind(factor)
    size = int(np.ceil(factor * 1.5))
    middle = np.trunc(size / 2.0)
    data = product.conj()
    for n, offset in list(zip(product.shape, middle - shift * kind(factor), strict=True))[::-1]:
        kernel = np.exp(-2j * np.pi * (np.arange(size) - offset)[:, None] * np.fft.fftfreq(n, factor))
        data = tensordot(asarray(kernel.astype(product.dtype)), data, axes=(1, -1))
    fine = np.conj(np.asarray(data.compute(progress=progress, **limits)))
    place = np.unravel_index(np.argmax(np.abs(fine)), fine.shape)
    return shift + (np.array(place).astype(kind) - kind(middle)) / kind(factor), complex(fine[place])


def _real_shift(reference: Any, moving: Any, shift: np.ndarray, given: dict[str, Any]) -> np.ndarray:
    """Give the one of all shifts that are equal in a periodic image whose overlap is the most alike."""
    shape = np.array(reference.shape)
    ahead = shift % shape
    order = 3 if (shift % 1 != 0).any() else 0
    moved = interpolation.shift(moving, shift, mode="grid-wrap", order=order)
    cuts = np.round(ahead).astype(int)
    corners = list(itertools.product((False, True), repeat=len(shape)))
    boxes = [tuple(slice(cut, None) if behind else slice(0, cut) for cut, behind in zip(cuts, c, strict=True)) for c in corners]
    alike = [_correlation(reference[box], moved[box]) if reference[box].size > 2 else asarray(-1.0) for box in boxes]
    values = np.array([-1.0 if np.isnan(v) else float(v) for v in compute(*alike, **given)])
    if values.max() <= -1:
        warnings.warn(f"phase_cross_correlation: no overlap tells which way the shift {shift} goes", stacklevel=3)
        return shift
    return np.where(corners[int(np.argmax(values))], ahead, ahead - shape)


def _correlation(a: Any, b: Any) -> Any:
    """Give the coefficient of correlation of two images."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / ((a * a).sum() * (b * b).sum()) ** 0.5


def centroid(image: Any, axes: Any = (-2, -1)) -> Any:
    """Give the centre of mass of each slice of a stack, weighted by its values.

    Parameters
    ----------
    image : array_like
    axes : int or tuple of int
        The axes of a slice; all others count slices. None for all axes.

    Returns
    -------
    Array of float64
        With a coordinate for each of `axes` along the last axis; zeros for a slice without light.

    Examples
    --------
    >>> stack = np.zeros((2, 4, 5))
    >>> stack[0, 1, 2] = 3
    >>> stack[1, 2:4, 0] = 1
    >>> vm.registration.centroid(stack).compute()
    array([[1. , 2. ],
           [2.5, 0. ]])
    """
    image = asarray(image)
    if image.dtype.kind == "c":
        raise TypeError("centroid: complex values have no centre of mass")
    chosen = axes_in(axes, image.ndim)
    if not chosen:
        raise ValueError("centroid: a slice needs at least one axis")
    values = image if image.dtype.kind == "f" and image.dtype.itemsize == 8 else image.astype(np.float64)
    total = values.sum(axis=chosen)
    found = []
    for axis in chosen:
        # A profile along the axis first: the weights are then needed once per slice, not for every element.
        others = tuple(other for other in chosen if other != axis)
        profile = values.sum(axis=others, keepdims=True) if others else values
        line = [1] * image.ndim
        line[axis] = image.shape[axis]
        found.append((profile * arange(image.shape[axis], dtype=np.float64).reshape(line)).sum(axis=chosen))
    safe = total + (total == 0)
    return stack([moment / safe for moment in found], axis=-1)


def recentre(image: Any, shape: Any, axes: Any = (-2, -1)) -> Any:
    """Cut each slice of a stack to a window around its centre of mass.

    The window is moved by whole elements, and stays inside the slice.

    Parameters
    ----------
    image : array_like
    shape : sequence of int
        The shape of the window.
    axes : tuple of int
        The axes of a slice; all others count slices.

    Returns
    -------
    Array

    Examples
    --------
    >>> stack = np.zeros((2, 6, 6), dtype="uint8")
    >>> stack[0, 1, 1] = stack[1, 4, 3] = 9
    >>> vm.registration.recentre(stack, (2, 2)).compute()[:, 1, 1]
    array([9, 9], dtype=uint8)
    """
    image = asarray(image)
    chosen = tuple(axis_in(axis, image.ndim) for axis in axes)
    window = [int(n) for n in np.atleast_1d(np.asarray(shape))]
    if len(set(chosen)) != len(chosen) or len(window) != len(chosen):
        raise ValueError(f"recentre: a window of {len(window)} lengths does not suit the axes {tuple(axes)}")
    for axis, n in zip(chosen, window, strict=True):
        if not 1 <= n <= image.shape[axis]:
            raise ValueError(f"recentre: a window of {n} elements does not fit axis {axis} of length {image.shape[axis]}")
    if image.dtype.kind == "c":
        raise TypeError("recentre: complex values have no centre of mass")
    whole = image.rechunk({axis: -1 for axis in chosen})
    chunks = list(whole.chunks)
    for axis, n in zip(chosen, window, strict=True):
        chunks[axis] = (n,)
    return map_blocks(_cut, whole, axes=chosen, window=tuple(window), chunks=tuple(chunks), dtype=image.dtype)


def _cut(block: np.ndarray, axes: tuple[int, ...], window: tuple[int, ...]) -> np.ndarray:
    """Cut every slice of a block."""
    last = tuple(range(-len(axes), 0))
    slices = np.moveaxis(block, axes, last)
    out = np.empty(slices.shape[: -len(axes)] + window, block.dtype)
    for place in np.ndindex(slices.shape[: -len(axes)]):
        one = slices[place]
        total = one.sum(dtype=np.float64)
        parts = []
        for axis, n in enumerate(window):
            profile = one.sum(axis=tuple(k for k in range(one.ndim) if k != axis), dtype=np.float64)
            centre = int(profile @ np.arange(len(profile)) / total) if total > 0 else 0
            begin = min(max(centre - n // 2, 0), len(profile) - n)
            parts.append(slice(begin, begin + n))
        out[place] = one[tuple(parts)]
    return np.moveaxis(out, last, axes)


def align_stack(
    image: Any,
    axis: int = 0,
    *,
    reference: str | int = "previous",
    upsample_factor: int = 1,
    normalization: str | None = "phase",
    order: int = 1,
    mode: str = "constant",
    cval: float = 0.0,
    progress: Any = None,
    **limits: Any,
) -> tuple[Any, np.ndarray]:
    """Bring the slices of a stack into line: find their shifts by phase correlation, and undo them.

    Parameters
    ----------
    image : array_like
    axis : int
        Counts the slices.
    reference : "previous" or int
        What each slice is compared with: the one before it, shifts then add up; or the slice of this number.
    upsample_factor, normalization
        As in `phase_cross_correlation`.
    order, mode, cval
        How slices are moved, as in `voxmill.ndimage.shift`.
    progress : bool, optional
        Whether to show a progress bar.
    **limits
        As in `voxmill.config`, for this call.

    Returns
    -------
    aligned : Array
        Lazy.
    shifts : numpy.ndarray
        A row for each slice: how far it is moved.

    Examples
    --------
    >>> frame = np.zeros((8, 8))
    >>> frame[2:4, 3:6] = 1
    >>> drifting = np.stack([np.roll(frame, k, axis=1) for k in range(3)])
    >>> aligned, shifts = vm.registration.align_stack(drifting)
    >>> shifts[:, 1]
    array([ 0., -1., -2.])
    >>> bool((aligned[2] == frame).all())
    True
    """
    slices = moveaxis(asarray(image), axis, 0)
    if slices.ndim < 2:
        raise ValueError("align_stack: slices need at least one axis of their own")
    n = slices.shape[0]
    if reference != "previous" and not (isinstance(reference, (int, np.integer)) and -n <= reference < n):
        raise ValueError(f"align_stack: reference is 'previous' or the number of one of {n} slices, not {reference!r}")
    shifts = np.zeros((n, slices.ndim - 1))
    given = {"upsample_factor": upsample_factor, "normalization": normalization, "progress": progress, **limits}
    for k in range(n):
        if reference == "previous":
            if k:
                shifts[k] = shifts[k - 1] + phase_cross_correlation(slices[k - 1], slices[k], **given)[0]
        elif k != reference % n:
            shifts[k] = phase_cross_correlation(slices[reference], slices[k], **given)[0]
    moved = [
        interpolation.shift(slices[k], by, order=order, mode=mode, cval=cval) if by.any() else slices[k] for k, by in enumerate(shifts)
    ]
    return (moveaxis(stack(moved), 0, axis) if moved else asarray(image)), shifts
