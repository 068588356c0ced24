"""What is known of labelled regions, from one pass over the labels."""

from __future__ import annotations

import difflib
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from voxmill import _crops, _native
from voxmill._create import asarray
from voxmill._run import limited

ORDER = 3
"""The highest power of a distance in moments."""


class Regions:
    """Sums of all labelled regions: a column for each number, a row for each region, in the order of labels.

    Columns of intensity have a last axis for channels where the intensities have one more axis than the labels.
    """

    def __init__(
        self, labels: Any, intensity: Any = None, *, moments: bool = False, outlines: int | None = None, progress: Any = None, **given: Any
    ):
        labels = asarray(labels)
        if labels.dtype.kind not in "biu":
            raise TypeError(f"labels must be whole numbers, not {labels.dtype}; vm.ndimage.label makes them from truth values")
        if labels.dtype == bool:
            labels = labels.astype("uint8")
        self.shape, self.rank, self.given = labels.shape, labels.ndim, given
        self.labels, self.intensity = labels, None
        channels = [] if intensity is None else self._channels(asarray(intensity))
        self.has_moments, self.outlines = moments, outlines
        self.steps = directions(self.rank) if outlines is not None else []
        if 0 in labels.shape or not self.rank:
            words = np.empty((0, self._width()), dtype=np.uint64)
        else:
            limits, finish = limited(progress, given)
            try:
                table = _native.region_table(labels._expr, [channel._expr for channel in channels], moments, outlines, limits)
            finally:
                finish()
            words = np.frombuffer(table, dtype="<u8").reshape(-1, self._width())
        self._read(words)

    def _channels(self, intensity: Any) -> list:
        more = intensity.ndim - self.rank
        if intensity.shape[: self.rank] != self.shape or more not in (0, 1):
            raise ValueError(
                f"the intensities have shape {intensity.shape}, the labels {self.shape}; they must be equal, but for a last axis of channels"
            )
        if intensity.dtype.kind not in "biuf":
            raise TypeError(f"intensities must be real numbers, not {intensity.dtype}")
        self.intensity = intensity
        return [intensity] if more == 0 else [intensity[..., k] for k in range(intensity.shape[-1])]

    @property
    def light(self) -> np.dtype | None:
        """Element type of the intensities, if there are any."""
        return None if self.intensity is None else self.intensity.dtype

    @property
    def channels(self) -> int | None:
        """Number of channels; None where the intensities have no axis for them."""
        return None if self.intensity is None or self.intensity.ndim == self.rank else self.intensity.shape[-1]

    def _parts(self) -> tuple[list[int], list[int]]:
        rank = self.rank
        moments = (ORDER + 1) ** rank if self.has_moments else 0
        shape = [2, rank, rank, rank, rank * (rank + 1) // 2, moments]
        return shape, [4, 2, rank, moments]

    def _width(self) -> int:
        shape, light = self._parts()
        n_channels = 0 if self.intensity is None else 1 if self.channels is None else self.channels
        return sum(shape) + n_channels * sum(light) + self._n_surface()

    def _n_surface(self) -> int:
        return 0 if self.outlines is None else 2 + len(self.steps) + (3 if self.rank == 2 else 0)

    def _read(self, words: np.ndarray) -> None:
        shape, light = self._parts()
        n, powers = len(words), (ORDER + 1,) * self.rank
        parts = np.split(words, np.cumsum(shape), axis=1)
        real = [np.ascontiguousarray(part).view(np.float64) for part in parts]
        self.label = parts[0][:, 0].view(np.int64).copy()
        self.n = parts[0][:, 1].astype(np.int64)
        self.low, self.high = parts[1].astype(np.int64), parts[2].astype(np.int64) + 1
        self.centroid, self.central = real[3], real[4]
        if self.has_moments:
            self.moments = real[5].reshape(n, *powers)
        rest = parts[6]
        if self.outlines is not None:
            self.surface = rest[:, rest.shape[1] - self._n_surface() :].view(np.int64)
        if self.intensity is not None:
            n_channels = 1 if self.channels is None else self.channels
            each = np.split(rest[:, : n_channels * sum(light)].reshape(n, n_channels, sum(light)), np.cumsum(light)[:-1], axis=2)
            numbers, places, weighted, moments = (self._channels_last(part) for part in each)
            numbers, weighted, moments = (np.ascontiguousarray(part).view(np.float64) for part in (numbers, weighted, moments))
            self.min, self.max, self.sum, self.squares = np.moveaxis(numbers, 1, 0)
            self.argmin, self.argmax = np.moveaxis(places.astype(np.int64), 1, 0)
            self.weighted = weighted
            if self.has_moments:
                self.moments_weighted = moments.reshape(n, *powers, *moments.shape[2:])

    def _channels_last(self, part: np.ndarray) -> np.ndarray:
        return part[:, 0] if self.channels is None else np.moveaxis(part, 1, 2)

    def positive(self) -> Regions:
        """Leave out regions with negative labels."""
        keep = self.label > 0
        if not keep.all():
            for name, values in list(vars(self).items()):
                if isinstance(values, np.ndarray) and values.ndim and len(values) == len(keep):
                    setattr(self, name, values[keep])
        return self

    def __len__(self) -> int:
        return len(self.label)

    def rows(self, index: Any) -> tuple[np.ndarray, np.ndarray]:
        """Give the row of each label in `index`, and whether there is one."""
        wanted = np.asarray(index).ravel().astype(np.int64)
        at = np.searchsorted(self.label, wanted)
        there = at < len(self.label)
        there[there] = self.label[at[there]] == wanted[there]
        return np.where(there, at, 0), there


def directions(rank: int) -> list[tuple[int, ...]]:
    """Give the steps to neighbours, one of each two that are opposite, in the order of the engine."""
    return [step for step in itertools.product((-1, 0, 1), repeat=rank) if next((s for s in step if s), 0) == 1]


def spacing_of(spacing: Any, rank: int) -> np.ndarray:
    """Give the distance of neighbouring elements along each axis."""
    if spacing is None:
        return np.ones(rank)
    steps = np.asarray(spacing)
    if steps.dtype.kind not in "iuf":
        raise TypeError(f"spacing must be numbers, got {spacing!r}")
    if steps.shape not in ((), (rank,)):
        raise ValueError(f"spacing must be one number or {rank}, one for each axis; got {spacing!r}")
    if not np.isfinite(steps).all():
        raise ValueError(f"spacing must be finite, got {spacing!r}")
    return np.broadcast_to(steps.astype(float), (rank,))


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


def _only(r: Regions, name: str, *ranks: int) -> None:
    if r.rank not in ranks:
        raise NotImplementedError(f"{name} is known for {' and '.join(map(str, ranks))} axes, not for {r.rank}")


def _equal_spacing(spacing: np.ndarray, name: str) -> float:
    if len(np.unique(spacing)) != 1:
        raise NotImplementedError(f"{name} is known for equal spacing along all axes, not for {spacing.tolist()}")
    return float(spacing[0])


def _eccentricity(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "eccentricity", 2)
    long, short = _eigenvalues(r, spacing).T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(long == 0, 0, np.sqrt(1 - short / long))


def _orientation(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "orientation", 2)
    tensor = _inertia(r, spacing)
    a, b, c = tensor[:, 0, 0], tensor[:, 0, 1], tensor[:, 1, 1]
    round_ones = np.where(b < 0, np.pi / 4, -np.pi / 4)
    return np.where(a - c == 0, round_ones, 0.5 * np.arctan2(-2 * b, c - a))


def _weighted(r: Regions, spacing: np.ndarray, local: bool) -> np.ndarray:
    ends = (slice(None), slice(None), *([None] if r.channels is not None else []))
    with np.errstate(invalid="ignore", divide="ignore"):
        return (r.weighted / np.expand_dims(r.sum, 1) - (r.low[ends] if local else 0)) * spacing[ends[1:]]


def _slices(r: Regions, spacing: np.ndarray) -> np.ndarray:
    found = np.empty(len(r), dtype=object)
    for k, (low, high) in enumerate(zip(r.low.tolist(), r.high.tolist())):
        found[k] = tuple(slice(a, b, None) for a, b in zip(low, high))
    return found


# Moments


def scaled_moments(moments: np.ndarray, spacing: np.ndarray) -> np.ndarray:
    """Give moments of positions that are `spacing` apart. Axes of powers come after the first; there may be one more for channels."""
    for k, step in enumerate(spacing):
        powers = step ** np.arange(moments.shape[1 + k])
        moments = moments * powers.reshape((-1,) + (1,) * (moments.ndim - 2 - k))
    return moments


def moved_moments(moments: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Give moments about `centers`: regions first, then axes, then channels where moments have them."""
    rank = centers.shape[1]
    for k in range(rank):
        away = -np.expand_dims(centers[:, k], tuple(range(1, rank)))
        old = np.moveaxis(moments, 1 + k, 0)
        new = [sum(math.comb(p, i) * away ** (p - i) * old[i] for i in range(p + 1)) for p in range(len(old))]
        moments = np.moveaxis(np.stack(new), 0, 1 + k)
    return moments


def normalized_moments(central: np.ndarray, spacing: np.ndarray) -> np.ndarray:
    """Give moments that do not depend on the size of a region; those that would be 0 or 1 are NaN."""
    rank = len(spacing)
    powers = np.indices(central.shape[1 : 1 + rank]).sum(axis=0)
    powers = powers.reshape(powers.shape + (1,) * (central.ndim - 1 - rank))
    total = central[(slice(None), *(slice(0, 1),) * rank)]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = central / spacing.min() ** powers / total ** (powers / rank + 1)
    return np.where(powers < 2, np.nan, found)


def hu_moments(nu: np.ndarray) -> np.ndarray:
    """Give Hu's seven numbers that do not depend on place, size and direction, from normalized moments with two axes of powers."""
    at = lambda p, q: nu[:, p, q]  # noqa: E731
    spread, skew = at(2, 0) - at(0, 2), (at(3, 0) + at(1, 2), at(2, 1) + at(0, 3))
    bend = at(3, 0) - 3 * at(1, 2), 3 * at(2, 1) - at(0, 3)
    one, two = skew[0] ** 2 - 3 * skew[1] ** 2, 3 * skew[0] ** 2 - skew[1] ** 2
    found = [
        at(2, 0) + at(0, 2),
        spread**2 + 4 * at(1, 1) ** 2,
        bend[0] ** 2 + bend[1] ** 2,
        skew[0] ** 2 + skew[1] ** 2,
        bend[0] * skew[0] * one + bend[1] * skew[1] * two,
        spread * (skew[0] ** 2 - skew[1] ** 2) + 4 * at(1, 1) * skew[0] * skew[1],
        bend[1] * skew[0] * one - bend[0] * skew[1] * two,
    ]
    return np.stack(found, axis=1)


def _hu(r: Regions, spacing: np.ndarray, nu: Callable[[Regions, np.ndarray], np.ndarray], name: str) -> np.ndarray:
    _only(r, name, 2)
    if (spacing != 1).any():
        raise NotImplementedError(f"{name} is known for a spacing of 1 only")
    return hu_moments(nu(r, spacing))


def _moments(r: Regions, spacing: np.ndarray) -> np.ndarray:
    return scaled_moments(r.moments, spacing)


def _moments_central(r: Regions, spacing: np.ndarray) -> np.ndarray:
    return scaled_moments(moved_moments(r.moments, r.centroid - r.low), spacing)


def _moments_normalized(r: Regions, spacing: np.ndarray) -> np.ndarray:
    return normalized_moments(_moments_central(r, spacing), spacing)


def _moments_weighted(r: Regions, spacing: np.ndarray) -> np.ndarray:
    return scaled_moments(r.moments_weighted, spacing)


def _moments_weighted_central(r: Regions, spacing: np.ndarray) -> np.ndarray:
    first = [r.moments_weighted[(slice(None), *(int(k == axis) for k in range(r.rank)))] for axis in range(r.rank)]
    total = r.moments_weighted[(slice(None), *(0,) * r.rank)]
    with np.errstate(invalid="ignore", divide="ignore"):
        centers = np.stack(first, axis=1) / np.expand_dims(total, 1)
        return scaled_moments(moved_moments(r.moments_weighted, centers), spacing)


def _moments_weighted_normalized(r: Regions, spacing: np.ndarray) -> np.ndarray:
    return normalized_moments(_moments_weighted_central(r, spacing), spacing)


# Surfaces


def euler_numbers(r: Regions, full: bool = True) -> np.ndarray:
    """Give the Euler number of each region, with all neighbours or with those along the axes."""
    return r.surface[:, 0 if full else 1] // 2**r.rank


def _crossings(r: Regions) -> np.ndarray:
    """Give the pairs of neighbours of which one is in the region: rows of regions, columns of directions."""
    # How many windows of two elements along each axis a pair lies in.
    often = [2 ** sum(s == 0 for s in step) for step in r.steps]
    return r.surface[:, 2 : 2 + len(r.steps)] // np.array(often)


def _faces(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "surface_area_faces", 2, 3)
    along = {step.index(1): column for step, column in zip(r.steps, _crossings(r).T) if sum(map(abs, step)) == 1}
    return sum(along[k] * (np.prod(spacing) / spacing[k]) for k in range(r.rank))


def contour_lengths(r: Regions) -> np.ndarray:
    """Give the length of the contour of each region on a plane, through the middles of its elements."""
    return r.surface[:, -3:] @ np.array([1, math.sqrt(2), (1 + math.sqrt(2)) / 2])


def crofton_lengths(r: Regions, n_directions: int = 4) -> np.ndarray:
    """Give the length of the contour of each region on a plane by Crofton's formula in 2 or 4 directions."""
    straight = np.array([0 in step for step in r.steps])
    entries = _crossings(r) / 2
    if n_directions == 2:
        return np.pi / 2 * entries[:, straight].sum(axis=1)
    return np.pi / 4 * (entries[:, straight].sum(axis=1) + entries[:, ~straight].sum(axis=1) / math.sqrt(2))


def _perimeter(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "perimeter", 2)
    return contour_lengths(r) * _equal_spacing(spacing, "perimeter")


def _perimeter_crofton(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "perimeter_crofton", 2)
    return crofton_lengths(r) * _equal_spacing(spacing, "perimeter_crofton")


_SHARES = {1: 0.09155578240952, 2: 0.07396125575216, 3: 0.07039127956464}
"""Share of the sphere that is nearest to a direction along an axis, along the diagonal of a face, along the diagonal of a cube."""


def _crofton_area(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "surface_area_crofton", 3)
    step = _equal_spacing(spacing, "surface_area_crofton")
    kinds = [sum(map(abs, direction)) for direction in r.steps]
    weights = np.array([_SHARES[kind] / math.sqrt(kind) for kind in kinds])
    return 4 * step**2 * (_crossings(r) / 2) @ weights


def _euler(r: Regions, spacing: np.ndarray) -> np.ndarray:
    _only(r, "euler_number", 2, 3)
    return euler_numbers(r)


# What does not add up: from the boxes of regions


def convex_image(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the elements within the convex hull of a mask, and the corners of the hull."""
    if mask.ndim not in (2, 3):
        raise NotImplementedError(f"convex hulls are known for 2 and 3 axes, not for {mask.ndim}")
    inside, corners = _native.convex_hull(np.ascontiguousarray(mask, dtype=np.uint8), list(mask.shape))
    return np.frombuffer(inside, dtype=bool).reshape(mask.shape), np.frombuffer(corners, dtype="<i8").reshape(-1, mask.ndim) / 2


def widest(corners: np.ndarray) -> float:
    """Give the largest distance of two points."""
    most = 0.0
    for begin in range(0, len(corners), 256):
        apart = corners[begin : begin + 256, None] - corners[None]
        most = max(most, float((apart**2).sum(axis=-1).max(initial=0)))
    return math.sqrt(most)


def filled_image(mask: np.ndarray) -> np.ndarray:
    """Give a mask with its holes filled: all from which no way leads out, over faces, edges and corners."""
    inside = _native.fill_holes(np.ascontiguousarray(mask, dtype=np.uint8), list(mask.shape))
    return np.frombuffer(inside, dtype=bool).reshape(mask.shape)


class Crop:
    """One region in its box."""

    def __init__(self, row: int, mask: np.ndarray, light: np.ndarray | None):
        self.row, self.mask, self.light = row, mask, light

    @functools.cached_property
    def convex(self) -> np.ndarray:
        """What lies in the convex hull."""
        return convex_image(self.mask)[0]

    @functools.cached_property
    def filled(self) -> np.ndarray:
        """The region without holes."""
        return filled_image(self.mask)


CROPS: dict[str, Callable[[Regions, np.ndarray, Crop], Any]] = {
    "image": lambda r, s, c: c.mask,
    "image_convex": lambda r, s, c: c.convex,
    "image_filled": lambda r, s, c: c.filled,
    "image_intensity": lambda r, s, c: c.light,
    "coords": lambda r, s, c: np.argwhere(c.mask) + r.low[c.row],
    "coords_scaled": lambda r, s, c: (np.argwhere(c.mask) + r.low[c.row]) * s,
    "area_convex": lambda r, s, c: float(c.convex.sum() * np.prod(s)),
    "area_filled": lambda r, s, c: float(c.filled.sum() * np.prod(s)),
    "solidity": lambda r, s, c: float(c.mask.sum() / c.convex.sum()),
    "feret_diameter_max": lambda r, s, c: widest(convex_image(c.convex)[1] * s),
}
"""Properties of single regions, from their boxes."""

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
    "slice": _slices,
}
MOMENTS: dict[str, Callable[[Regions, np.ndarray], np.ndarray]] = {
    "moments": _moments,
    "moments_central": _moments_central,
    "moments_normalized": _moments_normalized,
    "moments_hu": lambda r, s: _hu(r, s, _moments_normalized, "moments_hu"),
}
SURFACE: dict[str, Callable[[Regions, np.ndarray], np.ndarray]] = {
    "euler_number": _euler,
    "perimeter": _perimeter,
    "perimeter_crofton": _perimeter_crofton,
    "surface_area_faces": _faces,
    "surface_area_crofton": _crofton_area,
}
LIGHT: dict[str, Callable[[Regions, np.ndarray], np.ndarray]] = {
    "intensity_min": lambda r, s: r.min,
    "intensity_max": lambda r, s: r.max,
    "intensity_mean": lambda r, s: (r.sum.T / r.n).T,
    "intensity_std": lambda r, s: np.sqrt((r.squares.T / r.n).T),
    "intensity_median": lambda r, s: percentiles(r, 50),
    "centroid_weighted": lambda r, s: _weighted(r, s, False),
    "centroid_weighted_local": lambda r, s: _weighted(r, s, True),
}
LIGHT_MOMENTS: dict[str, Callable[[Regions, np.ndarray], np.ndarray]] = {
    "moments_weighted": _moments_weighted,
    "moments_weighted_central": _moments_weighted_central,
    "moments_weighted_normalized": _moments_weighted_normalized,
    "moments_weighted_hu": lambda r, s: _hu(r, s, _moments_weighted_normalized, "moments_weighted_hu"),
}
OLDER = {
    "bbox_area": "area_bbox", "equivalent_diameter": "equivalent_diameter_area", "local_centroid": "centroid_local",
    "major_axis_length": "axis_major_length", "minor_axis_length": "axis_minor_length", "max_intensity": "intensity_max",
    "mean_intensity": "intensity_mean", "min_intensity": "intensity_min", "std_intensity": "intensity_std",
    "weighted_centroid": "centroid_weighted", "weighted_local_centroid": "centroid_weighted_local", "convex_area": "area_convex",
    "convex_image": "image_convex", "filled_area": "area_filled", "filled_image": "image_filled", "intensity_image": "image_intensity",
    "weighted_moments": "moments_weighted", "weighted_moments_central": "moments_weighted_central",
    "weighted_moments_hu": "moments_weighted_hu", "weighted_moments_normalized": "moments_weighted_normalized",
}  # fmt: skip
"""Names that scikit-image had before."""

PERCENTILE = "intensity_percentile_"
"""A number follows: ``intensity_percentile_90``."""

SUMMED = {**PROPERTIES, **MOMENTS, **SURFACE, **LIGHT, **LIGHT_MOMENTS}
NEED_LIGHT = {*LIGHT, *LIGHT_MOMENTS, "image_intensity"}
NEED_MOMENTS = {*MOMENTS, *LIGHT_MOMENTS}
OBJECTS = ("image", "image_convex", "image_filled", "image_intensity", "coords", "coords_scaled", "slice")
"""Columns of Python objects."""


def percentiles(r: Regions, q: float) -> np.ndarray:
    """Give a percentile of the intensities of each region."""
    channels = [r.intensity] if r.channels is None else [r.intensity[..., k] for k in range(r.channels)]
    found = [_crops.quantiles(r, r.labels, channel, q / 100, **r.given)[:, 0] for channel in channels]
    return found[0] if r.channels is None else np.stack(found, axis=1) if found else np.empty((len(r), 0))


def percentile_of(name: str) -> float | None:
    """Give the number in a name such as ``intensity_percentile_90``."""
    if not name.startswith(PERCENTILE):
        return None
    try:
        q = float(name[len(PERCENTILE) :])
    except ValueError:
        q = -1.0
    if not 0 <= q <= 100:
        raise AttributeError(f"{name}: after {PERCENTILE} comes a number between 0 and 100, as in {PERCENTILE}90")
    return q


def checked_name(name: str, has_light: bool, extra: Any = ()) -> str:
    """Give the present name of a property, or say what is wrong with it."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a property is text, not {name!r}")
    present = OLDER.get(name, name)
    needs_light = present in NEED_LIGHT or percentile_of(present) is not None
    if needs_light and not has_light:
        raise AttributeError(f"{name} needs an intensity_image")
    if needs_light or present in SUMMED or present in CROPS or present in extra:
        return present
    known = sorted({*SUMMED, *CROPS, *extra})
    near = difflib.get_close_matches(name, [*known, *OLDER], 3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise AttributeError(f"there is no property {name!r}; {hint}")


def summed(r: Regions, name: str, spacing: np.ndarray) -> np.ndarray:
    """Give a property of all regions that is made from sums."""
    q = percentile_of(name)
    return percentiles(r, q) if q is not None else SUMMED[name](r, spacing)
