"""How two images go together, as in `skimage.measure`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from voxmill._create import asarray
from voxmill._run import compute

__all__ = ["intersection_coeff", "manders_coloc_coeff", "manders_overlap_coeff", "pearson_corr_coeff"]


def _images(what: str, images: list[Any], masks: list[Any], mask: Any) -> tuple[list[Any], list[Any], Any]:
    """Give arrays of one shape, and the mask that chooses their elements."""
    found = [asarray(x) for x in images]
    flags = [asarray(x) for x in masks] + ([] if mask is None else [asarray(mask)])
    shapes = {x.shape for x in [*found, *flags]}
    if len(shapes) != 1:
        raise ValueError(f"{what}: images and masks must have one shape, got {', '.join(map(str, sorted(shapes)))}")
    for x in flags:
        if x.dtype != bool:
            low, high = compute(x.min(), x.max(), progress=False) if x.size else (0, 1)
            if x.dtype.kind not in "iuf" or low < 0 or high > 1:
                raise ValueError(f"{what}: a mask holds truth values, not {x.dtype}")
    for x in found:
        if x.dtype.kind not in "biuf":
            raise TypeError(f"{what}: images hold real numbers, not {x.dtype}")
    flags = [x.astype(bool) for x in flags]
    return found, flags[: len(masks)], flags[-1] if mask is not None else None


def _within(x: Any, mask: Any, other: float = 0.0) -> Any:
    from voxmill._reduce import where

    return x if mask is None else where(mask, x, other)


def pearson_corr_coeff(image0: Any, image1: Any, mask: Any = None) -> tuple[float, float]:
    """Give Pearson's correlation of two images, and how likely one as large is by chance; see `skimage.measure.pearson_corr_coeff`.

    Parameters
    ----------
    image0, image1 : array_like
    mask : array_like of bool, optional
        Which elements count; all by default.

    Returns
    -------
    tuple of float
        The coefficient and its two-sided p-value.

    Examples
    --------
    >>> r, p = vm.measure.pearson_corr_coeff([1, 2, 3, 4], [1, 2, 3, 3])
    >>> round(r, 4), round(p, 4)
    (0.9439, 0.0561)
    """
    (a, b), _, mask = _images("pearson_corr_coeff", [image0, image1], [], mask)
    a, b = a.astype("float64"), b.astype("float64")
    n = a.size if mask is None else int(mask.sum().compute(progress=False))
    if n < 2:
        raise ValueError(f"pearson_corr_coeff: at least 2 elements are needed, got {n}")
    sums = compute(_within(a, mask).sum(), _within(b, mask).sum())
    a, b = (_within(x - total / n, mask) for x, total in zip((a, b), sums))
    ab, aa, bb = (float(v) for v in compute((a * b).sum(), (a * a).sum(), (b * b).sum()))
    if not aa or not bb:
        return math.nan, math.nan
    r = max(-1.0, min(1.0, ab / math.sqrt(aa) / math.sqrt(bb)))
    return r, 1.0 if n == 2 else incomplete_beta(n / 2 - 1, 0.5, 1 - r * r)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Give the share of the beta distribution below `x`."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    # The continued fraction, from the front, by the ratios of its numerators and of its denominators.
    tiny, c, d = 1e-300, 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / ((1 + numerator * d) or tiny)
            c = (1 + numerator / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * value


def manders_coloc_coeff(image0: Any, image1_mask: Any, mask: Any = None) -> float:
    """Give the share of an image's intensity that lies in a mask; see `skimage.measure.manders_coloc_coeff`.

    Parameters
    ----------
    image0 : array_like
        Must not be negative.
    image1_mask : array_like of bool
    mask : array_like of bool, optional
        Which elements count; all by default.

    Returns
    -------
    float
        0 where there is no intensity.

    Examples
    --------
    >>> vm.measure.manders_coloc_coeff([1, 2, 3, 4], [False, False, True, True])
    0.7
    """
    (image,), (second,), mask = _images("manders_coloc_coeff", [image0], [image1_mask], mask)
    values = _within(image.astype("float64"), mask)
    low, total, inside = (float(v) for v in compute(values.min(), values.sum(), _within(values, second).sum()))
    if low < 0:
        raise ValueError("manders_coloc_coeff: the image must not be negative")
    return inside / total if total else 0.0


def manders_overlap_coeff(image0: Any, image1: Any, mask: Any = None) -> float:
    """Give the sum of products of two images, divided by the root of the product of their sums of squares; see
    `skimage.measure.manders_overlap_coeff`.

    Products are computed in double precision; scikit-image computes them in the type of the images, where they may overflow.

    Parameters
    ----------
    image0, image1 : array_like
        Must not be negative.
    mask : array_like of bool, optional
        Which elements count; all by default.

    Returns
    -------
    float

    Examples
    --------
    >>> round(vm.measure.manders_overlap_coeff([1, 2, 3], [1, 2, 2]), 6)
    0.979958
    """
    (a, b), _, mask = _images("manders_overlap_coeff", [image0, image1], [], mask)
    a, b = (_within(x.astype("float64"), mask) for x in (a, b))
    low0, low1, ab, aa, bb = (float(v) for v in compute(a.min(), b.min(), (a * b).sum(), (a * a).sum(), (b * b).sum()))
    for low, name in ((low0, "image0"), (low1, "image1")):
        if low < 0:
            raise ValueError(f"manders_overlap_coeff: {name} must not be negative")
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.float64(ab) / math.sqrt(aa * bb))


def intersection_coeff(image0_mask: Any, image1_mask: Any, mask: Any = None) -> float:
    """Give the share of one mask that lies in another; see `skimage.measure.intersection_coeff`.

    Parameters
    ----------
    image0_mask, image1_mask : array_like of bool
    mask : array_like of bool, optional
        Which elements count; all by default.

    Returns
    -------
    float
        0 where the first mask is empty.

    Examples
    --------
    >>> vm.measure.intersection_coeff([True, True, True, False], [False, True, True, True])
    0.6666666666666666
    """
    _, (first, second), mask = _images("intersection_coeff", [], [image0_mask, image1_mask], mask)
    first = first if mask is None else first & mask
    both, all_ = (int(v) for v in compute((first & second).sum(), first.sum()))
    return both / all_ if all_ else 0.0
