"""Filters and morphology, as in `scipy.ndimage`: seamless across chunks, in every border mode."""

from __future__ import annotations

from voxmill._generated import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    maximum_filter,
    maximum_filter1d,
    median_filter,
    minimum_filter,
    minimum_filter1d,
    percentile_filter,
    rank_filter,
    uniform_filter,
    uniform_filter1d,
)
from voxmill._label import generate_binary_structure, label
from voxmill._morphology import binary_closing, binary_dilation, binary_erosion, binary_opening, distance_transform_edt
from voxmill._generic_filter import generic_filter, generic_filter1d

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_opening",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "distance_transform_edt",
    "gaussian_filter",
    "gaussian_filter1d",
    "generate_binary_structure",
    "generic_filter",
    "generic_filter1d",
    "label",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "percentile_filter",
    "rank_filter",
    "uniform_filter",
    "uniform_filter1d",
]
