"""Edges and smoothing, as in `skimage.filters`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from voxmill._core import axis_in, call
from voxmill._create import asarray
from voxmill._floats import float_image, supported_float

# Smoothing


def gaussian(
    image: Any,
    sigma: Any = 1.0,
    *,
    mode: str = "nearest",
    cval: float = 0,
    preserve_range: bool = False,
    truncate: float = 4.0,
    channel_axis: int | None = None,
    out: Any = None,
) -> Any:
    """Smooth an image with a Gaussian, as `skimage.filters.gaussian` does.

    Parameters
    ----------
    image : array_like
        Whole numbers are divided by the largest one of their dtype first, unless `preserve_range`. float16 and float32 give float32,
        everything else float64.
    sigma : float or sequence of float
        Standard deviation, for all axes or for each. Must not be negative; 0 leaves an axis as it is.
    mode, cval
        What lies beyond the border, as in `voxmill.ndimage`.
    preserve_range : bool
        Keep the values of whole numbers.
    truncate : float
        Where the window ends, in standard deviations.
    channel_axis : int, optional
        An axis of colours, which is not smoothed along.
    out : None
        Results are lazy, so that nothing can be written into an array.

    Returns
    -------
    Array

    Examples
    --------
    >>> x = np.zeros((1, 5), dtype="uint8")
    >>> x[0, 2] = 255
    >>> vm.filters.gaussian(x, 0.5).compute().round(2)
    array([[0.  , 0.11, 0.79, 0.11, 0.  ]])
    """
    _no_out(out)
    image = asarray(image)
    if np.any(np.asarray(sigma) < 0.0):
        raise ValueError("Sigma values less than zero are not valid")
    if channel_axis is not None:
        sigma = list(sigma) if isinstance(sigma, Iterable) else [sigma] * (image.ndim - 1)
        if len(sigma) == image.ndim - 1:
            sigma.insert(axis_in(channel_axis, image.ndim), 0)
    dtype = supported_float(image.dtype)
    image = (image if preserve_range else float_image(image)).astype(dtype)
    widths = [float(s) for s in sigma] if isinstance(sigma, Iterable) else float(sigma)
    return call("gaussian_filter", (image,), {"sigma": widths, "mode": mode, "cval": cval, "truncate": truncate})


def difference_of_gaussians(
    image: Any,
    low_sigma: Any,
    high_sigma: Any = None,
    *,
    mode: str = "nearest",
    cval: float = 0,
    channel_axis: int | None = None,
    truncate: float = 4.0,
) -> Any:
    """Keep details between two widths: a Gaussian minus a wider one, as `skimage.filters.difference_of_gaussians` does.

    Parameters
    ----------
    image, mode, cval, channel_axis, truncate
        As in `gaussian`.
    low_sigma : float or sequence of float
        The narrower Gaussian.
    high_sigma : float or sequence of float, optional
        The wider one; 1.6 times `low_sigma` by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> found = vm.filters.difference_of_gaussians(np.eye(9), 1, 3).compute()
    >>> bool(found[4, 4] > 0 > found[0, 8])
    True
    """
    image = float_image(asarray(image))
    spatial = image.ndim - (channel_axis is not None)
    low = np.array(low_sigma, dtype=float, ndmin=1)
    high = low * 1.6 if high_sigma is None else np.array(high_sigma, dtype=float, ndmin=1)
    for name, widths in (("low_sigma", low), ("high_sigma", high)):
        if len(widths) not in (1, spatial):
            raise ValueError(f"{name} must have length equal to number of spatial dimensions of input")
    low, high = low * np.ones(spatial), high * np.ones(spatial)
    if np.any(high < low):
        raise ValueError("high_sigma must be equal to or larger than low_sigma for all axes")
    same: dict[str, Any] = {"mode": mode, "cval": cval, "channel_axis": channel_axis, "truncate": truncate}
    return gaussian(image, low, **same) - gaussian(image, high, **same)


def unsharp_mask(
    image: Any, radius: Any = 1.0, amount: float = 1.0, preserve_range: bool = False, *, channel_axis: int | None = None
) -> Any:
    """Sharpen an image: what a Gaussian takes away is added, as `skimage.filters.unsharp_mask` does.

    Parameters
    ----------
    image : array_like
        As in `gaussian`.
    radius : float or sequence of float
        Standard deviation of the Gaussian.
    amount : float
        How much of the details is added.
    preserve_range : bool
        Keep the values of whole numbers, and do not limit the result. Else it is limited to 0 to 1, or to -1 to 1 if the image has a
        negative value anywhere.
    channel_axis : int, optional
        An axis of colours, each of which is sharpened for itself.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.filters.unsharp_mask(np.array([[0.2, 0.2, 0.6, 0.6]]), amount=0.5).compute().round(2)
    array([[0.19, 0.14, 0.66, 0.61]])
    """
    image = asarray(image)
    dtype = supported_float(image.dtype)
    scaled = (image if preserve_range else float_image(image)).astype(dtype)
    blurred = gaussian(scaled, radius, mode="reflect", channel_axis=channel_axis)
    sharp = scaled + (scaled - blurred) * amount
    if preserve_range:
        return sharp
    if image.dtype.kind in "bu" or image.size == 0:
        return call("clip", (sharp,), {"min": 0.0, "max": 1.0})
    low = call("where", ((image < 0).any(), -1.0, 0.0)).astype(dtype)
    return call("minimum", (call("maximum", (sharp, low)), 1.0))


def median(image: Any, footprint: Any = None, out: Any = None, mode: str = "nearest", cval: float = 0.0, behavior: str = "ndimage") -> Any:
    """Give the median of the neighbourhood of each element, as `skimage.filters.median` does.

    Parameters
    ----------
    image : array_like
    footprint : array_like, optional
        Which neighbours count; all within a distance of 1 along each axis by default.
    out : None
        Results are lazy, so that nothing can be written into an array.
    mode, cval
        What lies beyond the border, as in `voxmill.ndimage`.
    behavior : {"ndimage"}
        scikit-image's other way, ``"rank"``, is not there.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.filters.median(np.array([[1, 9, 2, 3]])).compute()
    array([[1, 2, 3, 3]])
    """
    _no_out(out)
    if behavior != "ndimage":
        raise NotImplementedError(f"median: behavior must be 'ndimage', got {behavior!r}")
    image = asarray(image)
    if footprint is None:
        footprint = np.ones((3,) * image.ndim)
    return call("median_filter", (image,), {"footprint": np.asarray(footprint), "mode": mode, "cval": cval})


def _no_out(out: Any) -> None:
    if out is not None:
        raise NotImplementedError("a lazy result cannot be written into an array: leave out=None, and call .compute(out=...) or store it")


# Edges


def _edges(operator: str, image: Any, mask: Any, axis: Any = None, mode: str = "reflect", cval: float = 0.0) -> Any:
    axes = axis if axis is None or np.isscalar(axis) else [int(a) for a in axis]
    found = call("edge_filter", (asarray(image),), {"operator": operator, "axis": axes, "mode": mode, "cval": cval})
    return _masked(found, mask)


def _masked(found: Any, mask: Any) -> Any:
    """Give 0 where a neighbour does not belong to the mask."""
    if mask is None:
        return found
    mask = asarray(mask)
    if mask.shape != found.shape:
        raise ValueError(f"the mask has shape {mask.shape}, the image {found.shape}; they must be equal")
    return found * call("binary_erosion", (mask,), {"structure": np.ones((3,) * mask.ndim), "border_value": 0})


def _plane(image: Any, name: str) -> Any:
    image = asarray(image)
    if image.ndim != 2:
        raise ValueError(f"{name}: the image must have 2 axes, not {image.ndim}")
    return image


def sobel(image: Any, mask: Any = None, *, axis: Any = None, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Find edges with Sobel's weights, in any number of dimensions, as `skimage.filters.sobel` does.

    Parameters
    ----------
    image : array_like
        Whole numbers are divided by the largest one of their dtype. float16 and float32 give float32, everything else float64.
    mask : array_like of bool, optional
        The result is 0 where the mask is not true for all neighbours.
    axis : int or sequence of int, optional
        Edges across this axis, with their sign; the root of the mean square over several axes, or all by default.
    mode, cval
        What lies beyond the border, as in `voxmill.ndimage`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.filters.sobel(np.array([[0.0, 0, 1, 1]] * 2), axis=1).compute()
    array([[0., 1., 1., 0.],
           [0., 1., 1., 0.]])
    """
    return _edges("sobel", image, mask, axis, mode, cval)


def sobel_h(image: Any, mask: Any = None) -> Any:
    """Find horizontal edges of a plane with Sobel's weights; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.sobel_h(np.array([[0.0], [1.0], [1.0]])).compute().ravel()
    array([1., 1., 0.])
    """
    return _edges("sobel", _plane(image, "sobel_h"), mask, 0)


def sobel_v(image: Any, mask: Any = None) -> Any:
    """Find vertical edges of a plane with Sobel's weights; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.sobel_v(np.array([[0.0, 1.0, 1.0]])).compute()
    array([[1., 1., 0.]])
    """
    return _edges("sobel", _plane(image, "sobel_v"), mask, 1)


def prewitt(image: Any, mask: Any = None, *, axis: Any = None, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Find edges with Prewitt's weights, in any number of dimensions; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.prewitt(np.array([[0.0, 0, 1, 1]] * 2), axis=1).compute().round(6)
    array([[0., 1., 1., 0.],
           [0., 1., 1., 0.]])
    """
    return _edges("prewitt", image, mask, axis, mode, cval)


def prewitt_h(image: Any, mask: Any = None) -> Any:
    """Find horizontal edges of a plane with Prewitt's weights; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.prewitt_h(np.array([[0.0], [1.0], [1.0]])).compute().ravel().round(6)
    array([1., 1., 0.])
    """
    return _edges("prewitt", _plane(image, "prewitt_h"), mask, 0)


def prewitt_v(image: Any, mask: Any = None) -> Any:
    """Find vertical edges of a plane with Prewitt's weights; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.prewitt_v(np.array([[0.0, 1.0, 1.0]])).compute().round(6)
    array([[1., 1., 0.]])
    """
    return _edges("prewitt", _plane(image, "prewitt_v"), mask, 1)


def scharr(image: Any, mask: Any = None, *, axis: Any = None, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Find edges with Scharr's weights, which suit all directions, in any number of dimensions; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.scharr(np.array([[0.0, 0, 1, 1]] * 2), axis=1).compute()
    array([[0., 1., 1., 0.],
           [0., 1., 1., 0.]])
    """
    return _edges("scharr", image, mask, axis, mode, cval)


def scharr_h(image: Any, mask: Any = None) -> Any:
    """Find horizontal edges of a plane with Scharr's weights; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.scharr_h(np.array([[0.0], [1.0], [1.0]])).compute().ravel()
    array([1., 1., 0.])
    """
    return _edges("scharr", _plane(image, "scharr_h"), mask, 0)


def scharr_v(image: Any, mask: Any = None) -> Any:
    """Find vertical edges of a plane with Scharr's weights; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.scharr_v(np.array([[0.0, 1.0, 1.0]])).compute()
    array([[1., 1., 0.]])
    """
    return _edges("scharr", _plane(image, "scharr_v"), mask, 1)


def farid(image: Any, mask: Any = None, *, axis: Any = None, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Find edges with the weights of Farid and Simoncelli, in any number of dimensions; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.farid(np.array([[0.0, 0, 1, 1]] * 2), axis=1).compute().round(2)
    array([[0.11, 0.39, 0.39, 0.11],
           [0.11, 0.39, 0.39, 0.11]])
    """
    return _edges("farid", image, mask, axis, mode, cval)


def farid_h(image: Any, *, mask: Any = None) -> Any:
    """Find horizontal edges of a plane with the weights of Farid and Simoncelli; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.farid_h(np.array([[0.0], [1.0], [1.0]])).compute().ravel().round(2)
    array([0.28, 0.39, 0.11])
    """
    return _edges("farid", _plane(image, "farid_h"), mask, 0)


def farid_v(image: Any, *, mask: Any = None) -> Any:
    """Find vertical edges of a plane with the weights of Farid and Simoncelli; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.farid_v(np.array([[0.0, 1.0, 1.0]])).compute().round(2)
    array([[0.28, 0.39, 0.11]])
    """
    return _edges("farid", _plane(image, "farid_v"), mask, 1)


def _convolved(image: Any, weights: Any, mask: Any) -> Any:
    image = asarray(image)
    image = float_image(image).astype(supported_float(image.dtype))
    return _masked(call("convolve", (image,), {"weights": np.asarray(weights, dtype=float)}), mask)


def roberts(image: Any, mask: Any = None) -> Any:
    """Find edges of a plane with Roberts' crosses; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.roberts(np.array([[0.0, 0], [0, 1]])).compute().round(2)
    array([[0.71, 1.  ],
           [1.  , 0.  ]])
    """
    image = _plane(image, "roberts")
    return call("sqrt", (roberts_pos_diag(image, mask) ** 2 + roberts_neg_diag(image, mask) ** 2,)) / float(np.sqrt(2))


def roberts_pos_diag(image: Any, mask: Any = None) -> Any:
    """Give differences along the falling diagonal of a plane, by Roberts; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.roberts_pos_diag(np.array([[0.0, 0], [0, 1]])).compute()
    array([[1., 1.],
           [1., 0.]])
    """
    return _convolved(_plane(image, "roberts_pos_diag"), [[1, 0], [0, -1]], mask)


def roberts_neg_diag(image: Any, mask: Any = None) -> Any:
    """Give differences along the rising diagonal of a plane, by Roberts; arguments as in `sobel`.

    Examples
    --------
    >>> vm.filters.roberts_neg_diag(np.array([[0.0, 0], [1, 0]])).compute()
    array([[1., 0.],
           [1., 0.]])
    """
    return _convolved(_plane(image, "roberts_neg_diag"), [[0, 1], [-1, 0]], mask)


def laplace(image: Any, ksize: int = 3, mask: Any = None) -> Any:
    """Give each element times twice the number of axes minus its neighbours along the axes, as `skimage.filters.laplace` does.

    Parameters
    ----------
    image, mask
        As in `sobel`.
    ksize : int
        Not used: the weights beyond 3 are 0, as they are in scikit-image.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.filters.laplace(np.array([[0.0, 1, 0]])).compute()
    array([[-1.,  2., -1.]])
    """
    image = asarray(image)
    weights = np.zeros((3,) * image.ndim)
    for axis in range(image.ndim):
        place = [1] * image.ndim
        for end in (0, 2):
            place[axis] = end
            weights[tuple(place)] = -1
    weights[(1,) * image.ndim] = 2 * image.ndim
    return _convolved(image, weights, mask)
