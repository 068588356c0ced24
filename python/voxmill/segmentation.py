"""Images taken apart into regions, as in `skimage.segmentation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call
from voxmill._create import asarray, arange, full, zeros
from voxmill._flood import flood, flood_fill
from voxmill._generated import expand_labels
from voxmill._labels import LabelMap, present, sequential, whole_numbers
from voxmill._segment_blocks import segment_blocks
from voxmill._watershed import watershed

__all__ = [
    "clear_border",
    "expand_labels",
    "find_boundaries",
    "flood",
    "flood_fill",
    "join_segmentations",
    "mark_boundaries",
    "relabel_sequential",
    "segment_blocks",
    "watershed",
]


def relabel_sequential(label_field: Any, offset: int = 1) -> tuple[Any, LabelMap, LabelMap]:
    """Number labels without gaps, as `skimage.segmentation.relabel_sequential` does. 0 stays 0.

    Which labels there are is found out at the call, in one pass; the labels themselves stay lazy.

    Parameters
    ----------
    label_field : array_like of int
    offset : int
        The first number.

    Returns
    -------
    relabeled : Array
        Of the same dtype, or a larger one if that is too small.
    forward_map, inverse_map : LabelMap
        From old numbers to new ones, and back: ``forward_map[label]``.

    Examples
    --------
    >>> relabeled, forward, inverse = vm.segmentation.relabel_sequential(vm.asarray([5, 0, 99, 42, 5]))
    >>> relabeled.compute()
    array([1, 0, 3, 2, 1])
    >>> int(forward[99]), int(inverse[2])
    (3, 42)
    """
    if offset <= 0:
        raise ValueError("Offset must be strictly positive.")
    labels = whole_numbers("relabel_sequential", label_field)
    return sequential(labels, present("relabel_sequential", labels), int(offset), labels.dtype)


def join_segmentations(s1: Any, s2: Any, return_mapping: bool = False) -> Any:
    """Give a region for each pair of regions that overlap, as `skimage.segmentation.join_segmentations` does.

    Parameters
    ----------
    s1, s2 : array_like of int
        Labels of the same shape.
    return_mapping : bool
        Give maps from the new labels to those of `s1` and `s2`, too.

    Returns
    -------
    joined : Array
    map_to_s1, map_to_s2 : LabelMap
        Only with `return_mapping`.

    Examples
    --------
    >>> vm.segmentation.join_segmentations(vm.asarray([0, 0, 1, 1]), vm.asarray([0, 1, 1, 0])).compute()
    array([0, 1, 3, 2])
    """
    s1, s2 = whole_numbers("join_segmentations", s1), whole_numbers("join_segmentations", s2)
    if s1.shape != s2.shape:
        raise ValueError(f"Cannot join segmentations of different shape. s1.shape: {s1.shape}, s2.shape: {s2.shape}")
    first, _, back1 = relabel_sequential(s1)
    second, _, back2 = relabel_sequential(s2)
    factor = int(back2.out_values.max(initial=0)) + 1
    if factor * (len(back1) + 1) >= 2**63:
        raise OverflowError(f"join_segmentations: {len(back1)} regions and labels up to {factor - 1} make more pairs than int64 can hold")
    pairs = first.astype("int64") * factor + second.astype("int64")
    dtype = np.result_type(s2.dtype, np.uint8, first.dtype, second.dtype)
    if dtype.kind not in "iu":
        dtype = np.dtype("int64")
    found = present("join_segmentations", pairs)
    joined, _, back = sequential(pairs, found, 1, dtype)
    if not return_mapping:
        return joined
    one, other = np.divmod(found, factor)
    return joined, LabelMap(back.in_values, back1[one]), LabelMap(back.in_values, back2[other])


def clear_border(labels: Any, buffer_size: int = 0, bgval: Any = 0, mask: Any = None, *, out: Any = None) -> Any:
    """Remove regions that touch the border, as `skimage.segmentation.clear_border` does.

    Lazy and exact for any chunks: a region goes as a whole.

    Parameters
    ----------
    labels : array_like of int or bool
        Connected elements of equal value, corners included, are a region.
    buffer_size : int
        How many elements beside those at the very border count as border.
    bgval : int
        What removed regions become.
    mask : array_like of bool, optional
        Its false elements are the border instead; `buffer_size` has no meaning then.
    out
        Not taken here: assign the result.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.segmentation.clear_border(vm.asarray([1, 1, 0, 2, 2, 0, 3])).compute()
    array([0, 0, 0, 2, 2, 0, 0])
    """
    if out is not None:
        raise TypeError("clear_border: out= is not taken: results are new arrays")
    labels = asarray(labels)
    if labels.dtype.kind not in "biu":
        raise TypeError(f"clear_border: labels must be whole numbers or truth values, not {labels.dtype}")
    if mask is None:
        if any(buffer_size >= n for n in labels.shape):
            raise ValueError("buffer size may not be greater than labels size")
        border = _frame(labels, int(buffer_size) + 1)
    else:
        mask = asarray(mask)
        if mask.shape != labels.shape:
            raise ValueError(f"labels and mask should have the same shape but are {labels.shape} and {mask.shape}")
        if mask.dtype != bool:
            raise TypeError("mask should be of type bool.")
        border = ~mask
    if not labels.ndim:
        return labels
    kept = call("keep_unmarked", (labels, border), {"structure": np.ones([3] * labels.ndim, dtype=bool)})
    empty = labels == 0
    # The background is a region of its own, which nobody sees unless removed regions get another value.
    stays = kept | empty if bgval == 0 else kept | (empty & ~(empty & border).any())
    return call("where", (stays, labels, bgval)).astype(labels.dtype)


def _frame(x: Any, width: int) -> Any:
    """Give true near the border."""
    near = zeros(x.shape, dtype=bool, chunks=x.chunks)
    for axis, n in enumerate(x.shape):
        along = arange(n, chunks=(x.chunks[axis],)) if n else zeros((0,), dtype="int64")
        along = ((along < width) | (along >= n - width)).reshape([n if k == axis else 1 for k in range(x.ndim)])
        near = near | along
    return near


def find_boundaries(label_img: Any, connectivity: int = 1, mode: str = "thick", background: int = 0) -> Any:
    """Give true where regions meet, as `skimage.segmentation.find_boundaries` does.

    Parameters
    ----------
    label_img : array_like of int or bool
    connectivity : int
        In how many axes neighbours may differ.
    mode : {"thick", "inner", "outer", "subpixel"}
        Both sides of a boundary; its elements in regions; those in the background, and both where two regions meet; or elements between,
        in an image of twice the size less one.
    background : int
        The label of the background, for modes ``"inner"`` and ``"outer"``.

    Returns
    -------
    Array of bool

    Examples
    --------
    >>> labels = vm.asarray([0, 0, 5, 5, 5, 7, 7])
    >>> vm.segmentation.find_boundaries(labels).compute().astype(int)
    array([0, 1, 1, 0, 1, 1, 0])
    >>> vm.segmentation.find_boundaries(labels, mode="inner").compute().astype(int)
    array([0, 0, 1, 0, 1, 1, 0])
    """
    from voxmill.morphology import dilation, erosion

    x = asarray(label_img)
    if x.dtype.kind not in "biu":
        raise TypeError(f"find_boundaries: labels must be whole numbers or truth values, not {x.dtype}")
    if mode not in ("thick", "inner", "outer", "subpixel"):
        raise ValueError(f"find_boundaries: there is no mode {mode!r}; there are thick, inner, outer and subpixel")
    if x.dtype == bool:
        x = x.astype("uint8")
    if mode == "subpixel":
        return _between(x)
    near = np.abs(np.indices([3] * x.ndim) - 1).sum(axis=0) <= max(int(connectivity), 1)
    found = dilation(x, near) != erosion(x, near)
    if mode == "inner":
        return found & (x != background)
    if mode == "outer":
        everything = np.ones([3] * x.ndim, dtype=bool)
        empty = x == background
        filled = call("where", (empty, int(np.iinfo(x.dtype).max), x)).astype(x.dtype)
        touching = (dilation(x, everything) != erosion(filled, everything)) & ~empty
        return found & (empty | touching)
    return found


def _between(x: Any) -> Any:
    """Give true between elements of different regions, in an image of twice the size less one."""
    limits = np.iinfo(x.dtype)
    wide = x
    for axis in range(x.ndim):
        wide = call("repeat", (wide,), {"repeats": 2, "axis": axis})
    wide = wide[tuple(slice(0, max(2 * n - 1, 0)) for n in x.shape)]
    own = full(wide.shape, True, chunks=wide.chunks)
    for axis, n in enumerate(wide.shape):
        even = (arange(n, chunks=(wide.chunks[axis],)) % 2 == 0).reshape([n if k == axis else 1 for k in range(x.ndim)])
        own = own & even
    # Among the neighbours, elements that are between others do not count.
    low = call("minimum_filter", (call("where", (own, wide, int(limits.max))).astype(x.dtype),), {"size": 3, "mode": "nearest"})
    high = call("maximum_filter", (call("where", (own, wide, int(limits.min))).astype(x.dtype),), {"size": 3, "mode": "nearest"})
    return ~own & (low != high)


def mark_boundaries(
    image: Any,
    label_img: Any,
    color: Any = (1, 1, 0),
    outline_color: Any = None,
    mode: str = "outer",
    background_label: int = 0,
) -> Any:
    """Draw the boundaries of regions into an image, as `skimage.segmentation.mark_boundaries` does.

    Parameters
    ----------
    image : array_like
        Grey with 2 axes, or with a last axis of 3 colours. Whole numbers are scaled to a range of 1.
    label_img : array_like of int
        Labels, without the axis of colours.
    color, outline_color : tuple of 3 floats
        Of boundaries, and of a line around them if that is given.
    mode : {"thick", "inner", "outer"}
        As in `find_boundaries`.
    background_label : int
        The label of the background.

    Returns
    -------
    Array
        With a last axis of 3 colours; float64, or float32 for float32 images.

    Examples
    --------
    >>> marked = vm.segmentation.mark_boundaries(np.zeros((1, 4)), vm.asarray([[0, 0, 3, 3]]))
    >>> marked.compute()[0, :, 0]
    array([0., 1., 0., 0.])
    """
    from voxmill.morphology import dilation

    if mode == "subpixel":
        raise NotImplementedError("mark_boundaries: mode 'subpixel' is not there; see find_boundaries(mode='subpixel')")
    x = asarray(image)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"mark_boundaries: an image of real numbers is needed, not {x.dtype}")
    dtype = np.dtype("float32" if x.dtype in (np.float16, np.float32) else "float64")
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        x = x.astype("float64")
        x = call("maximum", (x / limits.max, -1.0))
    x = x.astype(dtype)
    if x.ndim == 2:
        x = call("stack", (x, x, x), {"axis": -1})
    edges = find_boundaries(label_img, mode=mode, background=background_label)
    if edges.shape != x.shape[:-1]:
        raise ValueError(f"mark_boundaries: the labels have shape {edges.shape}, the image {x.shape[:-1]}; they must be equal")
    if outline_color is not None:
        x = _painted(x, dilation(edges, np.ones((3, 3), dtype=bool)), outline_color)
    return _painted(x, edges, color)


def _painted(x: Any, where: Any, color: Any) -> Any:
    tone = np.broadcast_to(np.asarray(color, dtype=x.dtype), x.shape[-1:])
    return call("where", (where.reshape((*where.shape, 1)), asarray(tone), x)).astype(x.dtype)
