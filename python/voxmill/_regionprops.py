"""Regions as objects with properties, as scikit-image gives them: what adds up is computed for all at once when it is first asked for."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from voxmill._create import asarray
from voxmill._crops import crops
from voxmill._regions import (
    CROPS,
    NEED_LIGHT,
    NEED_MOMENTS,
    OBJECTS,
    SUMMED,
    SURFACE,
    Crop,
    Regions,
    checked_name,
    percentile_of,
    spacing_of,
    summed,
)
from voxmill._table import Table

TUPLES = ("bbox", "centroid", "centroid_weighted")
"""Properties that are tuples in scikit-image, not arrays."""


def checked_labels(label_image: Any) -> Any:
    """Give labels as an array; refuse what is none, with scikit-image's kind of error."""
    labels = asarray(label_image)
    if labels.dtype == bool:
        raise TypeError("labels must be whole numbers, not bool; vm.measure.label numbers objects, astype('uint8') makes one region of all")
    if labels.dtype.kind not in "iu":
        raise TypeError(f"labels must be whole numbers, not {labels.dtype}")
    return labels


def n_arguments(function: Any) -> int:
    """Give the number of arguments that a function must be called with: 1 for a mask, 2 for a mask and intensities."""
    spec = inspect.getfullargspec(function)
    n = len(spec.args) - len(spec.defaults or ()) - (1 if inspect.ismethod(function) else 0)
    if n not in (1, 2):
        raise AttributeError(f"extra property {function.__name__} must take 1 or 2 arguments (mask, intensities), not {n}")
    return n


def checked_extra(extra_properties: Any, has_light: bool) -> dict[str, Any]:
    """Give the user's functions by name."""
    found = {}
    for function in extra_properties or ():
        name = function.__name__
        if name in SUMMED or name in CROPS:
            warnings.warn(f"extra property {name!r} has the name of a property that is there already, which is used; rename it", stacklevel=4)
            continue
        if n_arguments(function) == 2 and not has_light:
            raise AttributeError(f"extra property {name} takes intensities; it needs an intensity_image")
        found[name] = function
    return found


def call_extra(function: Any, crop: Crop) -> Any:
    """Call a user's function with one region; for each channel if there are any."""
    if n_arguments(function) == 1:
        return function(crop.mask)
    if crop.light.ndim == crop.mask.ndim:
        return function(crop.mask, crop.light)
    return np.stack([function(crop.mask, crop.light[..., k]) for k in range(crop.light.shape[-1])], axis=-1)


def columns(name: str, values: np.ndarray, separator: str) -> dict[str, np.ndarray]:
    """Give a property as columns: one for each element of what it is of a single region."""
    if values.ndim == 1:
        return {name: values}
    places = np.ndindex(values.shape[1:])
    return {separator.join([name, *map(str, place)]): np.ascontiguousarray(values[(slice(None), *place)]) for place in places}


def collected(values: list, is_object: bool) -> np.ndarray:
    """Give what was found for single regions as one array: of numbers where all have the same shape, else of objects."""
    if not is_object and len({np.shape(value) for value in values}) == 1:
        return np.array(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def measured(labels: Any, intensity: Any, names: list[str], progress: Any = None, given: dict | None = None) -> Regions:
    """Sum up what the named properties need."""
    regions = Regions(
        labels,
        intensity,
        moments=any(name in NEED_MOMENTS for name in names),
        outlines=4 if any(name in SURFACE for name in names) and asarray(labels).ndim in (2, 3) else None,
        progress=progress,
        **(given or {}),
    )
    return regions.positive()


def property_table(
    labels: Any, intensity: Any, properties: Any, extra_properties: Any, separator: str, spacing: Any, progress: Any, given: dict
) -> Table:
    """Measure all regions; see `regionprops_table`."""
    labels = checked_labels(labels)
    intensity = None if intensity is None else asarray(intensity)
    extra = checked_extra(extra_properties, intensity is not None)
    asked = [properties] if isinstance(properties, str) else list(properties)
    names = {name: checked_name(name, intensity is not None, extra) for name in [*asked, *(name for name in extra if name not in asked)]}
    needs_light = any(name in NEED_LIGHT or percentile_of(name) is not None for name in names.values()) or extra
    regions = measured(labels, intensity if needs_light else None, list(names.values()), progress, given)
    if intensity is not None and not needs_light:
        regions._channels(intensity)
        regions.intensity = None
    steps = spacing_of(spacing, regions.rank)
    single = {name for name in names.values() if name in CROPS or name in extra}
    found = _single(regions, single, extra, steps) if single else {}
    table = Table()
    for name, present in names.items():
        values = found[present] if present in found else summed(regions, present, steps)
        table.update(columns(name, np.ascontiguousarray(values), separator))
    return table


def _single(regions: Regions, names: set[str], extra: dict[str, Any], steps: np.ndarray) -> dict[str, np.ndarray]:
    """Give properties that are computed region by region."""

    def value(name: str, crop: Crop) -> Any:
        return call_extra(extra[name], crop) if name in extra else CROPS[name](regions, steps, crop)

    if not len(regions):
        # A region of one element tells what columns there are.
        mask = np.ones((1,) * regions.rank, dtype=bool)
        light = None if regions.intensity is None else np.ones(mask.shape + regions.intensity.shape[regions.rank :], regions.intensity.dtype)
        kinds = {name: None if name in CROPS else np.asarray(value(name, Crop(0, mask, light))) for name in names}
        numbers = {name: np.empty((0, *kind.shape), kind.dtype) for name, kind in kinds.items() if kind is not None}
        return {**{name: np.empty(0, dtype=object if name in OBJECTS else float) for name in names}, **numbers}
    light = regions.intensity if extra or "image_intensity" in names else None
    found: dict[str, list] = {name: [None] * len(regions) for name in names}
    for row, mask, shown in crops(regions, regions.labels, light, **regions.given):
        crop = Crop(row, mask, shown)
        for name in names:
            found[name][row] = value(name, crop)
    return {name: collected(values, name in OBJECTS) for name, values in found.items()}


class Measured:
    """What the regions of one image share: sums, which are made when they are needed, and columns that are known."""

    def __init__(self, labels: Any, intensity: Any, spacing: Any, extra: dict[str, Any], offset: np.ndarray):
        self.regions = measured(labels, None, [])
        if intensity is not None:
            self.regions._channels(intensity)
        self.light, self.extra, self.offset = intensity, extra, offset
        self.spacing = spacing_of(spacing, self.regions.rank)
        self.known: dict[str, np.ndarray] = {}

    def column(self, name: str) -> np.ndarray:
        """Give a property of all regions."""
        if name not in self.known:
            needs_light = name in NEED_LIGHT or percentile_of(name) is not None
            enough = not needs_light and name not in NEED_MOMENTS and name not in SURFACE
            if name in SURFACE and self.regions.rank not in (2, 3):
                raise NotImplementedError(f"{name} is known for 2 and 3 axes, not for {self.regions.rank}")
            regions = self.regions if enough else measured(self.regions.labels, self.light if needs_light else None, [name])
            self.known[name] = summed(regions, name, self.spacing)
        return self.known[name]


class RegionProperties:
    """One region of an image; its properties are attributes, with the names of `regionprops_table`."""

    def __init__(self, shared: Measured, row: int):
        self._shared, self._row = shared, row
        self._crop_: Crop | None = None

    @property
    def label(self) -> int:
        """The number of the region."""
        return int(self._shared.regions.label[self._row])

    @property
    def slice(self) -> tuple[slice, ...]:
        """Slices that cut the box of the region from the image."""
        regions = self._shared.regions
        return tuple(slice(int(a), int(b), None) for a, b in zip(regions.low[self._row], regions.high[self._row]))

    def _crop(self) -> Crop:
        if self._crop_ is None:
            shared = self._shared
            mask = np.asarray((shared.regions.labels[self.slice] == self.label).compute(progress=False))
            light = None
            if shared.light is not None:
                light = np.asarray(shared.light[self.slice].compute(progress=False))
                light = light * (mask if light.ndim == mask.ndim else mask[..., None])
            self._crop_ = Crop(self._row, mask, light)
        return self._crop_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        shared = self._shared
        present = checked_name(name, shared.light is not None, shared.extra)
        if present in shared.extra:
            return call_extra(shared.extra[present], self._crop())
        if present in CROPS:
            value = CROPS[present](shared.regions, shared.spacing, self._crop())
            return value + shared.offset if present in ("coords", "coords_scaled") else value
        value = shared.column(present)[self._row]
        if present == "centroid":
            value = value + shared.offset
        if present in TUPLES:
            return tuple(value.tolist()) if value.ndim == 1 else tuple(value)
        return value if isinstance(value, np.ndarray) else value.item()

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        light = self._shared.light is not None
        return iter(sorted(name for name in {*SUMMED, *CROPS} if light or name not in NEED_LIGHT))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self, *self._shared.extra]

    def __repr__(self) -> str:
        return f"<RegionProperties: label={self.label}, bbox={self.bbox}>"
