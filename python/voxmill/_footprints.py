"""Footprints as scikit-image makes them, whole and as sequences of small ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

__all__ = [
    "ball",
    "cube",
    "diamond",
    "disk",
    "ellipse",
    "footprint_from_sequence",
    "footprint_rectangle",
    "mirror_footprint",
    "octagon",
    "octahedron",
    "pad_footprint",
    "rectangle",
    "square",
    "star",
]


def ball(radius: float, dtype: Any = np.uint8, *, strict_radius: bool = True, decomposition: Any = None) -> np.ndarray:
    """Give a ball: positions of three axes at most `radius` away from the middle.

    With ``strict_radius=False``, half a step more. There is no decomposition.

    Examples
    --------
    >>> vm.morphology.ball(1).sum()
    np.uint64(7)
    """
    _no_decomposition("ball", decomposition)
    return _within(radius, 3, 2, dtype, 0 if strict_radius else 0.5)


def disk(radius: float, dtype: Any = np.uint8, *, strict_radius: bool = True, decomposition: Any = None) -> Any:
    """Give a disk: positions of two axes at most `radius` away from the middle.

    With ``strict_radius=False``, half a step more. With ``decomposition="crosses"``, a sequence of crosses that have nearly the same
    effect one after the other.

    Examples
    --------
    >>> vm.morphology.disk(2)
    array([[0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0]], dtype=uint8)
    """
    whole = _within(radius, 2, 2, dtype, 0 if strict_radius else 0.5)
    if decomposition == "crosses":
        return _crosses(whole)
    _no_decomposition("disk", decomposition)
    return whole


def octahedron(radius: float, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give an octahedron: positions of three axes at most `radius` steps away from the middle.

    With ``decomposition="sequence"``, the smallest one so often that it has the same effect.

    Examples
    --------
    >>> vm.morphology.octahedron(1).sum()
    np.uint64(7)
    """
    return _steps("octahedron", radius, 3, dtype, decomposition)


def diamond(radius: int, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give a diamond: positions of two axes at most `radius` steps away from the middle.

    With ``decomposition="sequence"``, the smallest one so often that it has the same effect.

    Examples
    --------
    >>> vm.morphology.diamond(1)
    array([[0, 1, 0],
           [1, 1, 1],
           [0, 1, 0]], dtype=uint8)
    """
    return _steps("diamond", radius, 2, dtype, decomposition)


def footprint_rectangle(shape: Sequence[int], *, dtype: Any = np.uint8, decomposition: Any = None) -> Any:
    """Give a box of ones.

    Parameters
    ----------
    shape : sequence of int
        Lengths of the axes.
    dtype : dtype
    decomposition : {None, "separable", "sequence"}
        Lines along the axes, or small cubes and lines, that have the same effect one after the other.

    Returns
    -------
    numpy.ndarray, or a tuple of pairs of an array and a number of repetitions

    Examples
    --------
    >>> vm.morphology.footprint_rectangle((2, 3))
    array([[1, 1, 1],
           [1, 1, 1]], dtype=uint8)
    """
    shape = tuple(shape)
    if decomposition is None:
        return np.ones(shape, dtype=dtype)

    def line(axis: int, n: int) -> tuple[np.ndarray, int]:
        return np.ones([n if k == axis else 1 for k in range(len(shape))], dtype=dtype), 1

    if decomposition == "sequence" and any(n % 2 == 0 for n in shape):
        warnings.warn("decomposition='sequence' needs odd lengths; 'separable' is used instead", stacklevel=2)
        decomposition = "separable"
    if decomposition == "separable":
        return tuple(line(axis, n) for axis, n in enumerate(shape))
    if decomposition == "sequence":
        least = min(shape)
        cubes = (np.ones([3] * len(shape), dtype=dtype), 1 + (least - 3) // 2)
        return (cubes, *(line(axis, n - least + 1) for axis, n in enumerate(shape) if n > least))
    raise ValueError(f"Unrecognized decomposition: {decomposition}")


def square(width: int, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give a square of ones; `decomposition` as in `footprint_rectangle`.

    Examples
    --------
    >>> vm.morphology.square(3).shape
    (3, 3)
    """
    return footprint_rectangle((width, width), dtype=dtype, decomposition=decomposition)


def rectangle(nrows: int, ncols: int, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give a rectangle of ones; `decomposition` as in `footprint_rectangle`.

    Examples
    --------
    >>> vm.morphology.rectangle(2, 3).shape
    (2, 3)
    """
    return footprint_rectangle((nrows, ncols), dtype=dtype, decomposition=decomposition)


def cube(width: int, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give a cube of ones; `decomposition` as in `footprint_rectangle`.

    Examples
    --------
    >>> vm.morphology.cube(3).shape
    (3, 3, 3)
    """
    return footprint_rectangle((width, width, width), dtype=dtype, decomposition=decomposition)


def ellipse(width: int, height: int, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give an ellipse with half axes `height` (rows) and `width` (columns).

    With ``decomposition="crosses"``, a sequence of crosses that have nearly the same effect one after the other.

    Examples
    --------
    >>> vm.morphology.ellipse(2, 1)
    array([[1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1]], dtype=uint8)
    """
    rows, columns = np.ogrid[-height : height + 1, -width : width + 1]
    whole = ((rows / (height + 1)) ** 2 + (columns / (width + 1)) ** 2 < 1).astype(dtype)
    if decomposition == "crosses":
        return _crosses(whole)
    _no_decomposition("ellipse", decomposition)
    return whole


def octagon(m: int, n: int, dtype: Any = np.uint8, *, decomposition: Any = None) -> Any:
    """Give an octagon with straight sides of `m` and slanted ones of `n` elements.

    With ``decomposition="sequence"``, squares and diamonds that have the same effect one after the other.

    Examples
    --------
    >>> vm.morphology.octagon(3, 1)
    array([[0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0]], dtype=uint8)
    """
    if m == n == 0:
        raise ValueError("m and n cannot both be zero")
    if decomposition is None:
        side = m + 2 * n
        rows, columns = np.ogrid[:side, :side]
        # Each corner is cut off along the line between the ends of two straight sides.
        corners = [(rows, columns), (rows, side - 1 - columns), (side - 1 - rows, columns), (side - 1 - rows, side - 1 - columns)]
        kept = np.all([row + column >= (n if m else n - 1) for row, column in corners], axis=0)
        return kept.astype(dtype)
    if decomposition == "sequence":
        if m <= 2 and n <= 2:
            return ((octagon(m, n, dtype=dtype), 1),)
        if m == 0:
            m, n = 2, n - 1
        parts = list(footprint_rectangle((m, m), dtype=dtype, decomposition="sequence")) if m > 1 else []
        return (*parts, (diamond(1, dtype=dtype), n)) if n > 0 else tuple(parts)
    raise ValueError(f"Unrecognized decomposition: {decomposition}")


def star(a: int, dtype: Any = np.uint8) -> np.ndarray:
    """Give a star with eight points: a square of ``2 a + 1`` elements, and the same turned by 45 degrees.

    Examples
    --------
    >>> vm.morphology.star(2)[0]
    array([0, 0, 0, 1, 0, 0, 0], dtype=uint8)
    """
    if a == 1:
        return np.ones((3, 3), dtype=dtype)
    width, more = 2 * a + 1, a // 2
    side = width + 2 * more
    middle = (side - 1) // 2
    distance = np.abs(np.arange(side) - middle)
    upright = np.maximum.outer(distance, distance) <= a
    turned = np.add.outer(distance, distance) <= middle
    return (upright | turned).astype(dtype)


def mirror_footprint(footprint: Any) -> Any:
    """Turn a footprint around along all axes; a sequence part by part.

    Examples
    --------
    >>> vm.morphology.mirror_footprint(np.array([1, 1, 0]))
    array([0, 1, 1])
    """
    if is_sequence(footprint):
        return tuple((mirror_footprint(part), n) for part, n in footprint)
    footprint = np.asarray(footprint)
    return footprint[(slice(None, None, -1),) * footprint.ndim]


def pad_footprint(footprint: Any, *, pad_end: bool = True) -> Any:
    """Make axes of even length odd by zeros, at their ends or at their beginnings; a sequence part by part.

    Examples
    --------
    >>> vm.morphology.pad_footprint(np.array([1, 1]))
    array([1, 1, 0])
    """
    if is_sequence(footprint):
        return tuple((pad_footprint(part, pad_end=pad_end), n) for part, n in footprint)
    footprint = np.asarray(footprint)
    width = [((0, 1) if pad_end else (1, 0)) if n % 2 == 0 else (0, 0) for n in footprint.shape]
    return np.pad(footprint, width)


def footprint_from_sequence(footprints: Any) -> np.ndarray:
    """Give the one footprint that has the effect of a sequence.

    Examples
    --------
    >>> parts = vm.morphology.footprint_rectangle((3, 3), decomposition="separable")
    >>> vm.morphology.footprint_from_sequence(parts).astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [1, 1, 1]])
    """
    from voxmill._create import asarray
    from voxmill.morphology import dilation

    if not is_sequence(footprints):
        raise ValueError("expected a sequence of footprints")
    shape = [1 + sum(n * (part.shape[k] - 1) for part, n in footprints) for k in range(footprints[0][0].ndim)]
    point = np.zeros(shape, dtype=bool)
    point[tuple(n // 2 for n in shape)] = True
    return dilation(asarray(point), footprints).compute()


def is_sequence(footprint: Any) -> bool:
    """Say whether a footprint is a sequence of pairs of an array and a number of repetitions."""
    if hasattr(footprint, "__array_interface__"):
        return False
    if not isinstance(footprint, Sequence) or isinstance(footprint, str):
        raise ValueError("footprint must be either an ndarray or Sequence")
    for part in footprint:
        pair = isinstance(part, Sequence) and len(part) == 2 and hasattr(part[0], "__array_interface__")
        if not (pair and isinstance(part[1], Integral)):
            raise ValueError("a sequence of footprints consists of pairs of an array and a number of repetitions")
    return True


def _within(radius: float, rank: int, power: int, dtype: Any, more: float = 0) -> np.ndarray:
    side = int(2 * radius + 1)
    along = np.linspace(-radius, radius, side) if side > 1 else np.zeros(1)
    distance = sum(np.abs(axis) ** power for axis in np.meshgrid(*[along] * rank, indexing="ij"))
    return (distance <= (radius + more) ** power).astype(dtype)


def _steps(name: str, radius: float, rank: int, dtype: Any, decomposition: Any) -> Any:
    if decomposition == "sequence":
        return ((_within(1, rank, 1, dtype), 1 + int(2 * radius + 1 - 3) // 2),)
    _no_decomposition(name, decomposition)
    return _within(radius, rank, 1, dtype)


def _no_decomposition(name: str, decomposition: Any) -> None:
    if decomposition is not None:
        raise ValueError(f"{name}: there is no decomposition {decomposition!r}; filters take boxes apart by themselves")


def _crosses(footprint: np.ndarray) -> tuple:
    """Take a footprint apart into crosses, one for each step of its outline."""
    quadrant = footprint[footprint.shape[0] // 2 :, footprint.shape[1] // 2 :]
    heights = [*quadrant.sum(axis=0, dtype=int).tolist(), 0]
    found: dict[tuple[int, int], int] = {}
    last = total = 0
    for k in range(1, len(heights) - 1):
        if heights[k] > heights[k + 1]:
            key = (heights[last] - heights[k], k - last)
            total += key[0]
            found[key] = found.get(key, 0) + 1
            last = k
    rest = quadrant.shape[0] - 1 - total
    if rest > 0:
        found[rest, 0] = found.get((rest, 0), 0) + 1
    return tuple((_cross(*key), n) for key, n in found.items())


def _cross(rows: int, columns: int) -> np.ndarray:
    cross = np.zeros((2 * rows + 1, 2 * columns + 1), dtype=np.uint8)
    if columns:
        cross[rows, :] = 1
    if rows:
        cross[:, columns] = 1
    return cross
