"""Lazy arrays larger than memory: NumPy-style code in bounded memory, at native speed.

>>> import voxmill as vm
>>> x = vm.ones((1000, 1000), chunks=100)
>>> ((x - x.mean()) * 2).sum().compute()
np.float64(0.0)
"""

from __future__ import annotations

from numpy import e, euler_gamma, finfo, iinfo, inf, nan, newaxis, pi
from numpy import bool_ as bool
from numpy import complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

from voxmill import config
from voxmill._native import __version__
from voxmill._array import Array
from voxmill._along import apply_along_axis, apply_over_axes
from voxmill._blocks import map_blocks
from voxmill._blockwise import blockwise, reduction
from voxmill._calls import unify_chunks
from voxmill._overlap import map_overlap, overlap, trim_internal, trim_overlap
from voxmill._chunks import normalize_chunks
from voxmill._create import (
    arange,
    array,
    asanyarray,
    asarray,
    ascontiguousarray,
    empty,
    empty_like,
    eye,
    from_array,
    from_function,
    from_map,
    from_npy,
    from_zarr,
    full,
    full_like,
    identity,
    linspace,
    ones,
    ones_like,
    open,
    zeros,
    zeros_like,
)
from voxmill._generated import *  # noqa: F403
from voxmill._progress import ProgressBar
from voxmill._reduce import *  # noqa: F403
from voxmill._run import compute, explain, persist
from voxmill._shape import *  # noqa: F403
from voxmill._store import store, to_npy, to_zarr
from voxmill._table import Table
from voxmill._manip import *  # noqa: F403
from voxmill._search import *  # noqa: F403
from voxmill._sets import *  # noqa: F403
from voxmill._stats import *  # noqa: F403
from voxmill._einsum import *  # noqa: F403
from voxmill._gufunc import *  # noqa: F403
from voxmill._api import *  # noqa: F403
from voxmill._delayed import *  # noqa: F403
from voxmill.image import *  # noqa: F403
from voxmill.interop import *  # noqa: F403
from voxmill import (
    distance,
    exposure,
    feature,
    fft,
    filters,
    linalg,
    measure,
    morphology,
    ndimage,
    random,
    registration,
    restoration,
    segmentation,
    transform,
)
