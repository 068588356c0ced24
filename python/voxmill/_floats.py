"""How images of whole numbers become floats, as in scikit-image."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call


def supported_float(dtype: Any) -> np.dtype:
    """Give the float that results have: float32 for small floats, else float64."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        raise ValueError(f"complex valued input is not supported, got {dtype}; take vm.abs(image)")
    return np.dtype("float32" if dtype.itemsize <= 4 and dtype.kind not in "biu" else "float64")


def float_image(image: Any) -> Any:
    """Give whole numbers divided by the largest one of their dtype, floats as they are."""
    supported_float(image.dtype)
    return call("img_as_float", (image,))


def limits(dtype: Any, clip_negative: bool = False) -> tuple[float, float]:
    """Give the values that a dtype stands for: all that whole numbers have, -1 to 1 for floats."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    else:
        low, high = (0, 1) if dtype.kind == "b" else (-1, 1)
    return (0 if clip_negative else low), high
