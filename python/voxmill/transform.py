"""Resizing, turning and warping images, as in `skimage.transform`: over the whole image, whatever its chunks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voxmill import _interpolation as interpolation
from voxmill._core import call, optional_dtype
from voxmill._create import asarray
from voxmill._generated import gaussian_filter, maximum, minimum, nanmax, nanmin
from voxmill.measure import block_reduce

__all__ = [
    "downscale_local_mean",
    "integral_image",
    "pyramid_expand",
    "pyramid_gaussian",
    "pyramid_reduce",
    "rescale",
    "resize",
    "rotate",
    "warp",
]

_MODES = {"constant": "grid-constant", "edge": "nearest", "symmetric": "reflect", "reflect": "mirror", "wrap": "grid-wrap"}


def resize(
    image: Any,
    output_shape: Any,
    order: int | None = None,
    mode: str = "reflect",
    cval: float = 0,
    clip: bool = True,
    preserve_range: bool = False,
    anti_aliasing: bool | None = None,
    anti_aliasing_sigma: Any = None,
) -> Any:
    """Give the image another shape, as `skimage.transform.resize` does.

    Parameters
    ----------
    image : array_like
    output_shape : sequence of int
        One axis fewer than the image leaves the last one, the channels, as it is.
    order : int, optional
        Order of the splines, 0 to 5; 0 for truth values, else 1 by default.
    mode : {'constant', 'edge', 'symmetric', 'reflect', 'wrap'}
        What lies beyond the border, in the words of `numpy.pad`.
    cval : float
        The value there, for ``constant``.
    clip : bool
        Keep the range of the image. For orders from 2 on, and for mode ``constant``, this takes another pass over image and result.
    preserve_range : bool
        Take whole numbers as they are; else they are scaled to a range of 1.
    anti_aliasing : bool, optional
        Smooth the image before it is made smaller; by default unless it holds truth values, or whole numbers and `order` is 0.
    anti_aliasing_sigma : float or sequence of float, optional
        Width of the Gaussian for that.

    Returns
    -------
    Array
        float32 stays float32; with ``order=0``, every dtype stays.

    Examples
    --------
    >>> vm.transform.resize(np.eye(4), (2, 2), anti_aliasing=False).compute()
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    image = asarray(image)
    shape = _output_shape(image, output_shape)
    if len(shape) > image.ndim:
        image = image.reshape(*image.shape, *(1,) * (len(shape) - image.ndim))
    dtype = image.dtype
    if 0 in image.shape:
        raise ValueError(f"resize: an empty image of shape {image.shape} cannot be resized")
    if any(n < 1 for n in shape):
        raise ValueError(f"resize: output_shape {tuple(shape)} has an axis without elements")
    if dtype == np.float16:
        image = image.astype(np.float32)
    if anti_aliasing is None:
        smaller = any(new < old for new, old in zip(shape, image.shape, strict=True))
        anti_aliasing = dtype != bool and not (dtype.kind in "iu" and order == 0) and smaller
    if dtype == bool and anti_aliasing:
        raise ValueError("resize: anti_aliasing must be False for boolean images")
    order = _order(dtype, order)
    ndi_mode = _mode(mode)
    if order > 0:
        image = _as_float(image, preserve_range)
    filtered = image
    if anti_aliasing:
        factors = np.divide(image.shape, shape)
        sigma = np.maximum(0, (factors - 1) / 2) if anti_aliasing_sigma is None else np.broadcast_to(anti_aliasing_sigma, factors.shape)
        if (np.asarray(sigma) < 0).any():
            raise ValueError("resize: anti-aliasing standard deviation must be greater than or equal to zero")
        filtered = gaussian_filter(image, sigma=[float(s) for s in sigma], mode=ndi_mode, cval=cval)
    params = {
        "zoom": [new / old for new, old in zip(shape, image.shape, strict=True)], "output": None, "order": order, "mode": ndi_mode,
        "cval": float(cval), "prefilter": True, "grid_mode": True, "output_shape": shape,
    }  # fmt: skip
    return _clipped(call("zoom", (filtered,), params), image, order, mode, cval, clip)


def rescale(
    image: Any,
    scale: Any,
    order: int | None = None,
    mode: str = "reflect",
    cval: float = 0,
    clip: bool = True,
    preserve_range: bool = False,
    anti_aliasing: bool | None = None,
    anti_aliasing_sigma: Any = None,
    *,
    channel_axis: int | None = None,
) -> Any:
    """Make an image larger or smaller by a factor, as `skimage.transform.rescale` does.

    Parameters
    ----------
    image : array_like
    scale : float or sequence of float
        For all axes, or each but the channels.
    order, mode, cval, clip, preserve_range, anti_aliasing, anti_aliasing_sigma
        As in `resize`.
    channel_axis : int, optional
        An axis that is not scaled.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.transform.rescale(np.ones((10, 6)), 0.5).shape
    (5, 3)
    """
    image = asarray(image)
    scales = [float(s) for s in np.atleast_1d(scale)]
    spatial = image.ndim - (channel_axis is not None)
    if len(scales) not in (1, spatial):
        raise ValueError("rescale: supply a single scale, or one value per spatial axis")
    scales = scales * spatial if len(scales) == 1 else scales
    if channel_axis is not None:
        scales.insert(channel_axis % image.ndim, 1.0)
    shape = [max(int(np.round(s * n)), 1) for s, n in zip(scales, image.shape, strict=True)]
    return resize(image, shape, order, mode, cval, clip, preserve_range, anti_aliasing, anti_aliasing_sigma)


def rotate(
    image: Any,
    angle: float,
    resize: bool = False,
    center: Any = None,
    order: int | None = None,
    mode: str = "constant",
    cval: float = 0,
    clip: bool = True,
    preserve_range: bool = False,
) -> Any:
    """Turn an image counter-clockwise around its centre, as `skimage.transform.rotate` does.

    Parameters
    ----------
    image : array_like
        With two axes, or three of which the last one are channels.
    angle : float
        Degrees.
    resize : bool
        Make the result large enough for the whole image.
    center : tuple of two float, optional
        Column and row to turn around.
    order, mode, cval, clip, preserve_range
        As in `warp`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.transform.rotate(np.array([[1.0, 2.0], [3.0, 4.0]]), 90).compute().round(6)
    array([[2., 4.],
           [1., 3.]])
    """
    image = asarray(image)
    if image.ndim < 2:
        raise ValueError(f"rotate: an image with two axes is needed, not {image.ndim}")
    rows, cols = image.shape[:2]
    middle = np.array((cols, rows)) / 2.0 - 0.5 if center is None else np.asarray(center, dtype=float)
    turn = np.eye(3)
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    turn[:2, :2] = [[c, -s], [s, c]]
    matrix = _moved(middle) @ turn @ _moved(-middle)
    shape = None
    if resize:
        corners = np.array([[0, 0, 1], [0, rows - 1, 1], [cols - 1, rows - 1, 1], [cols - 1, 0, 1]]).T
        x, y, _ = np.linalg.inv(matrix) @ corners
        shape = np.around((y.max() - y.min() + 1, x.max() - x.min() + 1)).astype(int)
        matrix = matrix @ _moved((x.min(), y.min()))
    matrix[2] = (0, 0, 1)
    return warp(image, matrix, output_shape=shape, order=order, mode=mode, cval=cval, clip=clip, preserve_range=preserve_range)


def warp(
    image: Any,
    inverse_map: Any,
    map_args: dict[str, Any] | None = None,
    output_shape: Any = None,
    order: int | None = None,
    mode: str = "constant",
    cval: float = 0.0,
    clip: bool = True,
    preserve_range: bool = False,
) -> Any:
    """Warp an image by a transformation of coordinates, as `skimage.transform.warp` does.

    Parameters
    ----------
    image : array_like
        With two axes, or three of which the last one are channels; any number of axes with an array of coordinates.
    inverse_map : array_like, object with ``params``, or callable
        From ``(column, row)`` of the result to those of the image: a 3 x 3 matrix, a transformation of scikit-image, or a function of an
        array of such pairs. Or the coordinates themselves, with a row for each axis. An affine matrix reads for each box of the result
        the box that it comes from; all others are turned into coordinates at once.
    map_args : dict, optional
        For a function.
    output_shape : tuple of int, optional
        That of the image by default.
    order : int, optional
        Order of the splines, 0 to 5; 0 for truth values, else 1 by default. For 3, scikit-image takes a cubic convolution instead of
        splines where it is given a matrix.
    mode : {'constant', 'edge', 'symmetric', 'reflect', 'wrap'}
        What lies beyond the border, in the words of `numpy.pad`.
    cval, clip, preserve_range
        As in `resize`.

    Returns
    -------
    Array

    Examples
    --------
    >>> moved = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]])  # columns come from one further to the right
    >>> vm.transform.warp(np.arange(6.0).reshape(2, 3), moved).compute()
    array([[1., 2., 0.],
           [4., 5., 0.]])
    """
    image = asarray(image)
    if image.size == 0:
        raise ValueError(f"warp: cannot warp an empty image with shape {image.shape}")
    order = _order(image.dtype, order)
    if order > 0:
        image = _as_float(image, preserve_range)
    given = getattr(inverse_map, "params", inverse_map)
    if not callable(given):
        given = np.asarray(given)
    ndi_mode = _mode(mode)
    is_matrix = isinstance(given, np.ndarray) and given.shape == (3, 3)
    if is_matrix or callable(given):
        shape = _warped_shape(image, output_shape)
    if is_matrix and not map_args and (given[2] == (0, 0, 1)).all():
        rows = np.eye(image.ndim + 1)
        rows[:2, :2] = given[1::-1, 1::-1]
        rows[:2, -1] = given[1::-1, 2]
        warped = interpolation.affine_transform(image, rows, output_shape=shape, order=order, mode=ndi_mode, cval=cval)
        leaves = _leaves(rows[:2, [0, 1, -1]], shape, image.shape[:2])
    else:
        leaves = False
        coordinates = _coordinates(given, shape, map_args or {}) if is_matrix or callable(given) else given
        warped = interpolation.map_coordinates(image, coordinates, order=order, mode=ndi_mode, cval=cval)
    return _clipped(warped, image, order, mode, cval, clip, leaves)


def downscale_local_mean(image: Any, factors: Any, cval: float = 0, clip: bool = True) -> Any:
    """Give the means of blocks of elements, as `skimage.transform.downscale_local_mean` does.

    Parameters
    ----------
    image : array_like
    factors : int or sequence of int
        Size of the blocks.
    cval : float
        What the last blocks are filled up with.
    clip
        Has no meaning.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.transform.downscale_local_mean(np.arange(8).reshape(2, 4), (2, 2)).compute()
    array([[2.5, 4.5]])
    """
    return block_reduce(image, factors, np.mean, cval)


def integral_image(image: Any, *, dtype: Any = None) -> Any:
    """Give the sum of all elements above and to the left, with the element itself, as `skimage.transform.integral_image` does.

    Parameters
    ----------
    image : array_like
    dtype : dtype, optional
        Of the sums; as in `voxmill.cumsum` by default, and at least float64 for floats.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.transform.integral_image(np.ones((2, 3))).compute()
    array([[1., 2., 3.],
           [2., 4., 6.]])
    """
    sums = asarray(image)
    if dtype is None and sums.real.dtype.kind == "f":
        dtype = np.promote_types(sums.dtype, np.float64)
    for axis in range(sums.ndim):
        sums = sums.cumsum(axis=axis, dtype=dtype)
    return sums


def pyramid_reduce(
    image: Any,
    downscale: float = 2,
    sigma: float | None = None,
    order: int = 1,
    mode: str = "reflect",
    cval: float = 0,
    preserve_range: bool = False,
    *,
    channel_axis: int | None = None,
) -> Any:
    """Smooth an image and make it smaller, as `skimage.transform.pyramid_reduce` does.

    Parameters
    ----------
    image : array_like
    downscale : float
        How many times smaller; more than 1.
    sigma : float, optional
        Width of the Gaussian; a third of `downscale` by default.
    order, mode, cval, preserve_range
        As in `resize`.
    channel_axis : int, optional
        An axis that stays what it is.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.transform.pyramid_reduce(np.ones((5, 6))).compute().round(6)
    array([[1., 1., 1.],
           [1., 1., 1.],
           [1., 1., 1.]])
    """
    image = _level(image, downscale, preserve_range)
    shape = _scaled_shape(image, channel_axis, lambda n: math.ceil(n / float(downscale)))
    smooth = _smooth(image, 2 * downscale / 6.0 if sigma is None else sigma, mode, cval, channel_axis)
    return resize(smooth, shape, order=order, mode=mode, cval=cval, anti_aliasing=False)


def pyramid_expand(
    image: Any,
    upscale: float = 2,
    sigma: float | None = None,
    order: int = 1,
    mode: str = "reflect",
    cval: float = 0,
    preserve_range: bool = False,
    *,
    channel_axis: int | None = None,
) -> Any:
    """Make an image larger and smooth it, as `skimage.transform.pyramid_expand` does; arguments as in `pyramid_reduce`.

    Examples
    --------
    >>> vm.transform.pyramid_expand(np.ones((2, 3))).shape
    (4, 6)
    """
    image = _level(image, upscale, preserve_range)
    shape = _scaled_shape(image, channel_axis, lambda n: math.ceil(upscale * n))
    resized = resize(image, shape, order=order, mode=mode, cval=cval, anti_aliasing=False)
    return _smooth(resized, 2 * upscale / 6.0 if sigma is None else sigma, mode, cval, channel_axis)


def pyramid_gaussian(
    image: Any,
    max_layer: int = -1,
    downscale: float = 2,
    sigma: float | None = None,
    order: int = 1,
    mode: str = "reflect",
    cval: float = 0,
    preserve_range: bool = False,
    *,
    channel_axis: int | None = None,
) -> list[Any]:
    """Give an image and ever smaller versions of it, as `skimage.transform.pyramid_gaussian` does.

    Parameters
    ----------
    image : array_like
    max_layer : int
        How many smaller ones; until one element is left by default.
    downscale, sigma, order, mode, cval, preserve_range, channel_axis
        As in `pyramid_reduce`.

    Returns
    -------
    list of Array
        All of them lazy. Storing them together (`voxmill.compute`, `voxmill.store`) computes each level once.

    Examples
    --------
    >>> [level.shape for level in vm.transform.pyramid_gaussian(np.ones((9, 4)))]
    [(9, 4), (5, 2), (3, 1), (2, 1), (1, 1)]
    """
    levels = [_level(image, downscale, preserve_range)]
    while len(levels) - 1 != max_layer:
        smaller = pyramid_reduce(levels[-1], downscale, sigma, order, mode, cval, channel_axis=channel_axis)
        if smaller.shape == levels[-1].shape:
            break
        levels.append(smaller)
    return levels


def _output_shape(image: Any, output_shape: Any) -> list[int]:
    shape = [int(n) for n in np.atleast_1d(np.asarray(output_shape))]
    if len(shape) == image.ndim - 1:
        shape.append(image.shape[-1])
    if len(shape) < image.ndim:
        raise ValueError("resize: output_shape length cannot be smaller than the image number of dimensions")
    return shape


def _warped_shape(image: Any, output_shape: Any) -> list[int]:
    if image.ndim not in (2, 3):
        raise ValueError(f"warp: an image with two axes, or three with channels, is needed; it has {image.ndim}")
    shape = list(image.shape) if output_shape is None else [int(n) for n in output_shape]
    return [*shape, image.shape[2]] if len(shape) == 2 and image.ndim == 3 else shape


def _order(dtype: np.dtype, order: int | None) -> int:
    if order is None:
        return 0 if dtype == bool else 1
    if not 0 <= order <= 5:
        raise ValueError("spline interpolation order has to be in the range 0-5")
    if dtype == bool and order != 0:
        raise ValueError("interpolation is not defined for bool; set order to 0 or cast the image")
    return int(order)


def _mode(mode: str) -> str:
    if mode not in _MODES:
        raise ValueError(f"unknown mode {mode!r}; it is one of {', '.join(map(repr, _MODES))}")
    return _MODES[mode]


def _as_float(image: Any, preserve_range: bool) -> Any:
    """Give an image of floats; whole numbers with a range of 1 unless they are to stay what they are."""
    if image.dtype.kind == "c":
        raise ValueError(f"images of {image.dtype} are not supported; take real and imaginary part one by one")
    if image.dtype == np.float16:
        return image.astype(np.float32)
    if image.dtype.kind == "f":
        return image if optional_dtype(image.dtype) in ("float32", "float64") else image.astype(np.float32)
    values = image.astype(np.float64)
    if preserve_range or image.dtype == bool:
        return values
    values = values * (1.0 / np.iinfo(image.dtype).max)
    return maximum(values, -1.0) if image.dtype.kind == "i" else values


def _clipped(warped: Any, image: Any, order: int, mode: str, cval: float, clip: bool, leaves: bool = False) -> Any:
    """Keep the range of the image. `leaves` says that some elements of the result are known to be `cval`.

    Up to the first order values lie between those of the image, or between them and `cval`: there is nothing to do, unless `cval` has an
    influence and is nowhere reached.
    """
    if not clip or order == 0 or (order == 1 and (mode != "constant" or leaves)):
        return warped
    low, high = nanmin(image), nanmax(image)
    if mode == "constant":
        # The value beyond the border stays where it lies outside of the image's range and has been used.
        used = (nanmin(warped) <= cval) & (nanmax(warped) >= cval)
        low = call("where", (used, minimum(low, cval), low))
        high = call("where", (used, maximum(high, cval), high))
    return minimum(maximum(warped, low), high).astype(warped.dtype)


def _leaves(matrix: np.ndarray, shape: Any, size: Any) -> bool:
    """Tell whether some element of a result of this shape comes from wholly outside of an image of this size."""
    corners = np.array([[r, c, 1] for r in (0, shape[0] - 1) for c in (0, shape[1] - 1)]).T
    places = matrix @ corners
    return bool(((places <= -1) | (places >= np.array(size)[:, None])).any())


def _moved(by: Any) -> np.ndarray:
    matrix = np.eye(3)
    matrix[:2, 2] = by
    return matrix


def _coordinates(given: Any, shape: list[int], map_args: dict[str, Any]) -> np.ndarray:
    """Give the coordinates of all elements of the result, for a matrix that is not affine and for functions."""
    rows, cols = shape[:2]
    pairs = np.indices((cols, rows)).reshape(2, -1).T.astype(np.float64)
    if callable(given):
        pairs = np.asarray(given(pairs, **map_args), dtype=np.float64)
    else:
        x, y, w = given @ np.column_stack([pairs, np.ones(len(pairs))]).T
        pairs = np.column_stack([x / w, y / w])
    found = pairs.T.reshape(2, cols, rows).swapaxes(1, 2)[::-1]
    if len(shape) == 2:
        return found
    channels = np.broadcast_to(np.arange(shape[2]), shape)
    return np.stack([*(np.broadcast_to(c[..., None], shape) for c in found), channels])


def _level(image: Any, factor: float, preserve_range: bool) -> Any:
    if factor <= 1:
        raise ValueError("scale factor must be greater than 1")
    return _as_float(asarray(image), preserve_range)


def _scaled_shape(image: Any, channel_axis: int | None, length: Any) -> list[int]:
    still = None if channel_axis is None else channel_axis % image.ndim
    return [n if axis == still else length(n) for axis, n in enumerate(image.shape)]


def _smooth(image: Any, sigma: float, mode: str, cval: float, channel_axis: int | None) -> Any:
    sigmas = [float(sigma)] * image.ndim
    if channel_axis is not None:
        sigmas[channel_axis % image.ndim] = 0.0
    return gaussian_filter(image, sigma=sigmas, mode=mode, cval=cval)
