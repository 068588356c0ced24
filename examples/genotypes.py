"""How far apart are the samples? Distances between genotypes, with missing calls, chunked along samples and variants.

    python examples/genotypes.py [CALLS.zarr] [PICTURE.png]

Calls are a matrix of samples by variants: 0, 1 or 2 copies of the other allele, -1 where nothing was called, in 8 bits. Without one,
three populations are made. Products of the calls are exact and are taken in 8 bits: no copy in floats is made of the whole.
"""

from __future__ import annotations

import sys

import numpy as np

import voxmill as vm


def sample(n_each: int = 20, n_variants: int = 5000, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Make the calls of three populations whose allele frequencies have drifted apart, and who is from which."""
    rng = np.random.default_rng(seed)
    ancestral = rng.uniform(0.05, 0.95, n_variants)
    calls = []
    for drift in (0.02, 0.05, 0.1):
        frequency = np.clip(ancestral + rng.normal(0, np.sqrt(drift * ancestral * (1 - ancestral))), 0.01, 0.99)
        calls.append(rng.binomial(2, frequency, (n_each, n_variants)))
    calls = np.concatenate(calls).astype("int8")
    calls[rng.random(calls.shape) < 0.03] = -1
    return calls, np.repeat(np.arange(3), n_each)


def distances(calls: vm.Array, metric: str = "euclidean") -> vm.Array:
    """Give the matrix of distances; variants that one of two samples lacks are left out of their pair."""
    return vm.distance.pairwise_distance(calls, metric)


def main(path: str | None = None, picture: str | None = None) -> None:
    values, population = sample()
    calls = vm.open(path) if path else vm.from_array(values, chunks=(20, 1000))
    by_squares, by_steps = vm.compute(distances(calls), distances(calls, "cityblock"))
    pairs = np.triu_indices(len(by_squares), 1)
    closest = int(np.argmin(by_squares[pairs]))
    print(f"{calls.shape[0]} samples, {calls.shape[1]} variants; mean distance {by_squares[pairs].mean():.2f}")
    print(f"closest: {pairs[0][closest]} and {pairs[1][closest]}, {by_steps[pairs][closest]:.0f} alleles apart")
    if not path:
        same = population[pairs[0]] == population[pairs[1]]
        print(f"within populations {by_squares[pairs][same].mean():.2f}, between them {by_squares[pairs][~same].mean():.2f}")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 4), layout="constrained")
        axes = figure.subplots()
        figure.colorbar(axes.imshow(by_squares), label="distance")
        axes.set_xlabel("sample")
        axes.set_ylabel("sample")
        figure.savefig(picture)
        print(f"see {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
