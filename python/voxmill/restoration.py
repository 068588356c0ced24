"""Noise, blur and background, as in `skimage.restoration`: over the whole image, whatever its chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import axis_in, call
from voxmill._create import asarray
from voxmill._floats import supported_float

__all__ = [
    "ball_kernel",
    "denoise_bilateral",
    "denoise_nl_means",
    "denoise_tv_chambolle",
    "ellipsoid_kernel",
    "richardson_lucy",
    "rolling_ball",
]


def _real(image: Any) -> Any:
    image = asarray(image)
    supported_float(image.dtype)
    return image


def _with_colours_last(name: str, image: Any, channel_axis: int | None, params: dict[str, Any]) -> Any:
    """Call an op that knows colours along the last axis."""
    if channel_axis is None:
        return call(name, (image,), params)
    axis = axis_in(channel_axis, image.ndim)
    moved = call("moveaxis", (image,), {"source": axis, "destination": -1})
    found = call(name, (moved,), {**params, "channels": True})
    return call("moveaxis", (found,), {"source": -1, "destination": axis})


def denoise_bilateral(
    image: Any,
    win_size: int | None = None,
    sigma_color: float | None = None,
    sigma_spatial: float = 1,
    bins: int = 10000,
    mode: str = "constant",
    cval: float = 0,
    *,
    channel_axis: int | None = None,
) -> Any:
    """Replace each element by the mean of those around it that have a similar value, as `skimage.restoration.denoise_bilateral` does.

    Parameters
    ----------
    image : array_like
        With 2 axes, and one more for colours. Whole numbers are divided by the largest one of their dtype.
    win_size : int, optional
        Length of the window; ``max(5, 2 * ceil(3 * sigma_spatial) + 1)`` by default.
    sigma_color : float, optional
        How different values may be; the standard deviation of the whole image by default.
    sigma_spatial : float
        How far away elements may be.
    bins : int
        Length of the table of weights for differences.
    mode : {"constant", "edge", "symmetric", "reflect", "wrap"}
        What lies beyond the border, in the words of `numpy.pad`.
    cval : float
        The value there, for ``mode="constant"``.
    channel_axis : int, optional
        The axis of colours.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64.

    Examples
    --------
    >>> x = np.where(np.arange(12) < 6, 0.2, 0.8) + 0.02 * np.cos(np.arange(12) * 3.0)
    >>> found = vm.restoration.denoise_bilateral(np.tile(x, (9, 1)), sigma_color=0.1, mode="edge").compute()
    >>> bool(found[4, :6].std() < x[:6].std())
    True
    """
    params = {"win_size": win_size, "sigma_color": sigma_color, "sigma_spatial": float(sigma_spatial), "bins": bins, "mode": mode}
    return _with_colours_last("denoise_bilateral", _real(image), channel_axis, {**params, "cval": float(cval)})


def denoise_nl_means(
    image: Any,
    patch_size: int = 7,
    patch_distance: int = 11,
    h: float = 0.1,
    fast_mode: bool = True,
    sigma: float = 0.0,
    *,
    preserve_range: bool = False,
    channel_axis: int | None = None,
) -> Any:
    """Replace each element by the mean of those whose neighbourhoods look alike, as `skimage.restoration.denoise_nl_means` does.

    Parameters
    ----------
    image : array_like
        With 2 to 4 axes, and one more for colours. Whole numbers are divided by the largest one of their dtype.
    patch_size : int
        Length of the neighbourhoods that are compared.
    patch_distance : int
        How far away they are looked for. The work grows with its power.
    h : float
        How different they may be.
    fast_mode : bool
        Must be true: all elements of a neighbourhood count the same.
    sigma : float
        Standard deviation of the noise, whose share of differences does not count.
    preserve_range : bool
        Keep the values of whole numbers.
    channel_axis : int, optional
        The axis of colours.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64.

    Examples
    --------
    >>> noisy = np.tile([0.2, 0.8], (8, 4)) + np.random.default_rng(0).normal(0, 0.05, (8, 8))
    >>> found = vm.restoration.denoise_nl_means(noisy, patch_size=3, patch_distance=3, h=0.1).compute()
    >>> bool(found[:, 0].std() < noisy[:, 0].std())
    True
    """
    if not fast_mode:
        raise NotImplementedError("denoise_nl_means: only fast_mode=True is there, where all elements of a patch count the same")
    image = _real(image)
    if not 2 <= image.ndim - (channel_axis is not None) <= 4:
        raise NotImplementedError("Non-local means denoising is only implemented for 2D, 3D or 4D grayscale or multichannel images.")
    params = {"patch_size": int(patch_size), "patch_distance": int(patch_distance), "h": float(h), "sigma": float(sigma)}
    return _with_colours_last("denoise_nl_means", image, channel_axis, {**params, "preserve_range": bool(preserve_range)})


def denoise_tv_chambolle(
    image: Any, weight: float = 0.1, eps: float = 2.0e-4, max_num_iter: int = 200, *, channel_axis: int | None = None
) -> Any:
    """Take noise out of an image and keep its edges sharp, by total variation, as `skimage.restoration.denoise_tv_chambolle` does.

    Parameters
    ----------
    image : array_like
        Whole numbers are divided by the largest one of their dtype.
    weight : float
        How much gradients count; more gives less noise.
    eps : float
        The steps end when the energy of the whole image changes by less than this share of the first one.
    max_num_iter : int
        The most steps.
    channel_axis : int, optional
        An axis of colours, each of which is treated for itself.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64.

    Notes
    -----
    The gradient field, as many floats per element as there are axes, is held between steps, on scratch if it does not fit memory.

    Examples
    --------
    >>> noisy = np.where(np.arange(40) < 20, 0.2, 0.8) + np.random.default_rng(0).normal(0, 0.05, 40)
    >>> found = vm.restoration.denoise_tv_chambolle(noisy, 0.2).compute()
    >>> bool(found[:18].std() < noisy[:18].std() / 2)
    True
    """
    image = _real(image)
    params = {"weight": float(weight), "eps": float(eps), "max_num_iter": int(max_num_iter)}
    if max_num_iter < 1:
        raise ValueError(f"denoise_tv_chambolle: max_num_iter must be at least 1, got {max_num_iter}")
    if channel_axis is None:
        return call("denoise_tv_chambolle", (image,), params)
    axis = axis_in(channel_axis, image.ndim)
    colours = [image[(slice(None),) * axis + (k,)] for k in range(image.shape[axis])]
    return call("stack", tuple(call("denoise_tv_chambolle", (colour,), params) for colour in colours), {"axis": axis})


def richardson_lucy(image: Any, psf: Any, num_iter: int = 50, clip: bool = True, filter_epsilon: float | None = None) -> Any:
    """Take the blur of a known point spread function out of an image, as `skimage.restoration.richardson_lucy` does.

    Parameters
    ----------
    image : array_like
    psf : array_like
        The point spread function, with as many axes.
    num_iter : int
        Number of steps.
    clip : bool
        Limit the result to -1 to 1.
    filter_epsilon : float, optional
        Where the blurred estimate is lower, it does not count.

    Returns
    -------
    Array
        float32 for float32 and float16, else float64.

    Examples
    --------
    >>> psf = np.array([[0.25, 0.5, 0.25]])
    >>> blurred = np.array([[0, 0.25, 0.5, 0.25, 0]])
    >>> found = vm.restoration.richardson_lucy(blurred, psf, num_iter=30).compute()
    >>> bool(found[0, 2] > 0.9)
    True
    """
    if num_iter < 0:
        raise ValueError(f"richardson_lucy: num_iter must not be negative, got {num_iter}")
    psf = np.asarray(psf, dtype=float)
    params = {"psf": psf, "num_iter": num_iter, "clip": bool(clip), "filter_epsilon": filter_epsilon}
    return call("richardson_lucy", (_real(image),), params)


def rolling_ball(image: Any, *, radius: float = 100, kernel: Any = None, nansafe: bool = False, workers: int | None = None) -> Any:
    """Give the background of an image: how high a ball reaches that rolls below its surface, as `skimage.restoration.rolling_ball` does.

    Parameters
    ----------
    image : array_like
    radius : float
        Radius of the ball.
    kernel : array_like, optional
        The surface of another body, with infinity where it has none; see `ellipsoid_kernel`.
    nansafe : bool
        NaN makes every element NaN whose kernel reaches it; else NaN is left out.
    workers : None
        Accepted for scikit-image's sake; see `voxmill.config`.

    Returns
    -------
    Array
        With the dtype of the image.

    Examples
    --------
    >>> vm.restoration.rolling_ball(np.array([5.0, 5, 9, 5, 5]), radius=2).compute()
    array([5.        , 5.        , 5.26794919, 5.        , 5.        ])
    """
    image = _real(image)
    if kernel is None:
        return call("rolling_ball", (image,), {"radius": float(radius), "nansafe": bool(nansafe)})
    kernel = np.asarray(kernel).astype(supported_float(image.dtype)).astype(float)
    if kernel.ndim != image.ndim or kernel.size == 0:
        raise ValueError(f"rolling_ball: a kernel of shape {kernel.shape} needs {image.ndim} axes, as the image has, and an element")
    there = ~np.isposinf(kernel)
    heights = np.where(there, kernel[tuple(n // 2 for n in kernel.shape)] - kernel, 0)
    return call("rolling_ball", (image,), {"heights": heights, "footprint": there.astype(float), "nansafe": bool(nansafe)})


def ball_kernel(radius: float, ndim: int) -> np.ndarray:
    """Give the surface of a ball for `rolling_ball`, with infinity where it has none.

    Examples
    --------
    >>> vm.restoration.ball_kernel(1, 1)
    array([0., 1., 0.])
    """
    reach = np.ceil(radius)
    squares = sum(part.astype(float) ** 2 for part in np.indices((int(2 * reach + 1),) * ndim) - reach)
    kernel = np.sqrt(np.clip(radius**2 - squares, 0, None))
    kernel[np.sqrt(squares) > radius] = np.inf
    return kernel


def ellipsoid_kernel(shape: Any, intensity: float) -> np.ndarray:
    """Give the surface of an ellipsoid for `rolling_ball`, with infinity where it has none.

    Parameters
    ----------
    shape : sequence of int
        Lengths of the ellipsoid along the axes.
    intensity : float
        Its height.

    Examples
    --------
    >>> vm.restoration.ellipsoid_kernel((3, 3), 2).round(2)
    array([[inf,  0., inf],
           [ 0.,  2.,  0.],
           [inf,  0., inf]])
    """
    half = np.clip(np.asarray(shape) // 2, 1, None)
    places = np.indices(tuple(int(2 * h + 1) for h in half))
    share = 1 - sum(((places[k] - h) / h) ** 2 for k, h in enumerate(half))
    kernel = intensity * np.sqrt(np.clip(share, 0, None))
    kernel[share < 0] = np.inf
    return kernel
