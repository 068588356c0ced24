"""A stack of electron microscopy slices: mean images, re-centring, and a power spectrum through the stack.

    python examples/em_stack.py [STACK.zarr] [PICTURE.png]

Without a stack, one is made: a bright specimen that drifts across the frame from slice to slice. The stack may be larger than memory;
nothing but the small results below is ever held as a whole.
"""

from __future__ import annotations

import sys

import numpy as np

import voxmill as vm


def sample(n_slices: int = 48, side: int = 160, seed: int = 3) -> np.ndarray:
    """Make slices of a specimen that drifts, and is only there in the middle of the stack."""
    rng = np.random.default_rng(seed)
    rows, cols = np.mgrid[0:side, 0:side]
    slices = []
    for k in range(n_slices):
        row, col = side * (0.3 + 0.4 * k / n_slices), side * (0.6 - 0.2 * k / n_slices)
        distance = np.hypot(rows - row, cols - col)
        light = 180 * np.sin(np.pi * (k + 1) / (n_slices + 1))
        specimen = np.where(distance < side / 8, light * (1 + 0.3 * np.cos(distance)), 0)
        slices.append(specimen + rng.integers(0, 6, (side, side)))
    return np.clip(slices, 0, 255).astype("uint8")


def overview(stack: vm.Array) -> tuple[vm.Array, vm.Array]:
    """Give the mean image, which shows the drift, and the mean of each slice, which shows where the specimen is."""
    return stack.mean(axis=0), stack.mean(axis=(1, 2))


def power_spectrum(stack: vm.Array, columns: int = 10) -> vm.Array:
    """Give the power of each frequency along the stack, for every pixel.

    A transform along the first axis needs all slices of a pixel at once: the stack is cut into columns of pixels instead of slices.
    """
    series = stack.rechunk((-1, columns, columns))
    return (abs(vm.fft.fft(series, axis=0)) ** 2).astype("float32")


def main(path: str | None = None, picture: str | None = None) -> None:
    stack = vm.open(path) if path else vm.from_array(sample(), chunks=(8, 160, 160))
    mean_image, brightness = overview(stack)
    centres = vm.registration.centroid(stack)
    half = min(stack.shape[1:]) // 2
    centred = vm.registration.recentre(stack, (half, half))
    power = power_spectrum(centred)

    # One call, so that the stack is read as few times as possible.
    mean_image, brightness, centres, centred_mean, edge, middle = vm.compute(
        mean_image, brightness, centres, centred.mean(axis=0), power[:, 0, 0], power[:, half // 2, half // 2]
    )
    drift = np.ptp(centres, axis=0)
    print(f"{stack.shape[0]} slices of {stack.shape[1]} x {stack.shape[2]}; brightest is slice {int(brightness.argmax())}")
    print(f"the specimen drifts by {drift[0]:.1f} rows and {drift[1]:.1f} columns")
    print(f"re-centred, the mean image is {centred_mean.max() / mean_image.max():.2f} times as bright at its brightest")
    print(f"power at the middle / at the edge: {middle.sum() / edge.sum():.3g}")
    if picture:
        draw(picture, mean_image, centred_mean, edge, middle)


def draw(picture: str, before: np.ndarray, after: np.ndarray, edge: np.ndarray, middle: np.ndarray) -> None:
    """Save the mean images before and after, and both spectra."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4), layout="constrained")
    left, centre, right = figure.subplots(1, 3)
    left.imshow(before, cmap="gray")
    left.set_title("mean of all slices")
    centre.imshow(after, cmap="gray")
    centre.set_title("re-centred")
    right.semilogy(1 + edge, label="edge")
    right.semilogy(1 + middle, label="middle")
    right.set_title("power spectrum")
    right.legend()
    figure.savefig(picture)
    print(f"see {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
