"""Filters, edges, thresholds and ridges, as in `skimage.filters`: over the whole image, whatever its chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._edges import (
    difference_of_gaussians,
    farid,
    farid_h,
    farid_v,
    gaussian,
    laplace,
    median,
    prewitt,
    prewitt_h,
    prewitt_v,
    roberts,
    roberts_neg_diag,
    roberts_pos_diag,
    scharr,
    scharr_h,
    scharr_v,
    sobel,
    sobel_h,
    sobel_v,
    unsharp_mask,
)
from voxmill._local_thresholds import (
    bins_of,
    image_of,
    li_of_floats,
    threshold_local,
    threshold_multiotsu,
    threshold_niblack,
    threshold_sauvola,
)

__all__ = [
    "apply_hysteresis_threshold",
    "difference_of_gaussians",
    "farid",
    "farid_h",
    "farid_v",
    "frangi",
    "gaussian",
    "hessian",
    "laplace",
    "median",
    "meijering",
    "prewitt",
    "prewitt_h",
    "prewitt_v",
    "roberts",
    "roberts_neg_diag",
    "roberts_pos_diag",
    "sato",
    "scharr",
    "scharr_h",
    "scharr_v",
    "sobel",
    "sobel_h",
    "sobel_v",
    "threshold_isodata",
    "threshold_li",
    "threshold_local",
    "threshold_mean",
    "threshold_minimum",
    "threshold_multiotsu",
    "threshold_niblack",
    "threshold_otsu",
    "threshold_sauvola",
    "threshold_triangle",
    "threshold_yen",
    "unsharp_mask",
]


def threshold_otsu(image: Any, nbins: int = 256) -> Any:
    """Find the threshold with the largest variance between the two classes.

    Parameters
    ----------
    image : array_like
        Whole numbers have a bin for each value, floats have equal bins. The range of whole numbers of more than 16 bits is computed at
        the call.
    nbins : int
        Number of bins for floats.

    Returns
    -------
    Array
        Without axes: ``image > threshold`` stays lazy, ``float(threshold)`` computes it.

    Examples
    --------
    >>> image = vm.asarray([1, 2, 2, 3, 40, 41, 43], dtype="uint8")
    >>> threshold = vm.filters.threshold_otsu(image)
    >>> int(threshold)
    3
    >>> (image > threshold).compute()
    array([False, False, False, False,  True,  True,  True])
    """
    return _of_counts("threshold_otsu", image, {"nbins": nbins})


def threshold_yen(image: Any, nbins: int = 256) -> Any:
    """Find the threshold with the largest entropic correlation of both sides; arguments as in `threshold_otsu`.

    Examples
    --------
    >>> int(vm.filters.threshold_yen(vm.asarray([1, 2, 2, 3, 40, 41, 43], dtype="uint8")))
    3
    """
    return _of_counts("threshold_yen", image, {"nbins": nbins})


def threshold_isodata(image: Any, nbins: int = 256) -> Any:
    """Find the first threshold in the middle between the means of both sides; arguments as in `threshold_otsu`.

    Examples
    --------
    >>> int(vm.filters.threshold_isodata(vm.asarray([1, 2, 2, 3, 40, 41, 43], dtype="uint8")))
    21
    """
    return _of_counts("threshold_isodata", image, {"nbins": nbins})


def threshold_triangle(image: Any, nbins: int = 256) -> Any:
    """Find the threshold farthest from the line between the peak and the farther end; arguments as in `threshold_otsu`.

    Examples
    --------
    >>> int(vm.filters.threshold_triangle(vm.asarray([1, 2, 2, 2, 3, 9], dtype="uint8")))
    4
    """
    return _of_counts("threshold_triangle", image, {"nbins": nbins})


def threshold_minimum(image: Any, nbins: int = 256, max_num_iter: int = 10000) -> Any:
    """Find the lowest point between two peaks of the histogram, which is smoothed until it has two.

    Arguments are as in `threshold_otsu`; the histogram is smoothed `max_num_iter` times at most. A histogram without two peaks is an
    error when it is computed.

    Examples
    --------
    >>> image = vm.asarray(np.repeat([1, 2, 3, 4, 8, 9, 10], [2, 9, 3, 1, 4, 8, 2]), dtype="uint8")
    >>> int(vm.filters.threshold_minimum(image))
    6
    """
    return _of_counts("threshold_minimum", image, {"nbins": nbins, "max_num_iter": max_num_iter})


def threshold_li(image: Any, *, tolerance: float | None = None, initial_guess: Any = None, iter_callback: Any = None) -> Any:
    """Find the threshold with the smallest cross entropy, as `skimage.filters.threshold_li` does.

    Parameters
    ----------
    image : array_like
        Whole numbers are counted once, lazily. Floats are looked at in every step of the search, so that their threshold is computed at
        the call; NaN and infinity do not count.
    tolerance : float, optional
        The search ends when the threshold moves less than this. By default 0.5 for whole numbers; half of the smallest difference of two
        values for floats, for which all different values must fit memory.
    initial_guess : float, optional
        Where the search begins; the mean by default.
    iter_callback : None
        Not there.

    Returns
    -------
    Array
        Without axes, float64.

    Examples
    --------
    >>> round(float(vm.filters.threshold_li(vm.asarray([1, 2, 2, 3, 40, 41, 43], dtype="uint8"))), 2)
    11.64
    """
    image = image_of(image)
    if iter_callback is not None or callable(initial_guess):
        raise NotImplementedError("threshold_li: iter_callback and an initial_guess that is a function are not there; give a number")
    if image.dtype.kind == "f":
        return li_of_floats(image, tolerance, initial_guess)
    return _of_counts("threshold_li", image, {"tolerance": tolerance or None, "initial_guess": initial_guess})


def threshold_mean(image: Any) -> Any:
    """Give the mean as a threshold.

    Examples
    --------
    >>> float(vm.filters.threshold_mean(vm.asarray([1, 2, 3, 10])))
    4.0
    """
    return call("mean", (asarray(image),))


def apply_hysteresis_threshold(image: Any, low: Any, high: Any) -> Any:
    """Give true where the image exceeds `low` in objects that exceed `high` somewhere, as `skimage.filters` does.

    Objects are connected along the axes, across all chunks.

    Parameters
    ----------
    image : array_like
    low, high : float or array_like
        `low` is at most `high`.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> image = vm.asarray([1, 2, 3, 2, 1, 2, 1, 3, 2])
    >>> vm.filters.apply_hysteresis_threshold(image, 1.5, 2.5).compute().astype(int)
    array([0, 1, 1, 1, 0, 0, 0, 1, 1])
    """
    image = asarray(image)
    if np.isscalar(low) and np.isscalar(high):
        low = min(low, high)
    return call("keep_marked", (image > low, image > high))


def sato(image: Any, sigmas: Any = range(1, 10, 2), black_ridges: bool = True, mode: str = "reflect", cval: float = 0) -> Any:
    """Find tubes: how much an image looks like one at any of several scales, as `skimage.filters.sato` does.

    Parameters
    ----------
    image : array_like
        With 2 or 3 axes. float32 stays float32, everything else gives float64.
    sigmas : sequence of float
        Widths of the Gaussians; the strongest response counts.
    black_ridges : bool
        Tubes are darker than what is around them; else brighter.
    mode : str
        What lies beyond the border, as in `voxmill.ndimage`.
    cval : float
        The value there, for ``mode="constant"``.

    Returns
    -------
    Array

    Examples
    --------
    >>> line = np.zeros((9, 9))
    >>> line[4] = 1
    >>> tubes = vm.filters.sato(line, sigmas=[2], black_ridges=False).compute()
    >>> bool((tubes[4] > tubes[1]).all())
    True
    """
    return call("sato", (image_of(image),), _scales(sigmas, black_ridges, mode, cval))


def frangi(
    image: Any,
    sigmas: Any = range(1, 10, 2),
    scale_range: Any = None,
    scale_step: Any = None,
    alpha: float = 0.5,
    beta: float = 0.5,
    gamma: float | None = None,
    black_ridges: bool = True,
    mode: str = "reflect",
    cval: float = 0,
) -> Any:
    """Find vessels: how much an image looks like one at any of several scales, as `skimage.filters.frangi` does.

    Parameters
    ----------
    image, sigmas, black_ridges, mode, cval
        As in `sato`.
    scale_range, scale_step
        The older way to say `sigmas`.
    alpha, beta, gamma : float
        Sensitivity to plates, to blobs, and to structure. Without `gamma`, half of the largest structure of the whole image at the first
        scale is used.

    Returns
    -------
    Array

    Examples
    --------
    >>> line = np.zeros((9, 9))
    >>> line[4] = 1
    >>> vessels = vm.filters.frangi(line, sigmas=[2], black_ridges=False).compute()
    >>> bool((vessels[4] > vessels[0]).all())
    True
    """
    if scale_range is not None and scale_step is not None:
        sigmas = np.arange(scale_range[0], scale_range[1], scale_step)
    params = {**_scales(sigmas, black_ridges, mode, cval), "alpha": alpha, "beta": beta, "gamma": gamma}
    return call("frangi", (image_of(image),), params)


def hessian(
    image: Any,
    sigmas: Any = range(1, 10, 2),
    scale_range: Any = None,
    scale_step: Any = None,
    alpha: float = 0.5,
    beta: float = 0.5,
    gamma: float | None = 15,
    black_ridges: bool = True,
    mode: str = "reflect",
    cval: float = 0,
) -> Any:
    """Find edges, wrinkles and vessels: as `frangi`, with 1 where it gives nothing.

    Examples
    --------
    >>> vm.filters.hessian(np.zeros((5, 5)), sigmas=[1]).compute().max()
    np.float64(1.0)
    """
    found = frangi(image, sigmas, scale_range, scale_step, alpha, beta, gamma, black_ridges, mode, cval)
    return call("where", (found <= 0, 1, found)).astype(found.dtype)


def meijering(
    image: Any, sigmas: Any = range(1, 10, 2), alpha: float | None = None, black_ridges: bool = True, mode: str = "reflect", cval: float = 0
) -> Any:
    """Find neurites: how much an image looks like one at any of several scales, as `skimage.filters.meijering` does.

    Each scale is divided by its largest response in the whole image. Arguments are as in `sato`; `alpha` is the share that each
    eigenvalue gets of the others.

    Examples
    --------
    >>> line = np.zeros((9, 9))
    >>> line[4] = 1
    >>> float(vm.filters.meijering(line, sigmas=[2], black_ridges=False).max())
    1.0
    """
    return call("meijering", (image_of(image),), {**_scales(sigmas, black_ridges, mode, cval), "alpha": alpha})


def _scales(sigmas: Any, black_ridges: bool, mode: str, cval: float) -> dict[str, Any]:
    widths = [float(sigma) for sigma in np.atleast_1d(np.asarray(list(sigmas) if not np.isscalar(sigmas) else sigmas, dtype=float))]
    return {"sigmas": widths, "black_ridges": bool(black_ridges), "mode": mode, "cval": cval}


def _of_counts(name: str, image: Any, params: dict[str, Any]) -> Any:
    image = image_of(image)
    return call(name, (image,), {**params, **bins_of(image)})
