"""Labelled images: other numbers for labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import call, dtype_name
from voxmill._create import asarray
from voxmill._regions import Regions


class LabelMap:
    """New numbers by old ones, as scikit-image's `ArrayMap`: ``map[labels]`` gives the new ones of an array."""

    def __init__(self, in_values: np.ndarray, out_values: np.ndarray):
        self.in_values, self.out_values = in_values, out_values

    @property
    def dtype(self) -> np.dtype:
        """The dtype of new numbers."""
        return self.out_values.dtype

    def __len__(self) -> int:
        """One more than the largest old number."""
        return max(self.in_values.tolist(), default=-1) + 1

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """Give an array with the new number at the place of each old one."""
        table = np.zeros(len(self), dtype=self.dtype)
        table[self.in_values] = self.out_values
        return table if dtype is None else table.astype(dtype)

    def __getitem__(self, index: Any) -> Any:
        """Give the new numbers of some old ones; 0 for what is none."""
        index = np.asarray(index)
        order = np.argsort(self.in_values)
        keys = self.in_values[order]
        at = np.minimum(np.searchsorted(keys, index), max(len(keys) - 1, 0))
        found = np.where(keys[at] == index, self.out_values[order][at], 0) if len(keys) else np.zeros(index.shape, dtype=self.dtype)
        return found.astype(self.dtype)[()]

    def __call__(self, labels: Any) -> Any:
        """Map an array of old numbers."""
        return self[labels]

    def __repr__(self) -> str:
        return f"LabelMap({self.in_values!r}, {self.out_values!r})"


def mapped(labels: Any, old: np.ndarray, new: np.ndarray, dtype: Any) -> Any:
    """Give labels their new numbers; others stay as they are."""
    lists = (np.asarray(old, dtype=np.int64), np.asarray(new, dtype=np.int64))
    return call("map_labels", (labels, *map(asarray, lists)), {"dtype": dtype_name(dtype)})


def whole_numbers(name: str, labels: Any) -> Any:
    """Give labels as an array, or say why they are none."""
    labels = asarray(labels)
    if labels.dtype.kind not in "iu":
        raise TypeError(f"{name}: labels must have an integer dtype, not {labels.dtype}; vm.ndimage.label makes them from truth values")
    return labels


def present(name: str, labels: Any) -> np.ndarray:
    """Give the labels that are there in order, 0 among them: computed at the call, in one pass."""
    regions = Regions(labels)
    if (regions.label < 0).any():
        raise ValueError(f"{name}: labels must not be negative")
    found = regions.label
    return np.concatenate([[0], found]) if int(regions.n.sum()) < labels.size else found


def sequential(labels: Any, found: np.ndarray, offset: int, dtype: np.dtype) -> tuple[Any, LabelMap, LabelMap]:
    """Give labels numbers from `offset` on, and the maps forth and back. `dtype` is that of the labels."""
    new = np.arange(offset, offset + len(found))
    if len(found) and found[0] == 0:
        new = np.concatenate([[0], new[:-1]])
    last = int(new[-1]) if len(new) else 0
    needed = np.min_scalar_type(last)
    if dtype.itemsize >= needed.itemsize and last < np.iinfo(dtype).max:
        needed = dtype
    old, new = found.astype(dtype), new.astype(needed)
    return mapped(labels, found, new, needed), LabelMap(old, new), LabelMap(new, old)
