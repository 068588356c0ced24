"""Objects, as in `skimage.measure`."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray
from voxmill._regions import LIGHT, OLDER, PROPERTIES, Regions
from voxmill._shape import coarsen, pad

__all__ = ["block_reduce", "label", "regionprops_table"]


def block_reduce(image: Any, block_size: Any = 2, func: Any = np.sum, cval: float = 0, func_kwargs: dict[str, Any] | None = None) -> Any:
    """Give one value for each block of elements, as `skimage.measure.block_reduce` does.

    Parameters
    ----------
    image : array_like
    block_size : int or sequence of int
        For all axes, or each.
    func : callable
        A reduction with the keyword ``axis``, such as `numpy.sum`, `numpy.min`, `numpy.max`, `numpy.mean` or `numpy.median`.
    cval : float
        What the last blocks are filled up with.
    func_kwargs : dict, optional
        For `func`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.measure.block_reduce(np.arange(8).reshape(2, 4), (2, 2), np.max).compute()
    array([[5, 7]])
    """
    image = asarray(image)
    sizes = [block_size] * image.ndim if np.isscalar(block_size) else list(block_size)
    if len(sizes) != image.ndim:
        raise ValueError(f"block_reduce: block_size must be a number, or one for each of the {image.ndim} axes")
    if any(int(size) != size or size < 1 for size in sizes):
        raise ValueError(f"block_reduce: blocks of {tuple(sizes)} elements are not possible; sizes are at least 1")
    missing = [(0, int(-n % size)) for n, size in zip(image.shape, sizes, strict=True)]
    if any(more for _, more in missing):
        image = pad(image, missing, mode="constant", constant_values=cval)
    return coarsen(func, image, {axis: int(size) for axis, size in enumerate(sizes)}, **(func_kwargs or {}))


def label(label_image: Any, background: int | None = None, return_num: bool = False, connectivity: int | None = None) -> Any:
    """Number connected regions of equal values, as `skimage.measure.label` does.

    Parameters
    ----------
    label_image : array_like of int or bool
    background : int, optional
        The value that is no region; 0 by default.
    return_num : bool
        Give the number of regions, too: an array without axes.
    connectivity : int, optional
        In how many axes neighbours may differ; all of them by default.

    Returns
    -------
    labels : Array of int32, or of int64 for 2**31 elements and more
    num : Array
        Only with `return_num`.

    Examples
    --------
    >>> vm.measure.label(vm.asarray([1, 1, 2, 2, 0, 2])).compute()
    array([1, 1, 2, 2, 0, 3], dtype=int32)
    """
    image = asarray(label_image)
    if image.dtype.kind not in "biu":
        raise TypeError(f"label: whole numbers or truth values are needed, not {image.dtype}; vm.ndimage.label takes all that is not zero")
    rank = image.ndim
    connectivity = rank if connectivity is None else connectivity
    if not 1 <= connectivity <= max(rank, 1):
        raise ValueError(f"label: connectivity must be between 1 and {rank}, got {connectivity}")
    if image.dtype == bool and background not in (None, 0, 1):
        background = 0  # False is what is no region, unless true is.
    distance = np.abs(np.indices([3] * rank) - 1).sum(axis=0)
    params = {"structure": distance <= connectivity, "background": 0 if background is None else int(background)}
    labels = call("label_values", (image,), params)
    return (labels, call("n_label_values", (image,), params)) if return_num else labels


def regionprops_table(
    label_image: Any,
    intensity_image: Any = None,
    properties: Any = ("label", "bbox"),
    *,
    cache: bool = True,
    separator: str = "-",
    extra_properties: Any = None,
    spacing: Any = None,
    progress: Any = None,
    **limits: Any,
) -> dict[str, np.ndarray]:
    """Measure all labelled regions in one pass, as `skimage.measure.regionprops_table` does.

    Nothing is computed region by region: a million regions take hardly longer than one.

    Parameters
    ----------
    label_image : array_like of int
        Everything but 0 is a region.
    intensity_image : array_like, optional
        An image of the same shape, for properties of the intensity.
    properties : sequence of str
        Of ``label``, ``num_pixels``, ``area``, ``bbox``, ``area_bbox``, ``extent``, ``centroid``, ``centroid_local``,
        ``equivalent_diameter_area``, ``inertia_tensor``, ``inertia_tensor_eigvals``, ``axis_major_length``, ``axis_minor_length``,
        ``eccentricity`` and ``orientation`` (2-D); and with intensities ``intensity_min``, ``intensity_max``, ``intensity_mean``,
        ``intensity_std``, ``centroid_weighted`` and ``centroid_weighted_local``.
    cache
        Has no meaning here.
    separator : str
        Between the name of a property and the number of a column, where it has several.
    extra_properties
        Not taken here: functions of single regions need them one by one.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.
    progress : bool, optional
        Whether to show a progress bar.
    **limits
        As in `voxmill.config`, for this call.

    Returns
    -------
    dict
        Columns by name: NumPy arrays with a row for each region, in the order of labels.

    Examples
    --------
    >>> labels = vm.asarray([[1, 1, 0, 2], [1, 0, 0, 2]])
    >>> table = vm.measure.regionprops_table(labels, properties=("label", "area", "centroid"))
    >>> table["label"], table["area"], table["centroid-1"]
    (array([1, 2]), array([3., 2.]), array([0.33333333, 3.        ]))
    """
    if extra_properties:
        raise TypeError("regionprops_table: extra_properties are not taken; compute them from the bbox of each region")
    names = [properties] if isinstance(properties, str) else list(properties)
    known = {**PROPERTIES, **(LIGHT if intensity_image is not None else {})}
    for name in names:
        if OLDER.get(name, name) in known:
            continue
        if OLDER.get(name, name) in LIGHT:
            raise AttributeError(f"regionprops_table: {name} needs an intensity_image")
        raise AttributeError(f"regionprops_table: there is no property {name!r}; there are {', '.join(sorted({**PROPERTIES, **LIGHT}))}")
    regions = Regions(label_image, intensity_image, progress=progress, **limits)
    steps = np.ones(regions.rank) if spacing is None else np.broadcast_to(np.asarray(spacing, dtype=float), (regions.rank,))
    table: dict[str, np.ndarray] = {}
    for name in names:
        values = known[OLDER.get(name, name)](regions, steps)
        if values.ndim == 1:
            table[name] = values
            continue
        for place in np.ndindex(values.shape[1:]):
            table[separator.join([name, *map(str, place)])] = values[(slice(None), *place)]
    return table
