"""Shapes of objects, as in `skimage.morphology`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._areas import area_closing, area_opening
from voxmill._extrema import h_maxima, h_minima, local_maxima, local_minima, reconstruction
from voxmill._flood import flood, flood_fill
from voxmill._footprints import (
    ball,
    cube,
    diamond,
    disk,
    ellipse,
    footprint_from_sequence,
    footprint_rectangle,
    is_sequence,
    mirror_footprint,
    octagon,
    octahedron,
    pad_footprint,
    rectangle,
    square,
    star,
)
from voxmill._thin import skeletonize, thin

__all__ = [
    "area_closing",
    "area_opening",
    "ball",
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_opening",
    "black_tophat",
    "closing",
    "cube",
    "diamond",
    "dilation",
    "disk",
    "ellipse",
    "erosion",
    "flood",
    "flood_fill",
    "footprint_from_sequence",
    "footprint_rectangle",
    "h_maxima",
    "h_minima",
    "isotropic_closing",
    "isotropic_dilation",
    "isotropic_erosion",
    "isotropic_opening",
    "local_maxima",
    "local_minima",
    "mirror_footprint",
    "octagon",
    "octahedron",
    "opening",
    "pad_footprint",
    "reconstruction",
    "rectangle",
    "remove_small_holes",
    "remove_small_objects",
    "skeletonize",
    "square",
    "star",
    "thin",
    "white_tophat",
]

_MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "max", "min", "ignore")


def erosion(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Give the smallest value under a footprint around each element, as `skimage.morphology.erosion` does.

    Parameters
    ----------
    image : array_like
    footprint : array_like or sequence of (array, int), optional
        Which neighbours count; those along the axes by default. A sequence is applied one after the other, each so many times.
    out
        Not taken here: assign the result.
    mode : str
        What lies beyond the border: ``"reflect"``, ``"constant"``, ``"nearest"``, ``"mirror"``, ``"wrap"``, ``"max"`` or ``"min"`` for
        the largest or smallest value of the dtype, ``"ignore"`` for nothing.
    cval : float
        The value there, for ``mode="constant"``.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.morphology.erosion(vm.asarray([3, 1, 4, 1, 5, 9, 2])).compute()
    array([1, 1, 1, 1, 1, 2, 2])
    """
    return _extreme("grey_erosion", image, footprint, out, mode, cval)


def dilation(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Give the largest value under a footprint around each element; parameters as in `erosion`.

    Examples
    --------
    >>> vm.morphology.dilation(vm.asarray([3, 1, 4, 1, 5, 9, 2])).compute()
    array([3, 4, 4, 5, 9, 9, 9])
    """
    return _extreme("grey_dilation", image, footprint, out, mode, cval)


def opening(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Erode, then dilate: takes away what is brighter and smaller than the footprint. Parameters as in `erosion`.

    Examples
    --------
    >>> vm.morphology.opening(vm.asarray([1, 1, 9, 1, 5, 5, 5])).compute()
    array([1, 1, 1, 1, 5, 5, 5])
    """
    image, footprint = asarray(image), pad_footprint(_given(image, footprint), pad_end=False)
    eroded = erosion(image, footprint, mode=mode, cval=cval)
    return dilation(eroded, mirror_footprint(footprint), out, mode=mode, cval=cval)


def closing(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Dilate, then erode: takes away what is darker and smaller than the footprint. Parameters as in `erosion`.

    Examples
    --------
    >>> vm.morphology.closing(vm.asarray([5, 5, 1, 5, 1, 1, 1])).compute()
    array([5, 5, 5, 5, 1, 1, 1])
    """
    image, footprint = asarray(image), pad_footprint(_given(image, footprint), pad_end=False)
    dilated = dilation(image, footprint, mode=mode, cval=cval)
    return erosion(dilated, mirror_footprint(footprint), out, mode=mode, cval=cval)


def white_tophat(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Give what an opening takes away. Parameters as in `erosion`.

    Examples
    --------
    >>> vm.morphology.white_tophat(vm.asarray([1, 1, 9, 1, 5, 5, 5])).compute()
    array([0, 0, 8, 0, 0, 0, 0])
    """
    image = asarray(image)
    opened = opening(image, footprint, out, mode=mode, cval=cval)
    return image ^ opened if image.dtype == bool else image - opened


def black_tophat(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "reflect", cval: float = 0.0) -> Any:
    """Give what a closing adds. Parameters as in `erosion`.

    Examples
    --------
    >>> vm.morphology.black_tophat(vm.asarray([5, 5, 1, 5, 1, 1, 1])).compute()
    array([0, 0, 4, 0, 0, 0, 0])
    """
    image = asarray(image)
    closed = closing(image, footprint, out, mode=mode, cval=cval)
    return closed ^ image if image.dtype == bool else closed - image


def _given(image: Any, footprint: Any) -> Any:
    """Give the footprint that is meant: a cross where none is given."""
    if footprint is None:
        rank = asarray(image).ndim
        return np.abs(np.indices([3] * rank) - 1).sum(axis=0) <= 1 if rank else np.ones(())
    if isinstance(footprint, (list, tuple)) and not all(isinstance(part, (list, tuple)) and len(part) == 2 for part in footprint):
        return np.asarray(footprint)
    return footprint


def _extreme(name: str, image: Any, footprint: Any, out: Any, mode: str, cval: float) -> Any:
    own = name.removeprefix("grey_")
    _refuse_out(own, out)
    x = asarray(image)
    if mode not in _MODES:
        raise ValueError(f"{own}: unsupported mode, got {mode!r}; there are {', '.join(_MODES)}")
    if mode == "ignore":
        mode = "max" if own == "erosion" else "min"
    if mode in ("max", "min"):
        mode, cval = "constant", _limit(x.dtype, mode)
    footprint = pad_footprint(_given(x, footprint), pad_end=False)
    for part, times in footprint if is_sequence(footprint) else [(footprint, 1)]:
        # scikit-image does not turn footprints around to dilate.
        part = mirror_footprint(part) if own == "dilation" else np.asarray(part)
        for _ in range(times):
            x = call(name, (x,), {"footprint": part != 0, "mode": mode, "cval": cval})
    return x


def _limit(dtype: np.dtype, which: str) -> Any:
    if dtype == bool:
        return which == "max"
    if dtype.kind in "iu":
        return int(getattr(np.iinfo(dtype), which))
    return np.inf if which == "max" else -np.inf


def _refuse_out(name: str, out: Any) -> None:
    if out is not None:
        raise TypeError(f"{name}: out= is not taken: results are new arrays")


def binary_erosion(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "ignore") -> Any:
    """Give true where a footprint fits into what is true, as `skimage.morphology.binary_erosion` does.

    Parameters
    ----------
    image : array_like
        Everything but zero counts as true.
    footprint : array_like or sequence of (array, int), optional
        Which neighbours count; those along the axes by default.
    out
        Not taken here: assign the result.
    mode : {"ignore", "max", "min"}
        What lies beyond the border: nothing that counts, true or false.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> vm.morphology.binary_erosion(vm.asarray([1, 1, 1, 0, 1])).compute().astype(int)
    array([1, 1, 0, 0, 0])
    """
    return _binary("binary_erosion", image, footprint, out, mode, mode != "min")


def binary_dilation(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "ignore") -> Any:
    """Give true where a footprint touches something true; parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.morphology.binary_dilation(vm.asarray([0, 0, 1, 0, 0])).compute().astype(int)
    array([0, 1, 1, 1, 0])
    """
    return _binary("binary_dilation", image, footprint, out, mode, mode == "max")


def binary_opening(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "ignore") -> Any:
    """Erode, then dilate truth values; parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.morphology.binary_opening(vm.asarray([0, 1, 0, 1, 1, 1, 0])).compute().astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    return binary_dilation(binary_erosion(image, footprint, mode=mode), footprint, out, mode=mode)


def binary_closing(image: Any, footprint: Any = None, out: Any = None, *, mode: str = "ignore") -> Any:
    """Dilate, then erode truth values; parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.morphology.binary_closing(vm.asarray([0, 0, 1, 0, 1, 0, 0])).compute().astype(int)
    array([0, 0, 1, 1, 1, 0, 0])
    """
    return binary_erosion(binary_dilation(image, footprint, mode=mode), footprint, out, mode=mode)


def _binary(name: str, image: Any, footprint: Any, out: Any, mode: str, border: bool) -> Any:
    _refuse_out(name, out)
    x = asarray(image)
    if mode not in ("max", "min", "ignore"):
        raise ValueError(f"{name}: unsupported mode, got {mode!r}; there are max, min and ignore")
    footprint = pad_footprint(_given(x, footprint), pad_end=True)
    for part, times in footprint if is_sequence(footprint) else [(footprint, 1)]:
        x = call(name, (x,), {"structure": np.asarray(part) != 0, "iterations": int(times), "border_value": int(border)})
    return x


def isotropic_erosion(image: Any, radius: float, out: Any = None, spacing: Any = None) -> Any:
    """Give true where everything within `radius` is true, by distances to the background.

    Parameters
    ----------
    image : array_like
        Everything but zero counts as true.
    radius : float
    out
        Not taken here: assign the result.
    spacing : float or sequence of float, optional
        Distance of neighbours, for all axes or for each; 1 by default.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> vm.morphology.isotropic_erosion(vm.asarray([0, 1, 1, 1, 1, 1, 0]), 1.5).compute().astype(int)
    array([0, 0, 1, 1, 1, 0, 0])
    """
    _refuse_out("isotropic_erosion", out)
    return call("distance_transform_edt", (asarray(image),), {"sampling": spacing}) > radius


def isotropic_dilation(image: Any, radius: float, out: Any = None, spacing: Any = None) -> Any:
    """Give true where anything within `radius` is true; parameters as in `isotropic_erosion`.

    Examples
    --------
    >>> vm.morphology.isotropic_dilation(vm.asarray([0, 0, 0, 1, 0, 0, 0]), 2).compute().astype(int)
    array([0, 1, 1, 1, 1, 1, 0])
    """
    _refuse_out("isotropic_dilation", out)
    return call("distance_transform_edt", (asarray(image) == 0,), {"sampling": spacing}) <= radius


def isotropic_opening(image: Any, radius: float, out: Any = None, spacing: Any = None) -> Any:
    """Erode, then dilate by a radius; parameters as in `isotropic_erosion`.

    Examples
    --------
    >>> vm.morphology.isotropic_opening(vm.asarray([0, 1, 0, 1, 1, 1, 0]), 1).compute().astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    _refuse_out("isotropic_opening", out)
    return isotropic_dilation(isotropic_erosion(image, radius, spacing=spacing), radius, spacing=spacing)


def isotropic_closing(image: Any, radius: float, out: Any = None, spacing: Any = None) -> Any:
    """Dilate, then erode by a radius; parameters as in `isotropic_erosion`.

    Examples
    --------
    >>> vm.morphology.isotropic_closing(vm.asarray([0, 0, 1, 0, 1, 0, 0]), 1).compute().astype(int)
    array([0, 0, 1, 1, 1, 0, 0])
    """
    _refuse_out("isotropic_closing", out)
    return isotropic_erosion(isotropic_dilation(image, radius, spacing=spacing), radius, spacing=spacing)


def remove_small_objects(ar: Any, min_size: int | None = None, connectivity: int = 1, *, max_size: int = 64, out: Any = None) -> Any:
    """Remove objects of at most `max_size` elements.

    Parameters
    ----------
    ar : array_like of bool or int
        Truth values, of which connected ones are an object; or labels, which are the objects, connected or not.
    min_size : int, optional
        The older way to say it: objects with fewer elements go.
    connectivity : int
        In how many axes neighbours may differ; for truth values.
    max_size : int
        Objects with at most so many elements go.
    out
        Not taken here: assign the result.

    Returns
    -------
    Array
        Of the same dtype. For labels, the objects are counted at the call, in one pass.

    Examples
    --------
    >>> vm.morphology.remove_small_objects(vm.asarray([1, 0, 1, 1, 0, 1, 1, 1], dtype=bool), max_size=2).compute().astype(int)
    array([0, 0, 0, 0, 0, 1, 1, 1])
    >>> vm.morphology.remove_small_objects(vm.asarray([7, 0, 2, 2, 0, 7, 3]), max_size=1).compute()
    array([7, 0, 2, 2, 0, 7, 0])
    """
    ar, size = _objects(ar, "remove_small_objects", out), _most(min_size, max_size)
    if ar.dtype == bool:
        return call("remove_small_objects", (ar,), {"max_size": size, "connectivity": connectivity})
    from voxmill._labels import mapped
    from voxmill._regions import Regions

    regions = Regions(ar)
    if (regions.label < 0).any():
        raise ValueError("remove_small_objects: labels must not be negative")
    small = regions.label[regions.n <= size]
    return mapped(ar, small, np.zeros_like(small), ar.dtype)


def remove_small_holes(ar: Any, area_threshold: int | None = None, connectivity: int = 1, *, max_size: int = 64, out: Any = None) -> Any:
    """Fill connected holes of at most `max_size` elements; arguments as in `remove_small_objects`. Labels give truth values.

    Examples
    --------
    >>> vm.morphology.remove_small_holes(vm.asarray([1, 0, 1, 0, 0, 0, 1], dtype=bool), max_size=2).compute().astype(int)
    array([1, 1, 1, 0, 0, 0, 1])
    """
    ar = _objects(ar, "remove_small_holes", out)
    if ar.dtype != bool:
        warnings.warn("remove_small_holes: labels give truth values; did you mean to give truth values?", UserWarning, stacklevel=2)
    return ~call("remove_small_objects", (ar == 0,), {"max_size": _most(area_threshold, max_size), "connectivity": connectivity})


def _most(fewer_than: int | None, max_size: int) -> int:
    if fewer_than is None:
        size = int(max_size)
    else:
        warnings.warn("objects are removed up to max_size= elements by now; min_size=n means max_size=n - 1", FutureWarning, stacklevel=3)
        size = int(fewer_than) - 1
    if size < 0 and not (fewer_than == 0 and size == -1):
        raise ValueError(f"the size of objects that go must not be negative, got {size}")
    return max(size, 0)


def _objects(ar: Any, name: str, out: Any) -> Any:
    _refuse_out(name, out)
    ar = asarray(ar)
    if ar.dtype.kind not in "biu":
        raise TypeError(f"{name}: truth values or labels are needed, not {ar.dtype}; write for example x > 0")
    return ar
