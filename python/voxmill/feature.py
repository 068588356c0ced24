"""Features of images, as in `skimage.feature`."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._edges import gaussian
from voxmill._floats import float_image, supported_float
from voxmill._peaks import peak_local_max

__all__ = [
    "canny",
    "hessian_matrix",
    "hessian_matrix_det",
    "hessian_matrix_eigvals",
    "peak_local_max",
    "shape_index",
    "structure_tensor",
    "structure_tensor_eigenvalues",
]


def canny(
    image: Any,
    sigma: float = 1.0,
    low_threshold: float | None = None,
    high_threshold: float | None = None,
    mask: Any = None,
    use_quantiles: bool = False,
    *,
    mode: str = "constant",
    cval: float = 0.0,
) -> Any:
    """Find edges that are one element thin, as `skimage.feature.canny` does. Edges are followed through the whole image.

    Parameters
    ----------
    image : array_like
        With 2 axes. Whole numbers of up to 32 bits are divided by the largest one of their dtype.
    sigma : float
        Standard deviation of the Gaussian that smooths the image.
    low_threshold, high_threshold : float, optional
        Weaker edges than `low_threshold` are left out, and those that are nowhere as strong as `high_threshold`; a tenth and a fifth of
        the range of the dtype by default.
    mask : array_like of bool, optional
        What belongs to the image.
    use_quantiles : bool
        The thresholds are shares of the elements of the whole image that are weaker, from 0 to 1.
    mode, cval
        What lies beyond the border for the Gaussian, as in `voxmill.ndimage`.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> square = np.zeros((9, 9))
    >>> square[3:6, 3:6] = 1
    >>> vm.feature.canny(square).compute()[4].astype(int)
    array([0, 0, 1, 0, 0, 0, 1, 0, 0])
    """
    image = asarray(image)
    if image.dtype in (np.int64, np.uint64):
        raise ValueError("64-bit integer images are not supported")
    supported_float(image.dtype)
    arrays = (image,) if mask is None else (image, asarray(mask).astype(bool))
    params = {"sigma": float(sigma), "low_threshold": low_threshold, "high_threshold": high_threshold, "mode": mode, "cval": cval}
    return call("canny", arrays, {**params, "use_quantiles": bool(use_quantiles)})


def _float_image(image: Any) -> Any:
    image = asarray(image)
    return float_image(image).astype(supported_float(image.dtype))


def _matrix(ndim: int, order: str, element: Callable[[int, int], Any]) -> list[Any]:
    """Give the upper half of a matrix over the axes, row by row."""
    if order not in ("rc", "xy"):
        raise ValueError(f'order {order!r} is invalid. Must be either "rc" or "xy"')
    if order == "xy" and ndim > 2:
        raise ValueError('Only "rc" order is supported for dim > 2.')
    axes = range(ndim) if order == "rc" else reversed(range(ndim))
    return [element(a, b) for a, b in combinations_with_replacement(axes, 2)]


def hessian_matrix(
    image: Any, sigma: Any = 1, mode: str = "constant", cval: float = 0, order: str = "rc", use_gaussian_derivatives: bool | None = None
) -> list[Any]:
    """Give the second derivatives of a smoothed image, as `skimage.feature.hessian_matrix` does.

    Parameters
    ----------
    image : array_like
        Whole numbers are divided by the largest one of their dtype.
    sigma : float or sequence of float
        Width of the Gaussian.
    mode, cval
        What lies beyond the border, as in `voxmill.ndimage`.
    order : {"rc", "xy"}
        Whether the first axis comes first, or last (2-D).
    use_gaussian_derivatives : bool, optional
        Take derivatives of Gaussians instead of differences of the smoothed image, which is the default.

    Returns
    -------
    list of Array
        The upper half of the matrix, row by row.

    Examples
    --------
    >>> rr, rc, cc = vm.feature.hessian_matrix(np.eye(5), sigma=1.5, mode="reflect", use_gaussian_derivatives=True)
    >>> rr.shape
    (5, 5)
    """
    image = _float_image(image)
    if not use_gaussian_derivatives:
        smooth = gaussian(image, sigma, mode=mode, cval=cval)
        slopes = [_gradient(smooth, axis) for axis in range(image.ndim)]
        return _matrix(image.ndim, order, lambda a, b: _gradient(slopes[a], b))
    widths = [float(s) for s in np.broadcast_to(np.asarray(sigma, dtype=float), (image.ndim,))]
    params = {"mode": mode, "cval": cval, "truncate": 8 if all(s > 1 for s in widths) else 100, "sigma": [s / math.sqrt(2) for s in widths]}

    def derived(x: Any, axis: int) -> Any:
        return call("gaussian_filter", (x,), {**params, "order": [int(k == axis) for k in range(image.ndim)]})

    first = [derived(image, axis) for axis in range(image.ndim)]
    return _matrix(image.ndim, order, lambda a, b: derived(first[a], b))


def _gradient(x: Any, axis: int) -> Any:
    from voxmill._neighbours import gradient

    return gradient(x, axis=axis)


def hessian_matrix_eigvals(H_elems: Any) -> Any:
    """Give the eigenvalues of a symmetric matrix at every element, the largest first, for 2 and 3 axes.

    Parameters
    ----------
    H_elems : sequence of array_like
        The upper half of the matrix, row by row, as `hessian_matrix` gives it.

    Returns
    -------
    Array
        With a new first axis for the eigenvalues.

    Examples
    --------
    >>> vm.feature.hessian_matrix_eigvals([np.full((1, 1), v) for v in (2.0, 0.0, 5.0)]).compute().ravel()
    array([5., 2.])
    """
    return _eigenvalues(H_elems, "hessian_matrix_eigvals")


def structure_tensor_eigenvalues(A_elems: Any) -> Any:
    """Give the eigenvalues of a structure tensor at every element, the largest first, for 2 and 3 axes.

    Parameters
    ----------
    A_elems : sequence of array_like
        The upper half of the tensor, row by row, as `structure_tensor` gives it.

    Returns
    -------
    Array
        With a new first axis for the eigenvalues.

    Examples
    --------
    >>> vm.feature.structure_tensor_eigenvalues([np.full((1, 1), v) for v in (2.0, 0.0, 5.0)]).compute().ravel()
    array([5., 2.])
    """
    return _eigenvalues(A_elems, "structure_tensor_eigenvalues")


def _eigenvalues(elements: Any, name: str) -> Any:
    arrays = [asarray(x) for x in elements]
    rank = {3: 2, 6: 3}.get(len(arrays))
    if rank is None:
        raise ValueError(f"{name}: 3 or 6 elements of a matrix are needed, got {len(arrays)}")
    values = [call("eigen_map", tuple(arrays), {"rule": {"value": k}, "rank": rank}) for k in range(rank)]
    return call("stack", tuple(values), {"axis": 0})


def structure_tensor(image: Any, sigma: Any = 1, mode: str = "constant", cval: float = 0, order: str = "rc") -> list[Any]:
    """Give smoothed products of Sobel's differences along each two axes, as `skimage.feature.structure_tensor` does.

    Parameters
    ----------
    image, mode, cval, order
        As in `hessian_matrix`.
    sigma : float or sequence of float
        Width of the Gaussian that the products are smoothed with.

    Returns
    -------
    list of Array
        The upper half of the tensor, row by row.

    Examples
    --------
    >>> rr, rc, cc = vm.feature.structure_tensor(np.eye(5), sigma=0.1)
    >>> cc.compute()[2]
    array([1., 4., 0., 4., 1.])
    """
    image = _float_image(image)
    if not np.isscalar(sigma) and len(tuple(sigma)) != image.ndim:
        raise ValueError("sigma must have as many elements as image has axes")
    border = {"mode": mode, "cval": cval}
    slopes = [call("sobel", (image,), {"axis": axis, **border}) for axis in range(image.ndim)]
    return _matrix(image.ndim, order, lambda a, b: gaussian(slopes[a] * slopes[b], sigma, **border))


def hessian_matrix_det(image: Any, sigma: Any = 1, approximate: bool = True) -> Any:
    """Give the determinant of the matrix of second derivatives, as `skimage.feature.hessian_matrix_det` does.

    Parameters
    ----------
    image : array_like
        With 2 or 3 axes. Whole numbers are divided by the largest one of their dtype.
    sigma : float
        Width of the Gaussian.
    approximate : bool
        In 2-D, take sums over boxes instead of Gaussians, whose work does not grow with `sigma`; always float64.

    Returns
    -------
    Array

    Examples
    --------
    >>> spot = np.zeros((9, 9))
    >>> spot[4, 4] = 1
    >>> found = vm.feature.hessian_matrix_det(spot, approximate=False).compute()
    >>> bool(found[4, 4] == found.max())
    True
    """
    image = _float_image(image)
    if image.ndim == 2 and approximate:
        return _determinant_of_boxes(image.astype("float64"), float(sigma))
    parts = hessian_matrix(image, sigma, use_gaussian_derivatives=False)
    if image.ndim == 2:
        a, b, c = parts
        return a * c - b * b
    if image.ndim == 3:
        a, b, c, d, e, f = parts
        return a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    raise NotImplementedError(f"hessian_matrix_det: images with 2 or 3 axes are known, not with {image.ndim}")


def _determinant_of_boxes(image: Any, sigma: float) -> Any:
    """Give the determinant from sums over boxes around each element; nothing lies beyond the border."""
    size = int(3 * sigma)
    if size < 1:
        raise ValueError(f"hessian_matrix_det: sigma must be at least 1/3, got {sigma}")
    half, third = (size - 1) // 2, size // 3
    scale = 1.0 / size / size

    def box(top: int, left: int, rows: int, columns: int) -> Any:
        return call("maximum", (_box_sum(image, (top, left), (rows, columns)), 0.0))

    def single(x: Any) -> Any:
        return x.astype("float32").astype("float64")

    dxy = box(-third, 1, third, third) + box(1, -third, third, third) - box(-third, -third, third, third) - box(1, 1, third, third)
    across = box(1 - third, -half, 2 * third - 1, size) - 3 * box(1 - third, -(third // 2), 2 * third - 1, third)
    along = box(-half, 1 - third, size, 2 * third - 1) - 3 * box(-(third // 2), 1 - third, third, 2 * third - 1)
    dxy, dxx, dyy = (single(-single(part) * scale) for part in (dxy, across, along))
    return dxx * dyy - 0.81 * (dxy * dxy)


def _box_sum(image: Any, corner: tuple[int, int], lengths: tuple[int, int]) -> Any:
    """Give the sum over the box behind `corner` from each element. A box that would begin before the image begins with it, as a whole."""
    for axis in range(2):
        image = _run_sum(image, axis, corner[axis], lengths[axis])
    return image


def _run_sum(image: Any, axis: int, corner: int, length: int) -> Any:
    from voxmill._shape import repeat

    if length < 1:
        return image * 0.0
    n, missing = image.shape[axis], max(-corner, 0)
    if missing >= n:
        inside = [slice(None)] * 2
        inside[axis] = slice(1, 1 + length)
        return repeat(image[tuple(inside)].sum(axis=axis, keepdims=True), n, axis=axis)
    # Ones behind the corner, in a window with the element in its middle.
    reach = max(abs(corner + 1), abs(corner + length))
    weights = np.zeros(2 * reach + 1)
    weights[reach + corner + 1 : reach + corner + 1 + length] = 1
    sums = call("correlate1d", (image,), {"weights": weights.tolist(), "axis": axis, "mode": "constant"})
    if missing == 0:
        return sums
    first, rest = [slice(None)] * 2, [slice(None)] * 2
    first[axis], rest[axis] = slice(missing, missing + 1), slice(missing, None)
    return call("concatenate", (repeat(sums[tuple(first)], missing, axis=axis), sums[tuple(rest)]), {"axis": axis})


def shape_index(image: Any, sigma: float = 1, mode: str = "constant", cval: float = 0) -> Any:
    """Tell shapes of a surface apart, from -1 for a cup to 1 for a cap, as `skimage.feature.shape_index` does.

    Parameters
    ----------
    image : array_like
        With 2 axes.
    sigma, mode, cval
        As in `hessian_matrix`.

    Returns
    -------
    Array
        NaN where the surface is flat.

    Examples
    --------
    >>> spot = np.zeros((5, 5))
    >>> spot[2, 2] = 4
    >>> vm.feature.shape_index(spot, sigma=0.1).compute()[2]
    array([-0.5,  nan, -1. ,  nan, -0.5])
    """
    image = asarray(image)
    if image.ndim != 2:
        raise ValueError(f"shape_index: the image must have 2 axes, not {image.ndim}")
    values = hessian_matrix_eigvals(hessian_matrix(image, sigma, mode, cval, use_gaussian_derivatives=False))
    high, low = values[0], values[1]
    return 2.0 / math.pi * call("arctan", ((low + high) / (low - high),))
