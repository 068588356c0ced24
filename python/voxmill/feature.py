"""Features of images, as in `skimage.feature`."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._peaks import peak_local_max

__all__ = ["hessian_matrix", "hessian_matrix_eigvals", "peak_local_max"]


def hessian_matrix(
    image: Any, sigma: Any = 1, mode: str = "constant", cval: float = 0, order: str = "rc", use_gaussian_derivatives: bool = True
) -> list[Any]:
    """Give the second derivatives of a smoothed image, as `skimage.feature.hessian_matrix` does with Gaussian derivatives.

    Whole numbers are taken as they are, not scaled to a range of 1.

    Parameters
    ----------
    image : array_like
    sigma : float or sequence of float
        Width of the Gaussian.
    mode, cval
        What lies beyond the border, as in `voxmill.ndimage`.
    order : {"rc", "xy"}
        Whether the first axis comes first, or last (2-D).
    use_gaussian_derivatives : bool
        Must be true: differences of a smoothed image are `vm.gradient` of `vm.ndimage.gaussian_filter`.

    Returns
    -------
    list of Array
        The upper half of the matrix, row by row.

    Examples
    --------
    >>> rr, rc, cc = vm.feature.hessian_matrix(np.eye(5), sigma=1.5, mode="reflect")
    >>> rr.shape
    (5, 5)
    """
    image = asarray(image)
    image = image.astype("float32" if image.dtype in (np.float16, np.float32) else "float64")
    if order not in ("rc", "xy") or (order == "xy" and image.ndim > 2):
        raise ValueError(f"hessian_matrix: order must be 'rc', or 'xy' for 2 axes, got {order!r}")
    if not use_gaussian_derivatives:
        raise NotImplementedError("hessian_matrix: only Gaussian derivatives are there; take vm.gradient of a smoothed image for differences")
    widths = [float(s) for s in np.broadcast_to(np.asarray(sigma, dtype=float), (image.ndim,))]
    params = {"mode": mode, "cval": cval, "truncate": 8 if all(s > 1 for s in widths) else 100, "sigma": [s / math.sqrt(2) for s in widths]}

    def derived(x: Any, axis: int) -> Any:
        return call("gaussian_filter", (x,), {**params, "order": [int(k == axis) for k in range(image.ndim)]})

    first = [derived(image, axis) for axis in range(image.ndim)]
    axes = range(image.ndim) if order == "rc" else reversed(range(image.ndim))
    return [derived(first[a], b) for a, b in combinations_with_replacement(axes, 2)]


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
    elements = [asarray(x) for x in H_elems]
    rank = {3: 2, 6: 3}.get(len(elements))
    if rank is None:
        raise ValueError(f"hessian_matrix_eigvals: 3 or 6 elements of a matrix are needed, got {len(elements)}")
    values = [call("eigen_map", tuple(elements), {"rule": {"value": k}, "rank": rank}) for k in range(rank)]
    return call("stack", tuple(values), {"axis": 0})
