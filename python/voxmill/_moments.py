"""Moments of whole images, as `skimage.measure` calls them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from voxmill._create import asarray
from voxmill._regions import hu_moments, moved_moments, normalized_moments, spacing_of

__all__ = [
    "centroid",
    "inertia_tensor",
    "inertia_tensor_eigvals",
    "moments",
    "moments_central",
    "moments_coords",
    "moments_coords_central",
    "moments_hu",
    "moments_normalized",
]


def _real(dtype: np.dtype) -> np.dtype:
    """Give the type of moments: float32 for images of small real numbers, as in scikit-image."""
    return np.dtype("float32" if dtype.name in ("float16", "float32") else "float64")


def _sums(image: Any, powers: list[np.ndarray]) -> np.ndarray:
    """Give the sums of elements times products of powers: one array of powers for each axis."""
    from voxmill._reduce import tensordot

    image = asarray(image)
    if image.dtype.kind not in "biuf":
        raise TypeError(f"moments are known for real numbers, not for {image.dtype}")
    kind = _real(image.dtype)
    if 0 in image.shape:
        return np.zeros([p.shape[1] for p in powers], dtype=kind)
    found = image.astype("float64")
    # The first axis goes, and that of its powers comes last: after all of them, the order is that of the axes again.
    for axis_powers in powers:
        found = tensordot(found, axis_powers, axes=([0], [0]))
    return np.asarray(found.compute()).astype(kind)


def moments(image: Any, order: int = 3, *, spacing: Any = None) -> np.ndarray:
    """Give sums of the image times powers of positions; see `skimage.measure.moments`.

    Parameters
    ----------
    image : array_like
    order : int
        The highest power.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.

    Returns
    -------
    numpy.ndarray
        ``order + 1`` numbers along each axis.

    Examples
    --------
    >>> vm.measure.moments([[0, 1], [0, 2]], order=1)
    array([[3., 3.],
           [2., 2.]])
    """
    image = asarray(image)
    return moments_central(image, (0,) * image.ndim, order, spacing=spacing)


def moments_central(image: Any, center: Any = None, order: int = 3, *, spacing: Any = None) -> np.ndarray:
    """Give sums of the image times powers of distances from its center; see `skimage.measure.moments_central`.

    Parameters
    ----------
    image : array_like
    center : sequence of float, optional
        Computed from the image by default; moments whose powers add up to more than `order` are 0 then.
    order : int
        The highest power.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> vm.measure.moments_central([[1, 1, 1]], order=2)
    array([[3., 0., 2.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    image = asarray(image)
    steps = spacing_of(spacing, image.ndim)
    if order < 0:
        raise ValueError(f"moments_central: order must not be negative, got {order}")
    places = [np.arange(n) * step for n, step in zip(image.shape, steps)]
    if center is not None:
        return _sums(image, [np.power.outer(x - c, np.arange(order + 1)) for x, c in zip(places, np.broadcast_to(center, (image.ndim,)))])
    # From the middle of the array: what is subtracted afterwards is small.
    middle = [x.mean() if len(x) else 0.0 for x in places]
    raw = _sums(image, [np.power.outer(x - c, np.arange(order + 1)) for x, c in zip(places, middle)]).astype("float64")
    with np.errstate(invalid="ignore", divide="ignore"):
        centers = np.array([[raw[tuple(row)] / raw.flat[0] for row in np.eye(image.ndim, dtype=int)]]) if order else np.zeros((1, image.ndim))
        found = moved_moments(raw[None], centers)[0]
    found[np.indices(found.shape).sum(axis=0) == 1] = 0
    found[np.indices(found.shape).sum(axis=0) > order] = 0
    return found.astype(_real(image.dtype))


def moments_normalized(mu: Any, order: int = 3, spacing: Any = None) -> np.ndarray:
    """Give moments that do not depend on size, from central ones; see `skimage.measure.moments_normalized`.

    Parameters
    ----------
    mu : array_like
        Central moments.
    order : int
        The highest power.
    spacing : float or sequence of float, optional
        The one that `mu` was computed with.

    Returns
    -------
    numpy.ndarray
        NaN where powers add up to less than 2.

    Examples
    --------
    >>> vm.measure.moments_normalized(vm.measure.moments_central(np.ones((3, 3))))[2, 0].round(6)
    np.float64(0.074074)
    """
    mu = np.asarray(mu)
    if min(mu.shape) <= order:
        raise ValueError(f"moments_normalized: moments of order {order} are needed along each axis, there are {mu.shape}")
    found = np.zeros_like(mu)
    inner = (slice(0, order + 1),) * mu.ndim
    found[inner] = normalized_moments(mu[inner][None], spacing_of(spacing, mu.ndim))[0]
    return found


def moments_hu(nu: Any) -> np.ndarray:
    """Give Hu's seven moments, which do not depend on place, size and direction; see `skimage.measure.moments_hu`.

    Parameters
    ----------
    nu : array_like
        Normalized moments of an image with two axes, up to the third power at least.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> mu = vm.measure.moments_central(np.ones((3, 3)))
    >>> vm.measure.moments_hu(vm.measure.moments_normalized(mu)).round(6)
    array([0.148148, 0.      , 0.      , 0.      , 0.      , 0.      ,
           0.      ])
    """
    nu = np.asarray(nu)
    if nu.ndim != 2 or min(nu.shape) < 4:
        raise ValueError(f"moments_hu: normalized moments of shape (4, 4) are needed, got {nu.shape}")
    return hu_moments(nu[None])[0]


def moments_coords(coords: Any, order: int = 3) -> np.ndarray:
    """Give sums of products of powers of coordinates; see `skimage.measure.moments_coords`.

    Examples
    --------
    >>> vm.measure.moments_coords([[0, 1], [1, 1]], order=1)
    array([[2., 2.],
           [1., 1.]])
    """
    return moments_coords_central(coords, 0, order)


def moments_coords_central(coords: Any, center: Any = None, order: int = 3) -> np.ndarray:
    """Give sums of products of powers of distances from the mean; see `skimage.measure.moments_coords_central`.

    Parameters
    ----------
    coords : array_like
        A row for each point, or a tuple of columns.
    center : sequence of float, optional
        The mean by default.
    order : int
        The highest power.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> vm.measure.moments_coords_central([[0, 1], [2, 1]], order=2)[:, 0]
    array([2., 0., 2.])
    """
    points = np.stack(coords, axis=-1) if isinstance(coords, tuple) else np.asarray(coords)
    if points.ndim != 2:
        raise ValueError(f"moments_coords_central: a row for each point is needed, got an array of shape {points.shape}")
    center = points.mean(axis=0, dtype=float) if center is None else center
    powers = np.power.outer(points.astype(_real(points.dtype)) - center, np.arange(order + 1))
    found = np.ones((len(points), *(1,) * points.shape[1]))
    for k in range(points.shape[1]):
        found = found * np.expand_dims(powers[:, k], tuple(1 + i for i in range(points.shape[1]) if i != k))
    return found.sum(axis=0)


def centroid(image: Any, *, spacing: Any = None) -> np.ndarray:
    """Give the center of mass of an image; see `skimage.measure.centroid`.

    Examples
    --------
    >>> vm.measure.centroid([[0, 0, 1], [0, 0, 3]])
    array([0.75, 2.  ])
    """
    found = moments(image, 1, spacing=spacing)
    with np.errstate(invalid="ignore", divide="ignore"):
        return found[tuple(np.eye(found.ndim, dtype=int))] / found.flat[0]


def inertia_tensor(image: Any, mu: Any = None, *, spacing: Any = None) -> np.ndarray:
    """Give the tensor of inertia of an image, divided by its mass; see `skimage.measure.inertia_tensor`.

    Parameters
    ----------
    image : array_like
    mu : array_like, optional
        Central moments of the image, if they are known.
    spacing : float or sequence of float, optional
        Distance of neighbouring elements along each axis; 1 by default.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> vm.measure.inertia_tensor([[1, 1, 1]]).round(6)
    array([[0.666667, 0.      ],
           [0.      , 0.      ]])
    """
    mu = moments_central(image, order=2, spacing=spacing) if mu is None else np.asarray(mu)
    rank = mu.ndim
    second = np.zeros((rank, rank), dtype=mu.dtype)
    for k, j in itertools.product(range(rank), repeat=2):
        second[k, j] = mu[tuple(int(axis == k) + int(axis == j) for axis in range(rank))]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (np.trace(second) * np.eye(rank, dtype=mu.dtype) - second) / mu.flat[0] + 0


def inertia_tensor_eigvals(image: Any, mu: Any = None, T: Any = None, *, spacing: Any = None) -> list[float]:
    """Give the eigenvalues of the tensor of inertia, largest first; see `skimage.measure.inertia_tensor_eigvals`.

    Examples
    --------
    >>> vm.measure.inertia_tensor_eigvals([[1, 1, 1]])
    [np.float64(0.6666666666666666), np.float64(0.0)]
    """
    tensor = inertia_tensor(image, mu, spacing=spacing) if T is None else np.asarray(T)
    return sorted(np.clip(np.linalg.eigvalsh(tensor), 0, None), reverse=True)
