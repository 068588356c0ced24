"""First steps with a stack of images: projections, smoothing slice by slice, storing, one threshold for all, and edges.

    python examples/slices.py [STACK.zarr] [PICTURE.png]

Without a stack, one is made: cells on a dark ground. Everything is lazy until `compute` or `to_zarr`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import voxmill as vm


def sample(shape: tuple[int, int, int] = (24, 120, 150), n_cells: int = 30, seed: int = 5) -> np.ndarray:
    """Make bright round cells on a noisy ground."""
    rng = np.random.default_rng(seed)
    grid = np.indices(shape, dtype=np.float32)
    x = rng.normal(300, 40, shape)
    for center in rng.uniform(0, 1, (n_cells, 3)) * shape:
        squares = sum(((grid[k] - center[k]) * (3 if k == 0 else 1)) ** 2 for k in range(3))
        x[squares < rng.uniform(7, 12) ** 2] += 900
    return x.clip(0, 65535).astype("uint16")


def smoothed(stack: vm.Array, sigma: float = 2) -> vm.Array:
    """Smooth each slice for itself: no width along the stack, and no seams between chunks."""
    return vm.ndimage.gaussian_filter(stack, (0, sigma, sigma))


def cells(stack: vm.Array) -> vm.Array:
    """Give true where there are cells: above the threshold of the whole stack, not of single chunks."""
    return stack > vm.filters.threshold_otsu(stack)


def edges(slice_: vm.Array) -> vm.Array:
    """Give true on the outlines of one slice."""
    return vm.feature.canny(slice_.astype("float64"), sigma=1)


def main(path: str | None = None, picture: str | None = None) -> None:
    stack = vm.open(path) if path else vm.from_array(sample(), chunks=(1, 120, 150))
    brightest, mean = vm.compute(stack.max(axis=0), stack.mean(axis=0))
    print(f"{stack.shape}: the brightest pixel of the projection has {brightest.max()}, the mean image goes up to {mean.max():.1f}")

    with tempfile.TemporaryDirectory() as folder:
        # Slices are a poor shape for all that follows; chunks of a few slices are read as fast from all sides.
        target = Path(folder) / "smooth.zarr"
        smoothed(stack).rechunk((8, 64, 64)).to_zarr(target)
        smooth = vm.open(target)
        found = cells(smooth)
        threshold, share = vm.compute(vm.filters.threshold_otsu(smooth), found.mean())
        print(f"stored with chunks of {smooth.chunksize}; threshold {int(threshold)}, {100 * share:.1f} % of the stack are cells")
        middle = smooth[stack.shape[0] // 2]
        image, inside, outline = vm.compute(middle, found[stack.shape[0] // 2], edges(middle))
        print(f"{int(outline.sum())} pixels of the middle slice lie on edges")
        if picture:
            draw(picture, brightest, image, inside, outline)


def draw(picture: str, brightest: np.ndarray, middle: np.ndarray, found: np.ndarray, edges: np.ndarray) -> None:
    """Save the projection, the middle slice, its cells and its edges."""
    from matplotlib.figure import Figure

    shown = {"maximum projection": brightest, "middle slice, smoothed": middle, "cells": found, "edges": edges}
    figure = Figure(figsize=(4 * len(shown), 4), layout="constrained")
    for axis, (title, image) in zip(figure.subplots(1, len(shown)), shown.items(), strict=True):
        axis.imshow(image, cmap="gray")
        axis.set_title(title)
    figure.savefig(picture)
    print(f"see {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
