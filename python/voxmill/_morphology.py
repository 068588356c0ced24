"""Morphology as scipy calls it, on the ops of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from voxmill._core import axes_in, call
from voxmill._create import asarray, ones, zeros

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "distance_transform_bf",
    "distance_transform_cdt",
    "distance_transform_edt",
]


def binary_erosion(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Give true where a structure fits into what is true; see `scipy.ndimage.binary_erosion`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true.
    structure : array_like or str, optional
        Which neighbours count: an array of 0 and 1, or a name such as ``"ball(3)"``; those along the axes by default.
    iterations : int
        How often it is repeated.
    mask : array_like, optional
        Where it is false, elements stay as they are.
    output : dtype, optional
        Element type of the result; bool by default.
    border_value : int
        What lies beyond the border, 0 or 1.
    origin : int or sequence of int
        How far the structure is moved.
    brute_force
        Has no meaning here.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.binary_erosion(vm.asarray([1, 1, 1, 0, 1])).compute()
    array([False,  True, False, False, False])
    """
    return _repeated("binary_erosion", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_dilation(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Give true where a structure touches something true; parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.ndimage.binary_dilation(vm.asarray([0, 0, 1, 0, 0])).compute()
    array([False,  True,  True,  True, False])
    """
    return _repeated("binary_dilation", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_opening(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Erode, then dilate: removes what the structure does not fit into. Parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.ndimage.binary_opening(vm.asarray([1, 1, 1, 0, 1])).compute()
    array([ True,  True,  True, False, False])
    """
    eroded = _repeated("binary_erosion", input, structure, iterations, mask, None, border_value, origin, axes)
    return _repeated("binary_dilation", eroded, structure, iterations, mask, output, border_value, origin, axes)


def binary_closing(
    input: Any,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> Any:
    """Dilate, then erode: fills gaps that the structure does not fit into. Parameters as in `binary_erosion`.

    Examples
    --------
    >>> vm.ndimage.binary_closing(vm.asarray([0, 1, 0, 1, 0])).compute()
    array([False,  True,  True,  True, False])
    """
    dilated = _repeated("binary_dilation", input, structure, iterations, mask, None, border_value, origin, axes)
    return _repeated("binary_erosion", dilated, structure, iterations, mask, output, border_value, origin, axes)


def _repeated(
    name: str, input: Any, structure: Any, iterations: int, mask: Any, output: Any, border_value: int, origin: Any, axes: Any
) -> Any:
    if structure is not None and not isinstance(structure, str):
        structure = np.asarray(structure).astype(bool)
    params = {"structure": structure, "border_value": int(bool(border_value)), "origin": origin, "axes": axes}
    result = asarray(input)
    if iterations < 1:
        for step in _STEPS[name]:
            result = _until_stable(step, result, structure, mask, border_value, origin, axes)
    elif mask is None:
        result = call(name, (result,), {**params, "iterations": iterations})
    else:
        result = _masked(name, result.astype(bool), asarray(mask).astype(bool), iterations, params)
    return result if output is None else result.astype(output)


_STEPS = {
    "binary_erosion": ("binary_erosion",),
    "binary_dilation": ("binary_dilation",),
    "binary_opening": ("binary_erosion", "binary_dilation"),
    "binary_closing": ("binary_dilation", "binary_erosion"),
}


def _until_stable(name: str, x: Any, structure: Any, mask: Any, border_value: int, origin: Any, axes: Any) -> Any:
    """Repeat until nothing changes: what is connected to something true, or to something false."""
    if name == "binary_dilation":
        return binary_propagation(x, structure, mask, border_value=border_value, origin=origin, axes=axes)
    # What is false spreads the other way round.
    if structure is not None:
        structure = np.asarray(structure) != 0
        origins = np.broadcast_to(np.asarray(origin, dtype=int), (structure.ndim,))
        origin = [-int(o) - int(n % 2 == 0) for o, n in zip(origins, structure.shape)]
        structure = structure[(slice(None, None, -1),) * structure.ndim]
    return ~binary_propagation(x == 0, structure, mask, border_value=not border_value, origin=origin, axes=axes)


def _masked(name: str, x: Any, mask: Any, iterations: int, params: dict) -> Any:
    """Repeat, with elements outside the mask set back each time."""
    if mask.shape != x.shape:
        raise ValueError(f"{name}: the mask has shape {mask.shape}, the input {x.shape}; they must be equal")
    for _ in range(iterations):
        x = call("where", (mask, call(name, (x,), {**params, "iterations": 1}), x))
    return x


def binary_propagation(
    input: Any,
    structure: Any = None,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Let what is true spread through a mask, until nothing changes; see `scipy.ndimage.binary_propagation`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true.
    structure : array_like, optional
        Which neighbours it spreads to; those along the axes by default. Other structures than those with 3 positions per axis that look
        the same from both sides are computed at the call, in rounds over all blocks until nothing changes.
    mask : array_like, optional
        Where it may spread to; everywhere by default.
    output : dtype, optional
        Element type of the result; bool by default.
    border_value : int
        What lies beyond the border, 0 or 1.
    origin : int or sequence of int
        How far the structure is moved.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> mask = vm.asarray([1, 1, 0, 1, 1, 1, 0])
    >>> vm.ndimage.binary_propagation([0, 0, 0, 0, 1, 0, 0], mask=mask).compute().astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    x = asarray(input) != 0
    if mask is None:
        allowed = ones(x.shape, dtype=bool, chunks=x.chunks)
    else:
        mask = asarray(mask) != 0
        if mask.shape != x.shape:
            raise ValueError(f"binary_propagation: the mask has shape {mask.shape}, the input {x.shape}; they must be equal")
        allowed = x | mask
    if _is_plain(structure, origin):
        params = {"structure": _neighbours("binary_propagation", structure, x.ndim, origin, axes), "border": bool(border_value)}
        result = call("keep_marked", (allowed, x), params)
    else:
        result = _spread("binary_propagation", x, allowed, structure, border_value, origin, axes)
    return result if output is None else result.astype(output)


def binary_fill_holes(input: Any, structure: Any = None, output: Any = None, origin: Any = 0, *, axes: Any = None) -> Any:
    """Fill holes: what is false and not connected to the border; see `scipy.ndimage.binary_fill_holes`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true.
    structure : array_like, optional
        Which neighbours of a hole belong to it; those along the axes by default. See `binary_propagation` for other structures.
    output : dtype, optional
        Element type of the result; bool by default.
    origin : int or sequence of int
        How far the structure is moved.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.binary_fill_holes([[1, 1, 1], [1, 0, 1], [1, 1, 1]]).compute().astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [1, 1, 1]])
    """
    empty = asarray(input) == 0
    seeds = zeros(empty.shape, dtype=bool, chunks=empty.chunks)
    if _is_plain(structure, origin):
        params = {"structure": _neighbours("binary_fill_holes", structure, empty.ndim, origin, axes), "border": True}
        result = ~call("keep_marked", (empty, seeds), params)
    else:
        result = ~_spread("binary_fill_holes", seeds, empty, structure, 1, origin, axes)
    return result if output is None else result.astype(output)


def _is_plain(structure: Any, origin: Any) -> bool:
    """Say whether a structure has 3 positions per axis and looks the same from both sides, so that objects decide."""
    if np.any(np.asarray(origin) != 0):
        return False
    own = np.ones(()) if structure is None else np.asarray(structure) != 0
    return structure is None or (all(n == 3 for n in own.shape) and bool((own == own[(slice(None, None, -1),) * own.ndim]).all()))


def _spread(name: str, x: Any, allowed: Any, structure: Any, border_value: int, origin: Any, axes: Any) -> Any:
    """Let truth values spread by any structure, from what is beyond the border, too, if that is true."""
    from voxmill._reconstruct import reconstructed

    used = axes_in(axes, x.ndim)
    own = np.abs(np.indices([3] * len(used)) - 1).sum(axis=0) <= 1 if structure is None else np.asarray(structure) != 0
    if own.ndim != len(used):
        raise ValueError(f"{name}: structure has {own.ndim} axes, {len(used)} are needed")
    origins = np.broadcast_to(np.asarray(origin, dtype=int), (len(used),))
    middle = [n // 2 + int(o) for n, o in zip(own.shape, origins)]
    if not all(0 <= m < n for m, n in zip(middle, own.shape)):
        raise ValueError(f"{name}: invalid origin {origin} for a structure of shape {own.shape}")
    if not own[tuple(middle)]:
        raise ValueError(f"{name}: the middle of structure must be true")
    order = np.argsort(used)
    footprint = np.expand_dims(own.transpose(order), tuple(k for k in range(x.ndim) if k not in used))
    offset = [0] * x.ndim
    for axis, m in zip(used, middle):
        offset[axis] = m
    margin = [max(m, n - 1 - m) if border_value else 0 for m, n in zip(offset, footprint.shape)]
    if any(margin):
        pad = {"pad_width": [[m, m] for m in margin], "mode": "constant", "constant_values": True}
        x, allowed = call("pad", (x,), pad), call("pad", (allowed,), pad)
    made = reconstructed(x.astype("float32"), allowed.astype("float32"), footprint, offset, erosion=False) > 0
    return made[tuple(slice(m, n - m) for m, n in zip(margin, made.shape))] if any(margin) else made


def _neighbours(name: str, structure: Any, rank: int, origin: Any, axes: Any) -> np.ndarray:
    """Give a structure over all axes, for ops that go on until nothing changes."""
    if np.any(np.asarray(origin) != 0):
        raise ValueError(f"{name}: origin must be 0 where it goes on until nothing changes, got {origin}")
    used = axes_in(axes, rank)
    distance = np.abs(np.indices([3] * len(used)) - 1).sum(axis=0) if used else np.zeros(())
    own = distance <= 1 if structure is None else np.asarray(structure).astype(bool)
    if own.ndim != len(used):
        raise ValueError(f"{name}: structure has {own.ndim} axes, {len(used)} are needed")
    if own.shape == (3,) * own.ndim and not own[(1,) * own.ndim]:
        raise ValueError(f"{name}: the middle of structure must be true")
    if len(used) == rank:
        return own
    # Along other axes, nothing is connected.
    full = np.zeros([3] * rank, dtype=bool)
    full[tuple(slice(None) if k in used else 1 for k in range(rank))] = own
    return full


def distance_transform_edt(
    input: Any,
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Give the distance of each element to the nearest zero; see `scipy.ndimage.distance_transform_edt`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as foreground.
    sampling : float or sequence of float, optional
        Distance of neighbours, for all axes or for each; 1 by default.
    return_distances, return_indices : bool
        Whether to give distances, and the positions of the nearest zeros.
    distances, indices
        Not taken here: results are new arrays.

    Returns
    -------
    distances : Array
        In float64; infinite where there is no zero at all.
    indices : Array
        Only with `return_indices`: int32, with a new first axis for the coordinates; -1 where there is no zero at all.

    Examples
    --------
    >>> vm.ndimage.distance_transform_edt(vm.asarray([0, 1, 1, 1, 0])).compute()
    array([0., 1., 2., 1., 0.])
    >>> vm.ndimage.distance_transform_edt(vm.asarray([0, 1, 1, 1, 0]), return_distances=False, return_indices=True).compute()
    array([[0, 0, 0, 4, 4]], dtype=int32)
    """
    _refuse_outputs("distance_transform_edt", distances, indices)
    _need_one("distance_transform_edt", return_distances, return_indices)
    x = asarray(input)
    made = []
    if return_distances:
        made.append(call("distance_transform_edt", (x,), {"sampling": sampling}))
    if return_indices:
        made.append(call("distance_transform_indices", (x,), {"sampling": sampling}))
    return made[0] if len(made) == 1 else tuple(made)


def _refuse_outputs(name: str, distances: Any, indices: Any) -> None:
    if distances is not None or indices is not None:
        raise TypeError(f"{name}: distances= and indices= are not supported, since results are lazy; use what it returns")


def _need_one(name: str, distances: bool, indices: bool) -> None:
    if not distances and not indices:
        raise RuntimeError(f"{name}: at least one of return_distances and return_indices must be true")


def distance_transform_cdt(
    input: Any,
    metric: Any = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Give the number of steps from each element to the nearest zero; see `scipy.ndimage.distance_transform_cdt`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as foreground.
    metric : {"chessboard", "taxicab", "cityblock", "manhattan"}
        Whether a step may go along several axes at once. Structures are not taken.
    return_distances, return_indices, distances, indices
        As in scipy; only distances are given.

    Returns
    -------
    Array of int32
        -1 where there is no zero at all.

    Examples
    --------
    >>> vm.ndimage.distance_transform_cdt([[0, 1, 1], [1, 1, 1]], metric="taxicab").compute()
    array([[0, 1, 2],
           [1, 2, 3]], dtype=int32)
    """
    _refuse_outputs("distance_transform_cdt", distances, indices)
    _need_one("distance_transform_cdt", return_distances, return_indices)
    if return_indices:
        raise NotImplementedError("distance_transform_cdt gives distances only; positions are those of distance_transform_edt")
    return call("distance_transform_cdt", (asarray(input),), {"metric": _metric("distance_transform_cdt", metric)})


def _metric(name: str, metric: Any) -> str:
    if not isinstance(metric, str):
        raise NotImplementedError(f"{name}: a structure as metric is not taken; there are 'chessboard' and 'taxicab'")
    if metric in ("taxicab", "cityblock", "manhattan"):
        return "taxicab"
    if metric != "chessboard":
        raise ValueError(f"{name}: invalid metric {metric!r}; there are 'chessboard' and 'taxicab'")
    return metric


def distance_transform_bf(
    input: Any,
    metric: str = "euclidean",
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Give the distance of each element to the nearest zero in one of three metrics; see `scipy.ndimage.distance_transform_bf`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as foreground.
    metric : {"euclidean", "chessboard", "taxicab", "cityblock", "manhattan"}
    sampling : float or sequence of float, optional
        Distance of neighbours, for the Euclidean metric.
    return_distances, return_indices, distances, indices
        As in `distance_transform_edt`; positions are given for the Euclidean metric.

    Returns
    -------
    Array
        float64, or uint32 for other metrics than the Euclidean one.

    Examples
    --------
    >>> vm.ndimage.distance_transform_bf([0, 1, 1, 1], metric="taxicab").compute()
    array([0, 1, 2, 3], dtype=uint32)
    """
    if str(metric).lower() == "euclidean":
        return distance_transform_edt(input, sampling, return_distances, return_indices, distances, indices)
    kind = _metric("distance_transform_bf", str(metric).lower())
    return distance_transform_cdt(input, kind, return_distances, return_indices, distances, indices).astype("uint32")


def binary_hit_or_miss(
    input: Any,
    structure1: Any = None,
    structure2: Any = None,
    output: Any = None,
    origin1: Any = 0,
    origin2: Any = None,
    *,
    axes: Any = None,
) -> Any:
    """Give true where a pattern is found; see `scipy.ndimage.binary_hit_or_miss`.

    Parameters
    ----------
    input : array_like
        Everything but zero counts as true; what lies beyond the border is false.
    structure1 : array_like, optional
        What must be true; neighbours along the axes by default.
    structure2 : array_like, optional
        What must be false; all that is not in `structure1` by default.
    output : dtype, optional
        Element type of the result; bool by default.
    origin1, origin2 : int or sequence of int
        How far the structures are moved; both as the first by default.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array

    Examples
    --------
    >>> vm.ndimage.binary_hit_or_miss([1, 0, 1, 1, 0], [1, 1, 0]).compute()
    array([False, False, False,  True, False])
    """
    params = {
        "structure1": None if structure1 is None else np.asarray(structure1) != 0,
        "structure2": None if structure2 is None else np.asarray(structure2) != 0,
        "origin1": origin1,
        "origin2": origin2,
        "axes": axes,
    }
    result = call("binary_hit_or_miss", (asarray(input),), params)
    return result if output is None else result.astype(output)
