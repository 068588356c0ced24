"""Regions one by one or in groups, for what cannot be added up from parts: their elements are read box by box, within the memory limit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from voxmill import config
from voxmill._run import compute


@dataclasses.dataclass
class Group:
    """Regions that lie in one box, and the box in memory."""

    rows: np.ndarray
    """Their rows in the table of regions."""
    start: np.ndarray
    """Where the box begins."""
    labels: np.ndarray
    light: np.ndarray | None
    """Intensities, with a last axis for channels where there are any."""


def groups(regions: Any, labels: Any, light: Any = None, rows: np.ndarray | None = None, **given: Any) -> Iterator[Group]:
    """Read all regions, each as a whole, in boxes of several; regions in `rows` only, if these are given."""
    rows = np.arange(len(regions)) if rows is None else rows
    each = labels.dtype.itemsize + 2 + (0 if light is None else light.dtype.itemsize * max(int(np.prod(light.shape[labels.ndim :])), 1))
    limit = config.limits(**given).memory_limit
    for chosen, low, high in _boxes(regions, labels, rows, max(min(limit // 8, 128 << 20) // each, 1)):
        size = int(np.prod(high - low))
        if size * each > limit // 2:
            raise MemoryError(
                f"region {regions.label[chosen[0]]} lies in a box of {'x'.join(map(str, high - low))} elements, {size * each >> 20} MiB, which is"
                f" more than half of memory_limit ({limit >> 20} MiB); raise memory_limit, or ask for properties that add up only"
            )
        box = tuple(slice(int(a), int(b)) for a, b in zip(low, high))
        wanted = [labels[box]] + ([] if light is None else [light[box]])
        found = compute(*wanted, progress=False, **given)
        yield Group(chosen, low, np.asarray(found[0]).reshape(high - low), None if light is None else np.asarray(found[1]))


def _boxes(regions: Any, labels: Any, rows: np.ndarray, most: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Put regions that begin near each other together, as many as fit into `most` elements."""
    if not len(rows):
        return
    cell = np.array([max(lengths) if lengths else 1 for lengths in labels.chunks])
    while np.prod(cell.astype(float)) > most / 4 and cell.max() > 1:
        cell[cell.argmax()] = -(-cell.max() // 2)
    low, high = regions.low[rows], regions.high[rows]
    order = np.lexsort((low // cell).T[::-1])
    # Regions that are large by themselves do not make the boxes of others large.
    alone = np.prod((high - low).astype(float), axis=1) > most / 4
    for k in order[alone[order]]:
        yield rows[k : k + 1], low[k], high[k]
    order = order[~alone[order]]
    begin = 0
    while begin < len(order):
        first, last = low[order[begin]], high[order[begin]]
        end = begin + 1
        while end < len(order):
            wider = np.minimum(first, low[order[end]]), np.maximum(last, high[order[end]])
            if np.prod((wider[1] - wider[0]).astype(float)) > most:
                break
            first, last = wider
            end += 1
        yield rows[order[begin:end]], first, last
        begin = end


def crops(regions: Any, labels: Any, light: Any = None, **given: Any) -> Iterator[tuple[int, np.ndarray, np.ndarray | None]]:
    """Give row, mask and intensities of the box of each region. Intensities outside of the region are 0."""
    for group in groups(regions, labels, light, **given):
        for row in group.rows.tolist():
            box = tuple(slice(int(a), int(b)) for a, b in zip(regions.low[row] - group.start, regions.high[row] - group.start))
            mask = group.labels[box] == regions.label[row]
            if group.light is None:
                yield row, mask, None
                continue
            shown = group.light[box]
            yield row, mask, shown * (mask if shown.ndim == mask.ndim else mask[..., None])


def grouped_values(
    regions: Any, labels: Any, values: Any, rows: np.ndarray | None = None, *, by_value: bool = False, positions: bool = False, **given: Any
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]]:
    """Give the values of regions, group by group: rows, where the values of each begin and end, values, and their flat `positions` if asked.

    Values are in the order of the array, or sorted `by_value`.
    """
    for group in groups(regions, labels, values, rows, **given):
        chosen = np.sort(group.rows)
        place = np.flatnonzero(group.labels)
        flat = group.labels.ravel()[place]
        at = np.searchsorted(regions.label[chosen], flat)
        at[at == len(chosen)] = 0
        keep = regions.label[chosen][at] == flat
        at, place = at[keep], place[keep]
        shown = group.light.ravel()[place]
        order = np.lexsort((shown, at)) if by_value else np.argsort(at, kind="stable")
        ends = np.cumsum(np.bincount(at, minlength=len(chosen)))
        whole = None
        if positions:
            local = np.unravel_index(place[order], group.labels.shape)
            whole = np.ravel_multi_index([k + int(a) for k, a in zip(local, group.start)], regions.shape)
        yield chosen, ends - np.bincount(at, minlength=len(chosen)), ends, shown[order], whole


def quantiles(regions: Any, labels: Any, values: Any, q: Any, rows: np.ndarray | None = None, **given: Any) -> np.ndarray:
    """Give quantiles of the values of each region, as `numpy.quantile` computes them: an axis of regions, one for `q`."""
    q = np.atleast_1d(np.asarray(q, dtype=float))
    found = np.full((len(regions), len(q)), np.nan)
    for chosen, begin, end, shown, _ in grouped_values(regions, labels, values, rows, by_value=True, **given):
        shown = shown.astype(float)
        at = (end - begin - 1)[:, None] * q
        below = np.floor(at).astype(np.int64)
        above = np.minimum(below + 1, (end - begin - 1)[:, None])
        low, high = shown[begin[:, None] + below], shown[begin[:, None] + above]
        share = at - below
        # As NumPy does, from the nearer end, so that equal ends give themselves.
        with np.errstate(invalid="ignore"):
            mixed = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))
        # NaN is sorted to the end.
        found[chosen] = np.where(np.isnan(shown[end - 1])[:, None], np.nan, mixed)
    return found
