"""Bubbles of a foam: scale, smooth, threshold, erode, label, count, measure.

    python examples/foam.py [VOLUME.zarr]

Without a volume, one is made. The volume may be larger than memory: everything up to the table is lazy.
"""

from __future__ import annotations

import sys

import numpy as np

import voxmill as vm


def sample(shape: tuple[int, ...] = (60, 120, 120), n_bubbles: int = 80, seed: int = 1) -> np.ndarray:
    """Make a foam: bubbles are dark, walls are bright."""
    rng = np.random.default_rng(seed)
    grid = np.indices(shape, dtype=np.float32)
    nearest = np.full(shape, np.inf, dtype=np.float32)
    for center in rng.uniform(0, 1, (n_bubbles, len(shape))) * shape:
        distance = sum((grid[k] - center[k]) ** 2 for k in range(len(shape)))
        np.minimum(nearest, distance, out=nearest)
    noise = rng.normal(0, 8, shape)
    return (np.where(nearest < 9**2, 60, 190) + noise).clip(0, 255).astype("uint8")


def bubbles(volume: vm.Array, radius: int = 4) -> tuple[vm.Array, vm.Array]:
    """Give the cores of bubbles, numbered, and their number; both lazy."""
    dark = 1 - volume / 255
    smooth = vm.ndimage.gaussian_filter(dark, (1, 2, 2))
    inside = smooth > 0.5
    cores = vm.ndimage.binary_erosion(inside, vm.morphology.ball(radius))
    return vm.ndimage.label(cores)


def main(path: str | None = None) -> None:
    volume = vm.open(path) if path else vm.from_array(sample(), chunks=(30, 60, 60))
    labels, n = bubbles(volume)
    table = vm.measure.regionprops_table(labels, volume, ("label", "area", "centroid", "intensity_mean"))
    print(f"{int(n)} bubbles in {volume.shape}; the largest core has {int(table['area'].max(initial=0))} voxels")


if __name__ == "__main__":
    main(*sys.argv[1:])
