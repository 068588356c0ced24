"""What is known of labelled regions, from one pass over the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from voxmill import _native
from voxmill._create import asarray
from voxmill._run import limited


class Regions:
    """Sums of all labelled regions: a column for each number, a row for each region, in the order of labels."""

    def __init__(self, labels: Any, intensity: Any = None, *, progress: Any = None, **given: Any):
        labels = asarray(labels)
        if labels.dtype.kind not in "biu":
            raise TypeError(f"labels must be whole numbers, not {labels.dtype}; vm.ndimage.label makes them from truth values")
        if labels.dtype == bool:
            labels = labels.astype("uint8")
        if intensity is not None:
            intensity = asarray(intensity)
            if intensity.shape != labels.shape:
                raise ValueError(f"the intensities have shape {intensity.shape}, the labels {labels.shape}; they must be equal")
            if intensity.dtype.kind not in "biuf":
                raise TypeError(f"intensities must be real numbers, not {intensity.dtype}")
        self.shape, self.rank = labels.shape, labels.ndim
        self.light = None if intensity is None else intensity.dtype
        if 0 in labels.shape or not self.rank:
            words = np.empty((0, self._width()), dtype=np.uint64)
        else:
            limits, finish = limited(progress, given)
            try:
                table = _native.region_table(labels._expr, None if intensity is None else intensity._expr, limits)
            finally:
                finish()
            words = np.frombuffer(table, dtype="<u8").reshape(-1, self._width())
        self._read(words, labels.dtype)

    def _width(self) -> int:
        rank = self.rank
        return 2 + 3 * rank + rank * (rank + 1) // 2 + (0 if self.light is None else 6 + rank)

    def _read(self, words: np.ndarray, dtype: np.dtype) -> None:
        rank = self.rank
        ends = np.cumsum([2, rank, rank, rank, rank * (rank + 1) // 2, 6, rank])
        head, low, high, means, central, light, weighted = np.split(words, ends[:-1], axis=1)
        self.label = head[:, 0].view(np.int64)
        self.n = head[:, 1].astype(np.int64)
        self.low, self.high = low.astype(np.int64), high.astype(np.int64) + 1
        self.centroid = np.ascontiguousarray(means).view(np.float64)
        self.central = np.ascontiguousarray(central).view(np.float64)
        if self.light is not None:
            numbers = np.ascontiguousarray(light[:, :4]).view(np.float64)
            self.min, self.max, self.sum, self.squares = numbers.T
            self.argmin, self.argmax = light[:, 4].astype(np.int64), light[:, 5].astype(np.int64)
            self.weighted = np.ascontiguousarray(weighted).view(np.float64)

    def __len__(self) -> int:
        return len(self.label)

    def rows(self, index: Any) -> tuple[np.ndarray, np.ndarray]:
        """Give the row of each label in `index`, and whether there is one."""
        wanted = np.asarray(index).ravel().astype(np.int64)
        at = np.searchsorted(self.label, wanted)
        there = at < len(self.label)
        there[there] = self.label[at[there]] == wanted[there]
        return np.where(there, at, 0), there


# Properties as scikit-image calls them


def _area(r: Regions, spacing: np.ndarray) -> np.ndarray:
    return r.n * np.prod(spacing)


def _inertia(r: Regions, spacing: np.ndarray) -> np.ndarray:
    """Give the tensor of inertia of each region, divided by its size."""
    rank = r.rank
    second = np.empty((len(r), rank, rank))
    upper = np.triu_indices(rank)
    second[:, upper[0], upper[1]] = r.central
    second[:, upper[1], upper[0]] = r.central
    second *= np.multiply.outer(spacing, spacing) / np.maximum(r.n, 1)[:, None, None]
    return np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(rank) - second


def _eigenvalues(r: Regions, spacing: np.ndarray) -> np.ndarray:
    values = np.linalg.eigvalsh(_inertia(r, spacing)) if len(r) else np.empty((0, r.rank))
    return np.clip(values[:, ::-1], 0, None)


def _axis_length(r: Regions, spacing: np.ndarray, major: bool) -> np.ndarray:
    values = _eigenvalues(r, spacing)
    if r.rank == 2:
        return 4 * np.sqrt(values[:, 0 if major else -1])
    if r.rank == 3:
        signs = np.array([1, 1, -1]) if major else np.array([-1, 1, 1])
        return np.sqrt(np.clip(10 * (values * signs).sum(axis=1), 0, None))
    raise NotImplementedError(f"the length of an axis is known for 2 and 3 axes, not for {r.rank}")


def _two(r: Regions, name: str) -> None:
    if r.rank != 2:
        raise NotImplementedError(f"{name} is known for 2 axes, not for {r.rank}")


def _eccentricity(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _two(r, "eccentricity")
    long, short = _eigenvalues(r, spacing).T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(long == 0, 0, np.sqrt(1 - short / long))


def _orientation(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _two(r, "orientation")
    tensor = _inertia(r, spacing)
    a, b, c = tensor[:, 0, 0], tensor[:, 0, 1], tensor[:, 1, 1]
    round_ones = np.where(b < 0, np.pi / 4, -np.pi / 4)
    return np.where(a - c == 0, round_ones, 0.5 * np.arctan2(-2 * b, c - a))


def _weighted(r: Regions, spacing: np.ndarray, local: bool) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return (r.weighted / r.sum[:, None] - (r.low if local else 0)) * spacing


PROPERTIES: dict[str, Callable[[Regions, np.ndarray], np.ndarray]] = {
    "label": lambda r, s: r.label,
    "num_pixels": lambda r, s: r.n,
    "area": _area,
    "bbox": lambda r, s: np.concatenate([r.low, r.high], axis=1),
    "area_bbox": lambda r, s: np.prod((r.high - r.low) * s, axis=1),
    "extent": lambda r, s: _area(r, s) / np.prod((r.high - r.low) * s, axis=1),
    "centroid": lambda r, s: r.centroid * s,
    "centroid_local": lambda r, s: (r.centroid - r.low) * s,
    "equivalent_diameter_area": lambda r, s: (2 * r.rank * _area(r, s) / np.pi) ** (1 / r.rank),
    "inertia_tensor": _inertia,
    "inertia_tensor_eigvals": _eigenvalues,
    "axis_major_length": lambda r, s: _axis_length(r, s, True),
    "axis_minor_length": lambda r, s: _axis_length(r, s, False),
    "eccentricity": _eccentricity,
    "orientation": _orientation,
}
LIGHT: dict[str, Callable[[Regions, np.ndarray], np.ndarray]] = {
    "intensity_min": lambda r, s: r.min,
    "intensity_max": lambda r, s: r.max,
    "intensity_mean": lambda r, s: r.sum / r.n,
    "intensity_std": lambda r, s: np.sqrt(r.squares / r.n),
    "centroid_weighted": lambda r, s: _weighted(r, s, False),
    "centroid_weighted_local": lambda r, s: _weighted(r, s, True),
}
OLDER = {
    "bbox_area": "area_bbox", "equivalent_diameter": "equivalent_diameter_area", "local_centroid": "centroid_local",
    "major_axis_length": "axis_major_length", "minor_axis_length": "axis_minor_length", "max_intensity": "intensity_max",
    "mean_intensity": "intensity_mean", "min_intensity": "intensity_min", "weighted_centroid": "centroid_weighted",
    "weighted_local_centroid": "centroid_weighted_local",
}  # fmt: skip
"""Names that scikit-image had before."""
