"""Fibres in a volume: tubeness, threshold, label, measure.

    python examples/fibres.py [VOLUME.zarr]

Without a volume, one is made.
"""

from __future__ import annotations

import sys

import numpy as np

import voxmill as vm


def sample(shape: tuple[int, ...] = (60, 60, 60), n_fibres: int = 8, seed: int = 2) -> np.ndarray:
    """Make bright straight fibres on a noisy ground."""
    rng = np.random.default_rng(seed)
    x = rng.normal(10, 2, shape).astype("float32")
    for _ in range(n_fibres):
        start, end = rng.uniform(0, 1, (2, 3)) * shape
        for t in np.linspace(0, 1, 4 * max(shape)):
            at = np.clip((start + t * (end - start)).astype(int), 1, np.array(shape) - 2)
            x[tuple(slice(k - 1, k + 2) for k in at)] += 4
    return x.clip(0, 60)


def fibres(volume: vm.Array, sigma: float = 1.5) -> tuple[vm.Array, vm.Array]:
    """Give the fibres, numbered, and their number; both lazy."""
    tubes = vm.filters.sato(volume, sigmas=[sigma], black_ridges=False)
    strong = tubes > vm.filters.threshold_otsu(tubes)
    solid = vm.morphology.remove_small_objects(strong, max_size=30, connectivity=3)
    return vm.ndimage.label(solid, vm.ndimage.generate_binary_structure(3, 3))


def main(path: str | None = None) -> None:
    volume = vm.open(path) if path else vm.from_array(sample(), chunks=25)
    labels, n = fibres(volume)
    table = vm.measure.regionprops_table(labels, volume, ("area", "axis_major_length", "intensity_mean"))
    longest = table["axis_major_length"].max(initial=0)
    print(f"{int(n)} fibres in {volume.shape}; the longest has {longest:.1f} voxels")


if __name__ == "__main__":
    main(*sys.argv[1:])
