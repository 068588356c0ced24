"""Brightness, as in `skimage.exposure`: by the range and the histogram of the whole image, whatever its chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from voxmill._core import axis_in, call
from voxmill._create import arange, asarray
from voxmill._floats import limits, supported_float
from voxmill._local_thresholds import bins_of

__all__ = [
    "adjust_gamma",
    "adjust_log",
    "adjust_sigmoid",
    "cumulative_distribution",
    "equalize_adapthist",
    "equalize_hist",
    "histogram",
    "is_low_contrast",
    "match_histograms",
    "rescale_intensity",
]


def rescale_intensity(image: Any, in_range: Any = "image", out_range: Any = "dtype") -> Any:
    """Stretch a range of values to another one, as `skimage.exposure.rescale_intensity` does.

    Parameters
    ----------
    image : array_like
    in_range : "image", "dtype", a dtype, or a pair of numbers
        The values that are stretched; what lies beyond is cut off. ``"image"`` is the smallest and the largest value of the whole image,
        which stay lazy.
    out_range : "image", "dtype", a dtype, or a pair of numbers
        What they become. A dtype, also ``"uint10"``, ``"uint12"`` or ``"uint14"``, is that of the result, too, and begins at 0 if the image
        has no negative values; a pair gives floats.

    Returns
    -------
    Array
        NaN in an image whose range is not given makes everything NaN.

    Examples
    --------
    >>> vm.exposure.rescale_intensity(vm.asarray([51.0, 102, 153])).compute()
    array([0. , 0.5, 1. ])
    >>> vm.exposure.rescale_intensity(vm.asarray([51, 102, 153], dtype="uint8"), out_range=(0, 1)).compute()
    array([0. , 0.5, 1. ])
    """
    ranges = {"in_range": _range(in_range, "in_range"), "out_range": _range(out_range, "out_range")}
    return call("rescale_intensity", (_real(image),), ranges)


def _range(given: Any, name: str) -> Any:
    if isinstance(given, str):
        return given
    if isinstance(given, (type, np.dtype)):
        return np.dtype(given).name
    if isinstance(given, Iterable):
        pair = [float(v) for v in given]
        if len(pair) == 2:
            return pair
    raise ValueError(f"{name} should be 'image', 'dtype', a valid image data type or a pair of values, got {given!r}")


def _real(image: Any) -> Any:
    image = asarray(image)
    supported_float(image.dtype)
    return image


def adjust_gamma(image: Any, gamma: float = 1, gain: float = 1) -> Any:
    """Raise brightness, from 0 to the largest value of the dtype (1 for floats), to a power, as `skimage.exposure.adjust_gamma` does.

    Parameters
    ----------
    image : array_like
        A negative value is an error when it is computed.
    gamma : float
        The power; not negative.
    gain : float
        What the result is multiplied with.

    Returns
    -------
    Array
        With the dtype of the image.

    Examples
    --------
    >>> vm.exposure.adjust_gamma(vm.asarray([0.0, 0.5, 1.0]), 2).compute()
    array([0.  , 0.25, 1.  ])
    """
    return call("adjust_gamma", (_real(image),), {"gamma": float(gamma), "gain": float(gain)})


def adjust_log(image: Any, gain: float = 1, inv: bool = False) -> Any:
    """Give the logarithm of brightness, ``gain * log2(1 + image)`` for floats, as `skimage.exposure.adjust_log` does.

    Parameters
    ----------
    image : array_like
        Whole numbers are divided by the largest one of their dtype, and the result is multiplied with it. A negative value is an error
        when it is computed.
    gain : float
        What the result is multiplied with.
    inv : bool
        Take ``gain * (2**image - 1)`` instead.

    Returns
    -------
    Array
        With the dtype of the image.

    Examples
    --------
    >>> vm.exposure.adjust_log(vm.asarray([0.0, 1.0])).compute()
    array([0., 1.])
    """
    return call("adjust_log", (_real(image),), {"gain": float(gain), "inv": bool(inv)})


def adjust_sigmoid(image: Any, cutoff: float = 0.5, gain: float = 10, inv: bool = False) -> Any:
    """Give more contrast around a middle brightness, ``1 / (1 + exp(gain * (cutoff - image)))``, as `skimage.exposure.adjust_sigmoid` does.

    Parameters
    ----------
    image : array_like
        As in `adjust_log`.
    cutoff : float
        The middle brightness, as a share of the largest value.
    gain : float
        How much contrast.
    inv : bool
        Turn dark and bright around.

    Returns
    -------
    Array
        With the dtype of the image.

    Examples
    --------
    >>> vm.exposure.adjust_sigmoid(vm.asarray([0.0, 0.5, 1.0])).compute().round(3)
    array([0.007, 0.5  , 0.993])
    """
    return call("adjust_sigmoid", (_real(image),), {"cutoff": float(cutoff), "gain": float(gain), "inv": bool(inv)})


def histogram(
    image: Any, nbins: int = 256, source_range: str = "image", normalize: bool = False, *, channel_axis: int | None = None
) -> tuple[Any, Any]:
    """Count the values of an image, as `skimage.exposure.histogram` does.

    Parameters
    ----------
    image : array_like
        Whole numbers have a bin for each value, floats have equal bins.
    nbins : int
        Number of bins for floats.
    source_range : {"image", "dtype"}
        Between which values the bins lie. The range of an image of whole numbers is computed at the call, as it is the shape of the
        result.
    normalize : bool
        Divide by the number of elements that were counted.
    channel_axis : int, optional
        An axis of colours, each of which is counted for itself; it becomes the first axis of the counts.

    Returns
    -------
    counts : Array
    centers : Array
        The middle of each bin.

    Examples
    --------
    >>> counts, centers = vm.exposure.histogram(vm.asarray([3, 5, 5], dtype="uint8"))
    >>> counts.compute(), centers.compute()
    (array([1, 0, 2]), array([3, 4, 5]))
    """
    image = _real(image)
    if source_range not in ("image", "dtype"):
        raise ValueError(f"Incorrect value for `source_range` argument: {source_range}")
    bins, centers = _bins(image, nbins, source_range)
    parts = [image]
    if channel_axis is not None:
        if image.dtype.kind == "f":
            # The same bins for all colours.
            bins = {"bins": call("histogram_bin_edges", (image,), bins).compute().tolist()}
        axis = axis_in(channel_axis, image.ndim)
        parts = [image[(slice(None),) * axis + (k,)] for k in range(image.shape[axis])]
    counts = [call("histogram", (part,), bins) for part in parts]
    if normalize:
        counts = [count / count.sum() for count in counts]
    return (counts[0] if channel_axis is None else call("stack", tuple(counts), {"axis": 0})), centers


def _bins(image: Any, nbins: int, source_range: str) -> tuple[dict[str, Any], Any]:
    """Give the bins as parameters of a histogram, and their middles."""
    if image.dtype.kind in "iu":
        low, high = limits(image.dtype) if source_range == "dtype" else _extremes(image)
        if high - low >= 1 << 27:
            raise ValueError(f"there would be a bin for each value from {low} to {high}: cast the image to uint16 or a float first")
        return {"bins": high - low + 1, "range": [low - 0.5, high + 0.5]}, arange(low, high + 1)
    if source_range == "dtype":
        bins: dict[str, Any] = {"bins": nbins, "range": [float(v) for v in limits(image.dtype)]}
    elif image.dtype.kind == "b" or image.size == 0:
        bins = {"bins": nbins}
    else:
        low, high = _extremes(image)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
        bins = {"bins": nbins}
    edges = call("histogram_bin_edges", (image,), bins)
    return bins, (edges[:-1] + edges[1:]) / 2.0


def _extremes(image: Any) -> tuple[Any, Any]:
    from voxmill._run import compute

    if image.size == 0:
        raise ValueError("an image without elements has no smallest and largest value")
    low, high = compute(image.min(), image.max())
    return (int(low), int(high)) if image.dtype.kind in "iu" else (float(low), float(high))


def cumulative_distribution(image: Any, nbins: int = 256) -> tuple[Any, Any]:
    """Give the share of elements in each bin and all bins before, as `skimage.exposure.cumulative_distribution` does.

    Parameters
    ----------
    image, nbins
        As in `histogram`.

    Returns
    -------
    shares : Array
        float32 for float32 and float16, else float64.
    centers : Array
        The middle of each bin.

    Examples
    --------
    >>> vm.exposure.cumulative_distribution(vm.asarray([3, 5, 5, 6], dtype="uint8"))[0].compute()
    array([0.25, 0.25, 0.75, 1.  ])
    """
    counts, centers = histogram(image, nbins)
    sums = call("cumsum", (counts,), {"axis": 0})
    return (sums / sums[-1]).astype(supported_float(asarray(image).dtype)), centers


def equalize_hist(image: Any, nbins: int = 256, mask: Any = None) -> Any:
    """Make all values equally frequent: the share of elements that are not brighter, as `skimage.exposure.equalize_hist` does.

    Parameters
    ----------
    image : array_like
        Whole numbers have a bin for each value, floats have equal bins between whose middles shares are interpolated.
    nbins : int
        Number of bins for floats.
    mask : array_like of bool, optional
        Which elements are counted.

    Returns
    -------
    Array
        From 0 to 1. float32 for float32 and float16, else float64.

    Examples
    --------
    >>> vm.exposure.equalize_hist(vm.asarray([3, 5, 5, 200], dtype="uint8")).compute()
    array([0.25, 0.75, 0.75, 1.  ])
    """
    image = _real(image)
    arrays = (image,) if mask is None else (image, asarray(mask).astype(bool))
    if mask is not None and arrays[1].shape != image.shape:
        raise ValueError(f"the mask has shape {arrays[1].shape}, the image {image.shape}; they must be equal")
    return call("equalize_hist", arrays, {"nbins": nbins, **bins_of(image)})


def equalize_adapthist(image: Any, kernel_size: Any = None, clip_limit: float = 0.01, nbins: int = 256) -> Any:
    """Equalise brightness in the neighbourhood of each element, with limited contrast (CLAHE), as `skimage.exposure` does, n-dimensional.

    Parameters
    ----------
    image : array_like
        Floats must lie between -1 and 1: others are an error when they are computed. The last axis is never taken for colours.
    kernel_size : int or sequence of int, optional
        Lengths of the blocks that have a curve each; an eighth of each axis by default.
    clip_limit : float
        The largest share of a block that a bin may have.
    nbins : int
        Number of bins.

    Returns
    -------
    Array
        From 0 to 1. float32 for float32 and float16, else float64.

    Examples
    --------
    >>> image = np.linspace(0.4, 0.6, 64).reshape(8, 8)
    >>> found = vm.exposure.equalize_adapthist(image, kernel_size=4).compute()
    >>> float(found.min()), float(found.max())
    (0.0, 1.0)
    """
    image = _real(image)
    if isinstance(kernel_size, Iterable):
        kernel_size = [int(k) for k in kernel_size]
        if len(kernel_size) != image.ndim:
            raise ValueError(f"Incorrect value of `kernel_size`: {kernel_size}")
    elif kernel_size is not None:
        kernel_size = int(kernel_size)
    return call("equalize_adapthist", (image,), {"kernel_size": kernel_size, "clip_limit": float(clip_limit), "nbins": nbins})


def is_low_contrast(
    image: Any, fraction_threshold: float = 0.05, lower_percentile: float = 1, upper_percentile: float = 99, method: str = "linear"
) -> bool:
    """Tell whether an image uses less than a share of the range of its dtype. It is computed at the call.

    Parameters
    ----------
    image : array_like
        The last axis is never taken for colours.
    fraction_threshold : float
        The share.
    lower_percentile, upper_percentile : float
        What is darker or brighter does not count.
    method : str
        Accepted for scikit-image's sake; it is not used there either.

    Returns
    -------
    bool

    Examples
    --------
    >>> vm.exposure.is_low_contrast(np.linspace(0, 0.04, 100)), vm.exposure.is_low_contrast(np.linspace(0, 1, 100))
    (True, False)
    """
    from voxmill._run import compute

    image = _real(image)
    if image.dtype == bool:
        low, high = compute(image.min(), image.max())
        return not (high == 1 and low == 0)
    percentiles = call("percentile", (image,), {"q": [float(lower_percentile), float(upper_percentile)]}).compute()
    low, high = limits(image.dtype)
    return bool((percentiles[1] - percentiles[0]) / (float(high) - float(low)) < fraction_threshold)


def match_histograms(image: Any, reference: Any, *, channel_axis: int | None = None) -> Any:
    """Change brightness such that its distribution is that of another image, as `skimage.exposure.match_histograms` does.

    Parameters
    ----------
    image, reference : array_like
        With the same number of axes. The different values of both are found at the call, and must fit memory; the result is lazy.
    channel_axis : int, optional
        An axis of colours, each of which is changed for itself.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64; with `channel_axis` whole numbers keep their dtype, as in scikit-image.

    Examples
    --------
    >>> vm.exposure.match_histograms(vm.asarray([1, 2, 2, 3]), vm.asarray([10, 20, 20, 30])).compute()
    array([10., 20., 20., 30.])
    """
    image, reference = _real(image), _real(reference)
    if image.ndim != reference.ndim:
        raise ValueError("Image and reference must have the same number of channels.")
    if channel_axis is None:
        return _matched(image, reference).astype(supported_float(image.dtype))
    axis = axis_in(channel_axis, image.ndim)
    if image.shape[axis] != reference.shape[axis]:
        raise ValueError("Number of channels in the input image and reference image must match!")
    at = [(slice(None),) * axis + (k,) for k in range(image.shape[axis])]
    return call("stack", tuple(_matched(image[k], reference[k]).astype(image.dtype) for k in at), {"axis": axis})


def _matched(image: Any, reference: Any) -> Any:
    from voxmill._blocks import map_blocks
    from voxmill._sets import unique

    values, counts = (np.asarray(part) for part in unique(image, return_counts=True))
    wanted, n_wanted = (np.asarray(part) for part in unique(reference, return_counts=True))
    shares, shares_wanted = np.cumsum(counts) / image.size, np.cumsum(n_wanted) / reference.size
    table = np.interp(shares, shares_wanted, wanted)
    return map_blocks(_looked_up, image, values=values, table=table, dtype="float64")


def _looked_up(block: np.ndarray, values: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[np.searchsorted(values, block)]
