"""Moving, turning, scaling and bending images, as in `scipy.ndimage`: values between the elements, by splines."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from voxmill._core import call, optional_dtype
from voxmill._create import asarray
from voxmill._join import concatenate
from voxmill._shape import pad as padded

_LARGE = 1 << 24
"""An image of this many bytes is not taken whole for every piece of the result, if the pieces can say what they need."""
_POINTS = 1 << 17
"""Points of a piece."""


def affine_transform(
    input: Any,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Any = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Turn, scale, shear and move an image, as `scipy.ndimage.affine_transform` does.

    The element at position ``o`` of the result comes from ``matrix @ o + offset`` of the image. A box of the result reads only the box of
    the image that it comes from.

    Parameters
    ----------
    input : array_like
    matrix : array_like
        A row for each axis of the image; or its diagonal; or with the offset as a last column, and perhaps a last row of zeros and a one.
    offset : float or sequence of float
    output_shape : sequence of int, optional
        That of the image by default.
    output : dtype, optional
        That of the image by default. Whole numbers are rounded to the nearest and kept inside their range.
    order : int
        Order of the splines, 0 (nearest element) to 5.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', 'wrap', 'grid-wrap'}
        What lies beyond the border.
    cval : float
        The value there, for the modes ``constant`` and ``grid-constant``.
    prefilter : bool
        Make coefficients of splines first, for orders from 2 on.

    Returns
    -------
    Array

    Examples
    --------
    >>> x = vm.arange(12.0).reshape(3, 4)
    >>> vm.ndimage.affine_transform(x, [[0, 1], [1, 0]], output_shape=(4, 3), order=1).compute()
    array([[ 0.,  4.,  8.],
           [ 1.,  5.,  9.],
           [ 2.,  6., 10.],
           [ 3.,  7., 11.]])
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise ValueError(f"affine_transform: a matrix or its diagonal is needed, not an array of shape {matrix.shape}")
    params = {"matrix": matrix.tolist(), "offset": _numbers(offset), "output_shape": _shape(output_shape)}
    return _by_parts("affine_transform", input, params, output, order, mode, cval, prefilter)


def shift(
    input: Any, shift: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0, prefilter: bool = True
) -> Any:
    """Move an image by any distance, as `scipy.ndimage.shift` does.

    Parameters
    ----------
    input : array_like
    shift : float or sequence of float
        How far, along all axes or each.
    output, order, mode, cval, prefilter
        As in `affine_transform`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.shift(vm.arange(5.0), 1.5, order=1).compute()
    array([0. , 0. , 0.5, 1.5, 2.5])
    """
    return _by_parts("shift", input, {"shift": _numbers(shift)}, output, order, mode, cval, prefilter)


def zoom(
    input: Any,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Any:
    """Make an image larger or smaller, as `scipy.ndimage.zoom` does.

    Parameters
    ----------
    input : array_like
    zoom : float or sequence of float
        How many times larger, along all axes or each.
    output, order, mode, cval, prefilter
        As in `affine_transform`.
    grid_mode : bool
        Count elements from their edges: the whole image is scaled, not the way between the first and the last middle.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.zoom(vm.asarray([0.0, 2.0, 4.0]), 2, order=1).compute()
    array([0. , 0.8, 1.6, 2.4, 3.2, 4. ])
    """
    params = {"zoom": _numbers(zoom), "grid_mode": bool(grid_mode)}
    return _by_parts("zoom", input, params, output, order, mode, cval, prefilter)


def rotate(
    input: Any,
    angle: float,
    axes: Any = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Turn an image in a plane, as `scipy.ndimage.rotate` does.

    Parameters
    ----------
    input : array_like
    angle : float
        Degrees.
    axes : tuple of two int
        The plane.
    reshape : bool
        Make the result large enough for the whole image.
    output, order, mode, cval, prefilter
        As in `affine_transform`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.rotate(vm.asarray([[1, 2], [3, 4]]), 90).compute()
    array([[2, 4],
           [1, 3]])
    """
    axes = [int(axis) for axis in axes]
    if len(axes) != 2:
        raise ValueError("rotate: axes should contain exactly two values")
    params = {"angle": float(angle), "axes": axes, "reshape": bool(reshape)}
    return _by_parts("rotate", input, params, output, order, mode, cval, prefilter)


def map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0, prefilter: bool = True
) -> Any:
    """Take the values of an image at given coordinates, as `scipy.ndimage.map_coordinates` does.

    Coordinates in a NumPy array say what they need: each piece of the result reads only a box of the image. Of lazy coordinates nothing is
    known before they are computed; the whole image must then fit in memory.

    Parameters
    ----------
    input : array_like
    coordinates : array_like
        With a row for each axis of the image.
    output, order, mode, cval, prefilter
        As in `affine_transform`. A coordinate of NaN gives `cval`.

    Returns
    -------
    Array
        With the shape of a row of `coordinates`.

    Examples
    --------
    >>> x = vm.arange(12.0).reshape(3, 4)
    >>> vm.ndimage.map_coordinates(x, [[0.5, 2], [0.5, 1]], order=1).compute()
    array([2.5, 9. ])
    """
    image = asarray(input)
    if isinstance(coordinates, (list, tuple)) or np.isscalar(coordinates):
        coordinates = np.asarray(coordinates)
    if np.iscomplexobj(coordinates):
        raise TypeError("map_coordinates: complex coordinates are not supported")
    if coordinates.ndim < 2 or coordinates.shape[0] != image.ndim:
        raise ValueError(f"map_coordinates: {image.ndim} rows of coordinates are needed, the shape is {tuple(coordinates.shape)}")
    if image.dtype.kind == "c":
        return _complex_parts(lambda part, c: map_coordinates(part, coordinates, _real(output), order, mode, c, prefilter), image, cval)
    params = _splines(output, order, mode, cval, prefilter)
    if isinstance(coordinates, np.ndarray) and image.nbytes > _LARGE and coordinates[0].size > 0:
        return _pieces(image, coordinates.astype(np.float64, copy=False), params)
    return call("map_coordinates", (image, asarray(coordinates)), params)


def geometric_transform(
    input: Any,
    mapping: Callable[..., Any],
    output_shape: Any = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    extra_arguments: tuple = (),
    extra_keywords: dict[str, Any] | None = None,
) -> Any:
    """Take the values of an image where a function says, as `scipy.ndimage.geometric_transform` does.

    The function is called at once, for every element of the result. For large results, compute an array of coordinates and use
    `map_coordinates`, or `affine_transform` where it does.

    Parameters
    ----------
    input : array_like
    mapping : callable
        Takes the position of an element of the result as a tuple, and gives the coordinates that it comes from.
    output_shape : tuple of int, optional
        That of the image by default.
    output, order, mode, cval, prefilter
        As in `affine_transform`.
    extra_arguments, extra_keywords
        For `mapping`.

    Returns
    -------
    Array

    Examples
    --------
    >>> x = vm.arange(4.0)
    >>> vm.ndimage.geometric_transform(x, lambda at: (at[0] - 0.5,), order=1).compute()
    array([0. , 0.5, 1.5, 2.5])
    """
    image = asarray(input)
    shape = image.shape if output_shape is None else tuple(_shape(output_shape) or ())
    if not shape:
        raise ValueError("geometric_transform: the result needs at least one axis")
    places = itertools.product(*map(range, shape))
    found = [mapping(place, *extra_arguments, **(extra_keywords or {})) for place in places]
    coordinates = np.array(found, dtype=np.float64).reshape(*shape, image.ndim)
    return map_coordinates(image, np.moveaxis(coordinates, -1, 0), output, order, mode, cval, prefilter)


def spline_filter1d(input: Any, order: int = 3, axis: int = -1, output: Any = np.float64, mode: str = "mirror") -> Any:
    """Make coefficients of splines along one axis, as `scipy.ndimage.spline_filter1d` does.

    Parameters
    ----------
    input : array_like
    order : int
        0 to 5; there is nothing to do for 0 and 1.
    axis : int
    output : dtype
    mode : str
        As in `affine_transform`.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.spline_filter1d(vm.ones(4), order=3).compute().round(6)
    array([1., 1., 1., 1.])
    """
    image = asarray(input)
    if image.dtype.kind == "c":
        return _complex_parts(lambda part, _: spline_filter1d(part, order, axis, _real(output), mode), image, 0)
    return call("spline_filter1d", (image,), {"order": _order(order), "axis": axis, "output": optional_dtype(output), "mode": mode})


def spline_filter(input: Any, order: int = 3, output: Any = np.float64, mode: str = "mirror") -> Any:
    """Make coefficients of splines along all axes, as `scipy.ndimage.spline_filter` does.

    Parameters
    ----------
    input : array_like
    order : int
        2 to 5.
    output : dtype
    mode : str
        As in `affine_transform`.

    Returns
    -------
    Array

    Examples
    --------
    >>> x = vm.asarray([[0.0, 1.0], [2.0, 3.0]])
    >>> coefficients = vm.ndimage.spline_filter(x)
    >>> vm.ndimage.shift(coefficients, 0, prefilter=False).compute().round(6)
    array([[0., 1.],
           [2., 3.]])
    """
    image = asarray(input)
    if image.dtype.kind == "c":
        return _complex_parts(lambda part, _: spline_filter(part, order, _real(output), mode), image, 0)
    return call("spline_filter", (image,), {"order": _order(order), "output": optional_dtype(output), "mode": mode})


def _by_parts(
    name: str, input: Any, params: dict[str, Any], output: Any, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """Call an op, for complex images once for each part."""
    image = asarray(input)
    if image.dtype.kind == "c":
        return _complex_parts(lambda part, c: _by_parts(name, part, params, _real(output), order, mode, c, prefilter), image, cval)
    return call(name, (image,), {**params, **_splines(output, order, mode, cval, prefilter)})


def _complex_parts(function: Callable[[Any, float], Any], image: Any, cval: Any) -> Any:
    real, imaginary = function(image.real, complex(cval).real), function(image.imag, complex(cval).imag)
    return (real + 1j * imaginary).astype(np.result_type(real.dtype, np.complex64))


def _real(output: Any) -> Any:
    """Give the dtype of the parts of complex numbers."""
    return None if output is None else np.empty(0, output).real.dtype


def _splines(output: Any, order: int, mode: str, cval: Any, prefilter: bool) -> dict[str, Any]:
    if isinstance(output, np.ndarray):
        raise TypeError("results are lazy, so they cannot be written into output; give a dtype")
    value = float(cval)
    if not np.isfinite(value):
        raise ValueError(f"cval {cval} is no number to interpolate with")
    return {"output": optional_dtype(output), "order": _order(order), "mode": mode, "cval": value, "prefilter": bool(prefilter)}


def _order(order: Any) -> int:
    if not 0 <= order <= 5:
        raise ValueError(f"spline order {order} is not supported; it is 0 to 5")
    return int(order)


def _numbers(value: Any) -> Any:
    """Give one number or a list of numbers."""
    values = np.asarray(value, dtype=np.float64)
    return values.tolist()


def _shape(shape: Any) -> list[int] | None:
    return None if shape is None else [int(n) for n in np.atleast_1d(np.asarray(shape))]


def _pieces(image: Any, coordinates: np.ndarray, params: dict[str, Any]) -> Any:
    """Give the values piece by piece along the first axis of the result, each from the box of the image that it needs."""
    order, mode = params["order"], params["mode"]
    kept = {key: params[key] for key in ("order", "mode", "cval")}
    pad = 0
    coefficients = image
    if params["prefilter"] and order > 1:
        coefficients = image.astype(np.float64)
        if mode in ("nearest", "grid-constant"):
            pad = 12
            how = {"mode": "edge"} if mode == "nearest" else {"mode": "constant", "constant_values": params["cval"]}
            coefficients = padded(coefficients, pad, **how)
        coefficients = spline_filter(coefficients, order, np.float64, mode)
    shape = coefficients.shape
    rows = max(1, _POINTS // max(1, int(np.prod(coordinates.shape[2:]))))
    parts = []
    for begin in range(0, coordinates.shape[1], rows):
        places = np.ascontiguousarray(coordinates[:, begin : begin + rows])
        box = [_box(places[axis] + pad, n, order, mode) for axis, n in enumerate(shape)]
        part = coefficients[tuple(slice(a, b) for a, b in box)]
        output = params["output"] or optional_dtype(image.dtype)
        cut = {**kept, "pad": pad, "output": output, "part": [[a for a, _ in box], list(shape)]}
        parts.append(call("map_sample", (part, asarray(places)), cut))
    return parts[0] if len(parts) == 1 else concatenate(parts)


def _box(places: np.ndarray, n: int, order: int, mode: str) -> tuple[int, int]:
    """Give the elements of an axis that places along it need."""
    finite = places[np.isfinite(places)]
    if finite.size == 0:
        return (0, min(n, 1))
    low, high = finite.min() - order - 2, finite.max() + order + 2
    if finite.size < places.size or low < 0 or high > n - 1:
        if mode in ("constant", "grid-constant", "nearest") and finite.size == places.size:
            low, high = np.clip(low, 0, n - 1) - 2 * order - 4, np.clip(high, 0, n - 1) + 2 * order + 4
        else:
            return (0, n)
    return (int(max(low, 0)), int(min(high + 1, n)))
