"""Objects, as in `skimage.measure`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voxmill import _native
from voxmill._colocal import intersection_coeff, manders_coloc_coeff, manders_overlap_coeff, pearson_corr_coeff
from voxmill._core import axes_in, call
from voxmill._create import asarray
from voxmill._moments import (
    centroid,
    inertia_tensor,
    inertia_tensor_eigvals,
    moments,
    moments_central,
    moments_coords,
    moments_coords_central,
    moments_hu,
    moments_normalized,
)
from voxmill._regionprops import Measured, RegionProperties, checked_extra, checked_labels, property_table
from voxmill._regions import Regions, contour_lengths, crofton_lengths, euler_numbers, spacing_of
from voxmill._run import limited
from voxmill._table import Table

__all__ = [
    "block_reduce",
    "centroid",
    "contacts",
    "euler_number",
    "inertia_tensor",
    "inertia_tensor_eigvals",
    "intersection_coeff",
    "label",
    "manders_coloc_coeff",
    "manders_overlap_coeff",
    "moments",
    "moments_central",
    "moments_coords",
    "moments_coords_central",
    "moments_hu",
    "moments_normalized",
    "pearson_corr_coeff",
    "perimeter",
    "perimeter_crofton",
    "profile_line",
    "regionprops",
    "regionprops_table",
    "shannon_entropy",
]


def label(
    label_image: Any, background: int | None = None, return_num: bool = False, connectivity: int | None = None, *, wrap_axes: Any = None
) -> Any:
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
    wrap_axes : int or sequence of int, optional
        Axes whose ends are joined: what touches across these borders of the array, or across their corners, is one region.

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
    if wrap_axes is not None:
        params["wrap_axes"] = list(axes_in(wrap_axes, rank))
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
) -> Table:
    """Measure all labelled regions, as `skimage.measure.regionprops_table` does.

    Most properties are sums that are added up from parts of the image in one pass: a million regions take hardly longer than one, and regions
    may be as large as they like. Those from ``image`` on in the list below are computed region by region; the box of each region must fit into
    half of the memory limit.

    Parameters
    ----------
    label_image : array_like of int
        Everything above 0 is a region.
    intensity_image : array_like, optional
        An image of the same shape, for properties of the intensity; or with one more axis at the end, for several channels.
    properties : sequence of str
        Of ``label``, ``num_pixels``, ``area``, ``bbox``, ``area_bbox``, ``extent``, ``slice``, ``centroid``, ``centroid_local``,
        ``equivalent_diameter_area``, ``inertia_tensor``, ``inertia_tensor_eigvals``, ``axis_major_length``, ``axis_minor_length``,
        ``eccentricity`` and ``orientation`` (2-D), ``moments``, ``moments_central``, ``moments_normalized``, ``moments_hu`` (2-D);
        ``euler_number`` (2-D and 3-D, with all neighbours), ``perimeter`` and ``perimeter_crofton`` (2-D), ``surface_area_faces`` (2-D and 3-D:
        all faces of elements that have no other element of the region behind them) and ``surface_area_crofton`` (3-D, by Crofton's formula in
        13 directions); with intensities ``intensity_min``, ``intensity_max``, ``intensity_mean``, ``intensity_std``, ``centroid_weighted``,
        ``centroid_weighted_local``, ``moments_weighted``, ``moments_weighted_central``, ``moments_weighted_normalized``,
        ``moments_weighted_hu`` (2-D); and region by region ``image``, ``image_convex``, ``image_filled``, ``image_intensity``, ``coords``,
        ``coords_scaled``, ``area_convex``, ``area_filled``, ``solidity``, ``feret_diameter_max``, ``intensity_median`` and
        ``intensity_percentile_90``, with any number between 0 and 100.
    cache
        Has no meaning here.
    separator : str
        Between the name of a property and the number of a column, where it has several.
    extra_properties : sequence of functions, optional
        Further properties: each function is called with the mask of a region's box, or with the mask and the intensities if it takes two
        arguments. Its name is that of the column.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.
    progress : bool, optional
        Whether to show a progress bar.
    **limits
        As in `voxmill.config`, for this call.

    Returns
    -------
    Table
        A dict of columns by name: NumPy arrays with a row for each region, in the order of labels. pandas, polars, pyarrow and DuckDB take it.

    Notes
    -----
    Hulls are computed in whole numbers. scikit-image finds none for regions of a volume that lie in one plane; here they have one.

    Examples
    --------
    >>> labels = vm.asarray([[1, 1, 0, 2], [1, 0, 0, 2]])
    >>> table = vm.measure.regionprops_table(labels, properties=("label", "area", "centroid"))
    >>> table["label"], table["area"], table["centroid-1"]
    (array([1, 2]), array([3., 2.]), array([0.33333333, 3.        ]))
    """
    return property_table(label_image, intensity_image, properties, extra_properties, separator, spacing, progress, limits)


def regionprops(
    label_image: Any,
    intensity_image: Any = None,
    cache: bool = True,
    *,
    extra_properties: Any = None,
    spacing: Any = None,
    offset: Any = None,
) -> list[RegionProperties]:
    """Give labelled regions as objects, whose properties are computed when they are asked for; see `skimage.measure.regionprops`.

    A property that adds up is computed for all regions when the first of them is asked for it. For many regions, `regionprops_table` is the
    quicker way to the same numbers.

    Parameters
    ----------
    label_image : array_like of int
        Everything above 0 is a region.
    intensity_image : array_like, optional
        An image of the same shape, or with one more axis at the end for channels.
    cache
        Has no meaning here.
    extra_properties : sequence of functions, optional
        As in `regionprops_table`.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.
    offset : sequence of int, optional
        Added to ``coords`` and ``centroid``.

    Returns
    -------
    list of RegionProperties
        With the properties of `regionprops_table` as attributes.

    Examples
    --------
    >>> first, second = vm.measure.regionprops(vm.asarray([[1, 1, 0, 2], [1, 0, 0, 2]]))
    >>> first
    <RegionProperties: label=1, bbox=(0, 0, 2, 2)>
    >>> second.area, second.centroid
    (2.0, (0.5, 3.0))
    """
    labels = checked_labels(label_image)
    intensity = None if intensity_image is None else asarray(intensity_image)
    shift = np.zeros(labels.ndim, dtype=int) if offset is None else np.asarray(offset)
    if shift.shape != (labels.ndim,):
        raise ValueError(f"regionprops: offset must have {labels.ndim} numbers, one for each axis; got {offset!r}")
    shared = Measured(labels, intensity, spacing, checked_extra(extra_properties, intensity is not None), shift)
    return [RegionProperties(shared, row) for row in range(len(shared.regions))]


def contacts(labels: Any, connectivity: int = 1, spacing: Any = None, *, progress: Any = None, **limits: Any) -> Table:
    """Find the labelled regions that touch, and the area of their contact, in one pass.

    Parameters
    ----------
    labels : array_like of int
        Everything but 0 is a region.
    connectivity : int
        In how many axes neighbours may differ: 1 for regions that share faces, more for those that touch at edges and corners.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.
    progress : bool, optional
        Whether to show a progress bar.
    **limits
        As in `voxmill.config`, for this call.

    Returns
    -------
    Table
        A row for each two regions, in the order of labels: ``label_a``, ``label_b`` (the larger one), ``faces`` (pairs of elements that share a
        face) and ``area`` (of these faces). With a `connectivity` of 2 and more also ``pairs``: all pairs of neighbours, over edges and
        corners, too.

    Examples
    --------
    >>> table = vm.measure.contacts([[1, 1, 2], [1, 3, 2], [0, 3, 3]])
    >>> list(zip(table["label_a"].tolist(), table["label_b"].tolist(), table["faces"].tolist()))
    [(1, 2, 1), (1, 3, 2), (2, 3, 2)]
    """
    labels = checked_labels(labels)
    rank = labels.ndim
    steps = spacing_of(spacing, rank)
    if not isinstance(connectivity, (int, np.integer)) or not 1 <= connectivity <= max(rank, 1):
        raise ValueError(f"contacts: connectivity must be between 1 and {rank}, got {connectivity}")
    if labels.size and rank:
        given, finish = limited(progress, limits)
        try:
            rows = _native.contact_table(labels._expr, int(connectivity), given)
        finally:
            finish()
    else:
        rows = b""
    words = np.frombuffer(rows, dtype="<i8").reshape(-1, rank + 3)
    counts = words[:, 2:]
    table = Table(
        label_a=words[:, 0].copy(),
        label_b=words[:, 1].copy(),
        faces=counts[:, :rank].sum(axis=1),
        area=(counts[:, :rank] * (np.prod(steps) / steps)).sum(axis=1),
    )
    if connectivity > 1:
        table["pairs"] = counts.sum(axis=1)
    return table


def _one_region(image: Any, what: str, ranks: tuple[int, ...], border: int = 4) -> Regions | None:
    """Give everything above 0 as one region with its surface; nothing if there is nothing."""
    image = asarray(image)
    if image.ndim not in ranks:
        raise NotImplementedError(f"{what} is known for {' and '.join(map(str, ranks))} axes, not for {image.ndim}")
    if image.dtype.kind not in "biuf":
        raise TypeError(f"{what}: truth values or real numbers are needed, not {image.dtype}")
    regions = Regions((image if image.dtype == bool else image > 0).astype("uint8"), outlines=border)
    return regions if len(regions) else None


def euler_number(image: Any, connectivity: int | None = None) -> int:
    """Give the Euler number of all that is above 0: objects minus holes, on planes; see `skimage.measure.euler_number`.

    In volumes, it is objects plus holes minus tunnels.

    Parameters
    ----------
    image : array_like
        Two or three axes.
    connectivity : int, optional
        In how many axes neighbours may differ: 1, or all of them, which is the default.

    Returns
    -------
    int

    Examples
    --------
    >>> ring = np.ones((3, 3), dtype=bool)
    >>> ring[1, 1] = False
    >>> vm.measure.euler_number(ring)
    0
    """
    image = asarray(image)
    rank = image.ndim
    connectivity = rank if connectivity is None else connectivity
    if rank == 3 and connectivity == 2:
        raise NotImplementedError("euler_number: for 3 axes, connectivity must be 1 or 3")
    if not 1 <= connectivity <= max(rank, 1):
        raise ValueError(f"euler_number: connectivity must be between 1 and {rank}, got {connectivity}")
    region = _one_region(image, "euler_number", (2, 3))
    return 0 if region is None else int(euler_numbers(region, connectivity != 1)[0])


def perimeter(image: Any, neighborhood: int = 4) -> float:
    """Give the length of the contours of all that is above 0, through the middles of elements; see `skimage.measure.perimeter`.

    Parameters
    ----------
    image : array_like
        Two axes.
    neighborhood : int
        4 or 8: an element of which one of these neighbours is missing is on the contour.

    Returns
    -------
    float

    Examples
    --------
    >>> vm.measure.perimeter(np.pad(np.ones((4, 4)), 1))
    12.0
    """
    if neighborhood not in (4, 8):
        raise ValueError(f"perimeter: neighborhood must be 4 or 8, got {neighborhood}")
    region = _one_region(image, "perimeter", (2,), neighborhood)
    return 0.0 if region is None else float(contour_lengths(region)[0])


def perimeter_crofton(image: Any, directions: int = 4) -> float:
    """Give the length of the contours of all that is above 0 by Crofton's formula; see `skimage.measure.perimeter_crofton`.

    Parameters
    ----------
    image : array_like
        Two axes.
    directions : int
        2 or 4: in how many directions contours are crossed.

    Returns
    -------
    float

    Examples
    --------
    >>> round(vm.measure.perimeter_crofton(np.ones((4, 4))), 4)
    14.0582
    """
    if directions not in (2, 4):
        raise ValueError(f"perimeter_crofton: directions must be 2 or 4, got {directions}")
    region = _one_region(image, "perimeter_crofton", (2,))
    return 0.0 if region is None else float(crofton_lengths(region, directions)[0])


def block_reduce(image: Any, block_size: Any = 2, func: Any = np.sum, cval: Any = 0, func_kwargs: dict | None = None) -> Any:
    """Give one value for each block of elements; see `skimage.measure.block_reduce`.

    Parameters
    ----------
    image : array_like
    block_size : int or sequence of int
        Lengths of blocks.
    func : function
        Takes an array and ``axis``: `numpy.sum`, `numpy.mean`, `numpy.max` and so on.
    cval : number
        What is added at the end of axes that blocks do not divide.
    func_kwargs : dict, optional
        Further arguments of `func`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.measure.block_reduce(vm.arange(6).reshape(2, 3), 2).compute()
    array([[8, 7]])
    """
    from voxmill._shape import coarsen, pad

    image = asarray(image)
    sizes = (block_size,) * image.ndim if np.ndim(block_size) == 0 else tuple(block_size)
    if len(sizes) != image.ndim:
        raise ValueError(f"block_reduce: block_size must be one number or {image.ndim}, one for each axis; got {block_size!r}")
    if any(size < 1 for size in sizes):
        raise ValueError(f"block_reduce: lengths of blocks must be at least 1, got {block_size!r}")
    more = [-n % size for n, size in zip(image.shape, sizes)]
    if any(more):
        image = pad(image, [(0, n) for n in more], constant_values=cval)
    return coarsen(func, image, {k: int(size) for k, size in enumerate(sizes)}, **(func_kwargs or {}))


def shannon_entropy(image: Any, base: float = 2) -> float:
    """Give the entropy of the values of an image; see `skimage.measure.shannon_entropy`.

    Parameters
    ----------
    image : array_like
    base : float
        Of the logarithm: 2 for bits.

    Returns
    -------
    float

    Examples
    --------
    >>> vm.measure.shannon_entropy([1, 1, 2, 3])
    1.5
    """
    from voxmill._sets import unique

    image = asarray(image)
    if image.dtype == bool:
        image = image.astype("uint8")
    if not image.size:
        return 0.0
    counts = np.asarray(unique(image, return_counts=True)[1])
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum() / math.log(base)) + 0.0


def profile_line(
    image: Any, src: Any, dst: Any, linewidth: int = 1, order: int | None = None, mode: str = "reflect", cval: float = 0.0, *, reduce_func: Any = np.mean
) -> np.ndarray:
    """Give the values of an image along a line; see `skimage.measure.profile_line`. Only the box around the line is computed.

    Parameters
    ----------
    image : array_like
        Two axes, and perhaps one for channels.
    src, dst : sequence of float
        Row and column of both ends, which belong to the line.
    linewidth : int
        Elements across the line.
    order : int, optional
        1 for linear interpolation, 0 for the nearest element, which is the default for truth values.
    mode : str
        What is beyond the border: ``reflect``, ``mirror``, ``nearest``, ``wrap`` or ``constant``.
    cval : float
        The value beyond the border with ``constant``.
    reduce_func : function, optional
        What is made of the elements across the line; None to get them all.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> vm.measure.profile_line(vm.arange(12).reshape(3, 4), (0, 0), (2, 2))
    array([ 0.,  3.,  7., 10.])
    """
    image = asarray(image)
    if image.ndim not in (2, 3):
        raise ValueError(f"profile_line: images have two axes, and perhaps one for channels; got {image.ndim}")
    order = (0 if image.dtype == bool else 1) if order is None else order
    if order not in (0, 1):
        raise NotImplementedError(f"profile_line: order must be 0 or 1, got {order}; smooth splines of higher order are not computed here")
    if order == 1 and image.dtype == bool:
        raise ValueError("profile_line: between truth values there is nothing; set order to 0, or cast the image")
    rows, columns = _line_places(np.asarray(src, dtype=float), np.asarray(dst, dtype=float), linewidth)
    if order == 0:
        rows, columns = np.floor(rows + 0.5), np.floor(columns + 0.5)
    low = [np.floor(x).astype(int) for x in (rows, columns)]
    near = [[(at + k, (1 - (x - at)) if k == 0 else x - at) for k in range(order + 1)] for x, at in zip((rows, columns), low)]
    bounds = [_beyond(np.stack([at for at, _ in corners]), n, mode) for corners, n in zip(near, image.shape)]
    inner = [at[at >= 0] for at in bounds]
    box = tuple(slice(int(at.min()), int(at.max()) + 1) if at.size else slice(0, 1) for at in inner)
    values = np.asarray(image[box].compute(progress=False)).astype(float)
    pixels = np.zeros(rows.shape + values.shape[2:])
    for (y, (_, share_y)), (x, (_, share_x)) in ((a, b) for a in zip(bounds[0], near[0]) for b in zip(bounds[1], near[1])):
        found = values[np.where(y < 0, 0, y - box[0].start), np.where(x < 0, 0, x - box[1].start)]
        outside = ((y < 0) | (x < 0)).reshape(y.shape + (1,) * (found.ndim - 2))
        share = (share_y * share_x).reshape(y.shape + (1,) * (found.ndim - 2))
        pixels += np.where(outside, cval, found) * share
    if image.dtype.kind in "iu":
        # Halves away from zero, as scipy rounds.
        pixels = np.trunc(pixels + np.copysign(0.5, pixels))
    pixels = np.flip(pixels.astype(image.dtype), axis=1)
    if reduce_func is None:
        return pixels
    try:
        return reduce_func(pixels, axis=1)
    except TypeError:
        return np.apply_along_axis(reduce_func, arr=pixels, axis=1)


def _line_places(src: np.ndarray, dst: np.ndarray, linewidth: int) -> tuple[np.ndarray, np.ndarray]:
    """Give rows and columns of all places that are looked at: along the line, then across it."""
    if linewidth < 1:
        raise ValueError(f"profile_line: linewidth must be at least 1, got {linewidth}")
    if src.shape != (2,) or dst.shape != (2,):
        raise ValueError(f"profile_line: src and dst have a row and a column each, got {src.tolist()} and {dst.tolist()}")
    along = dst - src
    angle = math.atan2(along[0], along[1])
    length = math.ceil(math.hypot(*along) + 1)
    across = (linewidth - 1) / 2 * np.array([math.cos(angle), -math.sin(angle)])
    middle = np.linspace(src, dst, length)
    places = np.linspace(middle - across, middle + across, linewidth, axis=1)
    return places[..., 0], places[..., 1]


def _beyond(at: np.ndarray, n: int, mode: str) -> np.ndarray:
    """Give the element that stands at each place, also beyond the border; -1 where a constant does."""
    if mode == "constant":
        return np.where((at < 0) | (at >= n), -1, at)
    if mode == "nearest":
        return np.clip(at, 0, n - 1)
    if mode == "wrap":
        return at % n
    if mode == "reflect":
        turned = at % (2 * n)
        return np.where(turned < n, turned, 2 * n - 1 - turned)
    if mode == "mirror":
        turned = at % max(2 * n - 2, 1)
        return np.where(turned < n, turned, 2 * n - 2 - turned)
    raise ValueError(f"profile_line: mode must be reflect, mirror, nearest, wrap or constant, got {mode!r}")
