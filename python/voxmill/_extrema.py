"""Reconstruction of grey values, and the extremes that follow from it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray, zeros
from voxmill._reconstruct import reconstructed
from voxmill._run import compute

__all__ = ["h_maxima", "h_minima", "local_maxima", "local_minima", "reconstruction"]


def reconstruction(seed: Any, mask: Any, method: str = "dilation", footprint: Any = None, offset: Any = None) -> Any:
    """Let values spread from neighbour to neighbour, limited by a mask, as `skimage.morphology.reconstruction` does.

    Exact whatever the chunks. An array of up to 2 million elements is one task; a larger one is computed at the call, in rounds over
    blocks until nothing changes, and what is held between rounds goes to the scratch folder if it is large.

    Parameters
    ----------
    seed, mask : array_like
        Of the same shape. For a dilation, the seed is nowhere above the mask, for an erosion nowhere below.
    method : {"dilation", "erosion"}
        Whether high or low values spread.
    footprint : array_like, optional
        Which neighbours values spread to; all that touch by default.
    offset : sequence of int, optional
        The middle of the footprint.

    Returns
    -------
    Array of float64, or of float32 where the mask is float32 or float16

    Examples
    --------
    >>> mask = vm.asarray([1, 3, 5, 3, 1, 4, 1])
    >>> vm.morphology.reconstruction([0, 0, 4, 0, 0, 0, 0], mask).compute()
    array([1., 3., 4., 3., 1., 1., 1.])
    """
    seed, mask = asarray(seed), asarray(mask)
    if method not in ("dilation", "erosion"):
        raise ValueError(f"Reconstruction method can be one of 'erosion' or 'dilation'. Got '{method}'.")
    if seed.shape != mask.shape:
        raise ValueError(f"reconstruction: the seed has shape {seed.shape}, the mask {mask.shape}; they must be equal")
    if "c" in (seed.dtype.kind, mask.dtype.kind):
        raise TypeError("reconstruction: complex numbers have no order; take real or abs first")
    (beyond,) = compute((seed > mask if method == "dilation" else seed < mask).any(), progress=False)
    if beyond:
        side = "less" if method == "dilation" else "greater"
        raise ValueError(f"Intensity of seed image must be {side} than that of the mask image for reconstruction by {method}.")
    dtype = "float32" if mask.dtype in (np.float16, np.float32) else "float64"
    middle, footprint = _middle(footprint, offset, seed.ndim)
    return reconstructed(seed.astype(dtype), mask.astype(dtype), footprint, middle, erosion=method == "erosion")


def _middle(footprint: Any, offset: Any, rank: int) -> tuple[list[int], np.ndarray]:
    footprint = np.ones([3] * rank, dtype=bool) if footprint is None else np.asarray(footprint) != 0
    if footprint.ndim != rank:
        raise ValueError(f"reconstruction: the footprint has {footprint.ndim} axes, the image {rank}")
    if offset is None:
        if not all(n % 2 for n in footprint.shape):
            raise ValueError("Footprint dimensions must all be odd")
        return [n // 2 for n in footprint.shape], footprint
    middle = [int(k) for k in np.ravel(np.asarray(offset))]
    if len(middle) != rank:
        raise ValueError("Offset and footprint ndims must be equal.")
    if not all(0 <= k < n for k, n in zip(middle, footprint.shape)):
        raise ValueError("Offset must be included inside footprint")
    return middle, footprint


def h_maxima(image: Any, h: float, footprint: Any = None) -> Any:
    """Give the maxima that stand out by at least `h`, as `skimage.morphology.h_maxima` does.

    Parameters
    ----------
    image : array_like
    h : float
        How far one has to go down from a maximum to reach a higher one.
    footprint : array_like, optional
        Which neighbours count; all that touch by default.

    Returns
    -------
    Array of uint8
        1 in maxima. Computed as `reconstruction` is.

    Examples
    --------
    >>> vm.morphology.h_maxima(vm.asarray([1, 5, 4, 6, 1, 3, 1]), 2).compute()
    array([0, 0, 0, 1, 0, 1, 0], dtype=uint8)
    """
    return _outstanding("h_maxima", image, h, footprint, 1)


def h_minima(image: Any, h: float, footprint: Any = None) -> Any:
    """Give the minima that are deeper than their surroundings by at least `h`; arguments as in `h_maxima`.

    Examples
    --------
    >>> vm.morphology.h_minima(vm.asarray([9, 5, 6, 4, 9, 7, 9]), 2).compute()
    array([0, 0, 0, 1, 0, 1, 0], dtype=uint8)
    """
    return _outstanding("h_minima", image, h, footprint, -1)


def _outstanding(name: str, image: Any, h: Any, footprint: Any, sign: int) -> Any:
    x = asarray(image)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name}: real numbers are needed, not {x.dtype}")
    if x.dtype == bool:
        raise TypeError(f"{name}: numbers are needed, not truth values; cast them with astype('uint8')")
    low, high = compute(x.min(), x.max(), progress=False)
    # As Python numbers, which do not run over.
    if h > high.item() - low.item():
        return zeros(x.shape, dtype="uint8", chunks=x.chunks)
    if isinstance(h, (float, np.floating)) and x.dtype.kind in "iu":
        if h % 1:
            warnings.warn(f"{name}: whole numbers become float64 to be compared with {h}", stacklevel=3)
            x = x.astype(float)
        else:
            h = int(h)
    if h == 0:
        raise ValueError(f"h = 0 is ambiguous, use local_{name.removeprefix('h_')}() instead?")
    if x.dtype.kind == "f":
        h = x.dtype.type(h)
        room = 2 * np.finfo(x.dtype).resolution * abs(x)
        shifted = x - h - room if sign > 0 else x + h + room
    else:
        shifted = _clipped(x, int(h), sign)
    made = reconstruction(shifted, x, "dilation" if sign > 0 else "erosion", footprint)
    rest = x - made if sign > 0 else made - x
    return (rest >= h).astype("uint8")


def _clipped(x: Any, h: int, sign: int) -> Any:
    """Subtract (or add) a whole number, down to the smallest (or up to the largest) of the dtype."""
    limits = np.iinfo(x.dtype)
    if sign > 0:
        return call("where", (x < limits.min + h, int(limits.min), x - h)).astype(x.dtype)
    return call("where", (x > limits.max - h, int(limits.max), x + h)).astype(x.dtype)


def local_maxima(
    image: Any, footprint: Any = None, connectivity: int | None = None, indices: bool = False, allow_borders: bool = True
) -> Any:
    """Find maxima: connected elements of equal value whose neighbours are all lower, as `skimage.morphology.local_maxima` does.

    Plateaus are compared as a whole, across all chunks, in bounded memory. An image of one value has no maxima.

    Parameters
    ----------
    image : array_like
    footprint : array_like, optional
        Which neighbours count: 3 positions per axis, the same from both sides.
    connectivity : int, optional
        In how many axes neighbours may differ, if no footprint is given; all of them by default.
    indices : bool
        Give positions instead: a tuple of arrays, computed at the call.
    allow_borders : bool
        Whether plateaus that reach the border may be maxima.

    Returns
    -------
    Array of bool, or tuple of numpy.ndarray

    Examples
    --------
    >>> vm.morphology.local_maxima(vm.asarray([1, 2, 2, 1, 3, 0, 0])).compute().astype(int)
    array([0, 1, 1, 0, 1, 0, 0])
    """
    x = asarray(image)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"local_maxima: real numbers are needed, not {x.dtype}")
    structure = _structure("local_maxima", footprint, connectivity, x.ndim)
    if not allow_borders and any(n < 3 for n in x.shape) and x.size:
        warnings.warn("maxima can't exist for an image with any dimension smaller 3 if borders aren't allowed", stacklevel=2)
    found = call("local_maxima", (x,), {"structure": structure, "allow_borders": bool(allow_borders)})
    return np.nonzero(found.compute()) if indices else found


def _structure(name: str, footprint: Any, connectivity: int | None, rank: int) -> np.ndarray:
    if footprint is None:
        connectivity = rank if connectivity is None else int(connectivity)
        return np.abs(np.indices([3] * rank) - 1).sum(axis=0) <= max(connectivity, 1)
    footprint = np.asarray(footprint) != 0
    if footprint.ndim != rank:
        raise ValueError(f"{name}: number of dimensions in image and footprint do not match: {rank} and {footprint.ndim}")
    if any(n != 3 for n in footprint.shape):
        raise ValueError(f"{name}: dimension size in footprint is not 3")
    return footprint


def local_minima(
    image: Any, footprint: Any = None, connectivity: int | None = None, indices: bool = False, allow_borders: bool = True
) -> Any:
    """Find minima: connected elements of equal value whose neighbours are all higher; arguments as in `local_maxima`.

    Examples
    --------
    >>> vm.morphology.local_minima(vm.asarray([1, 0, 0, 1, -3, 0, 0])).compute().astype(int)
    array([0, 1, 1, 0, 1, 0, 0])
    """
    x = asarray(image)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"local_minima: real numbers are needed, not {x.dtype}")
    turned = ~x if x.dtype.kind in "biu" else -x
    return local_maxima(turned, footprint, connectivity, indices, allow_borders)
