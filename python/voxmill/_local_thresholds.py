"""Thresholds of several classes, and thresholds that differ from place to place, as in `skimage.filters`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._edges import gaussian
from voxmill._floats import supported_float

MOST_BINS = 1 << 27
"""Whole numbers have a bin for each value between the smallest and the largest one; more than this are refused."""


def image_of(image: Any) -> Any:
    """Give an image of real numbers."""
    image = asarray(image)
    if image.dtype.kind == "c":
        raise TypeError(f"a threshold is not defined for {image.dtype}; take vm.abs(image)")
    return image


def bins_of(image: Any) -> dict[str, Any]:
    """Give the range of whole numbers of more than 16 bits, which is computed here: there is a bin for each value."""
    if image.dtype.kind not in "iu" or image.dtype.itemsize <= 2 or image.size == 0:
        return {}
    from voxmill._run import compute

    low, high = (int(v) for v in compute(image.min(), image.max()))
    if high - low >= MOST_BINS:
        raise ValueError(f"there would be a bin for each value from {low} to {high}: cast the image to uint16 or a float first")
    return {"range": [low, high]}


def threshold_multiotsu(image: Any, classes: int = 3, nbins: int = 256) -> Any:
    """Find the thresholds between several classes with the largest variance between them, as `skimage.filters.threshold_multiotsu` does.

    Parameters
    ----------
    image : array_like
        Whole numbers have a bin for each value, floats have equal bins.
    classes : int
        Number of classes.
    nbins : int
        Number of bins for floats.

    Returns
    -------
    Array
        One threshold less than classes. An image with fewer values than classes is an error when it is computed.

    Examples
    --------
    >>> image = vm.asarray([1, 2, 2, 3, 40, 41, 43, 90, 91], dtype="uint8")
    >>> vm.filters.threshold_multiotsu(image).compute()
    array([ 3, 43])
    """
    image = image_of(image)
    if classes < 2:
        raise ValueError(f"threshold_multiotsu: classes must be at least 2, got {classes}")
    return call("threshold_multiotsu", (image,), {"classes": classes, "nbins": nbins, **bins_of(image)})


def threshold_niblack(image: Any, window_size: Any = 15, k: float = 0.2) -> Any:
    """Give a threshold for each element: the mean of its window minus `k` standard deviations, as `skimage.filters.threshold_niblack` does.

    Parameters
    ----------
    image : array_like
        Mirrored beyond its border.
    window_size : int or sequence of int
        Lengths of the window; odd.
    k : float
        How much the standard deviation counts.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64.

    Examples
    --------
    >>> vm.filters.threshold_niblack(np.array([[1.0, 1, 9, 9]]), window_size=(1, 3)).compute().round(2)
    array([[1.  , 2.91, 5.58, 9.  ]])
    """
    return call("threshold_niblack", (image_of(image),), {"window_size": _each(window_size), "k": k})


def threshold_sauvola(image: Any, window_size: Any = 15, k: float = 0.2, r: float | None = None) -> Any:
    """Give a threshold for each element: the mean of its window, lower where that is uniform, as `skimage.filters.threshold_sauvola` does.

    Parameters
    ----------
    image, window_size, k
        As in `threshold_niblack`.
    r : float, optional
        The largest standard deviation; half of the range of the dtype by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.filters.threshold_sauvola(np.array([[1.0, 1, 9, 9]]), window_size=(1, 3), r=4).compute().round(2)
    array([[0.8 , 3.62, 6.26, 7.2 ]])
    """
    return call("threshold_sauvola", (image_of(image),), {"window_size": _each(window_size), "k": k, "r": r})


def threshold_local(
    image: Any,
    block_size: Any = 3,
    method: str = "gaussian",
    offset: float = 0,
    mode: str = "reflect",
    param: Any = None,
    cval: float = 0,
) -> Any:
    """Give a threshold for each element from its neighbourhood, as `skimage.filters.threshold_local` does.

    Parameters
    ----------
    image : array_like
    block_size : int or sequence of int
        Lengths of the neighbourhood; odd.
    method : {"gaussian", "mean", "median", "generic"}
        What is made of the neighbourhood; ``"generic"`` calls the function `param`.
    offset : float
        What is subtracted.
    mode, cval
        What lies beyond the border, as in `voxmill.ndimage`.
    param : float or callable, optional
        The width of the Gaussian, or a function of the neighbourhood, as in `voxmill.ndimage.generic_filter`.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64.

    Examples
    --------
    >>> vm.filters.threshold_local(np.array([[1.0, 1, 9, 9]]), (1, 3), method="mean", offset=1).compute().round(2)
    array([[0.  , 2.67, 5.33, 8.  ]])
    """
    image = image_of(image)
    sizes = [int(block_size)] * image.ndim if np.isscalar(block_size) else [int(b) for b in block_size]
    if len(sizes) != image.ndim:
        raise ValueError("len(block_size) must equal image.ndim.")
    if any(b % 2 == 0 for b in sizes):
        raise ValueError(f"block_size must be odd! Given block_size {tuple(sizes)} contains even values.")
    image = image.astype(supported_float(image.dtype))
    border = {"mode": mode, "cval": cval}
    if method == "generic":
        from voxmill._generic_filter import generic_filter

        found = generic_filter(image, param, sizes, **border)
    elif method == "gaussian":
        found = gaussian(image, [(b - 1) / 6.0 for b in sizes] if param is None else param, **border)
    elif method in ("mean", "median"):
        found = call({"mean": "uniform_filter", "median": "median_filter"}[method], (image,), {"size": sizes, **border})
    else:
        raise ValueError("Invalid method specified. Please use `generic`, `gaussian`, `mean`, or `median`.")
    return found - offset


def li_of_floats(image: Any, tolerance: float | None, initial_guess: float | Callable | None) -> Any:
    """Find Li's threshold of floats: one pass over the image for each step, at the call."""
    from voxmill._run import compute

    there = call("isfinite", (image,))
    chosen = call("where", (there, image, np.nan)).astype("float64")
    low, high, n = compute(call("nanmin", (chosen,)), call("nanmax", (chosen,)), there.sum())
    if n == 0:
        only_nan = not bool(compute(call("isinf", (image,)).any())[0])
        return asarray(np.nan if only_nan else 0.0)
    if low == high:
        return asarray(image.dtype.type(low))
    shifted = chosen - low
    if not tolerance:
        tolerance = _smallest_gap(image, there) / 2
    if initial_guess is None:
        following = float(call("nanmean", (shifted,)).compute())
    else:
        following = float(initial_guess) - float(low)  # type: ignore[arg-type]
        if not 0 < following < high - low:
            raise ValueError(
                "The initial guess for threshold_li must be within the range of the image. "
                f"Got {initial_guess} for image min {low} and max {high}."
            )
    current = -2 * tolerance
    while abs(following - current) > tolerance:
        current = following
        above = shifted > current
        sums = (call("where", (above, shifted, 0.0)).sum(), above.sum(), call("nansum", (shifted,)))
        sum_above, n_above, total = (float(v) for v in compute(*sums))
        front, back = sum_above / n_above, (total - sum_above) / (n - n_above)
        if back == 0:
            break
        following = (back - front) / (np.log(back) - np.log(front))
    return asarray(np.float64(following + low))


def _smallest_gap(image: Any, there: Any) -> float:
    """Give the smallest difference of two values that occur."""
    from voxmill._sets import unique

    values = np.asarray(unique(call("where", (there, image, np.nan)).astype(image.dtype).ravel()))
    return float(np.min(np.diff(values[np.isfinite(values)].astype("float64"))))


def _each(size: Any) -> Any:
    return [int(s) for s in size] if isinstance(size, Iterable) else int(size)
